// Package kernel defines the interface between the density of a trial and the code that binds it to data. A [Kernel] binds trials to
// sums or rows. A [Map] computes the parameters of a kernel from those of a model. The package also has tests that every
// implementation must pass.
//
// Some models have states: numbers that a participant carries from trial to trial, such as learned values. States restart, that is, begin
// again at their first values, where certain columns change, such as the number of a block.
package kernel

import "slices"

// Trials are the data, by trial.
type Trials struct {
	Columns [][]float64 // the model's trial columns in its order, then the columns at whose changes states restart
	Choice  []float64   // nil for a model without choice
	Weight  []float64   // how often each trial counts; nil if each counts once
	Person  []int32     // for each trial, the number of its participant, who carries states; nil for one participant
}

// N returns the number of trials.
func (t *Trials) N() int {
	if len(t.Columns) > 0 {
		return len(t.Columns[0])
	}
	return len(t.Choice)
}

// Responses returns trials with response times, in seconds, and choices, nil for a model without choice.
func Responses(rt, choice []float64) Trials {
	return Trials{Columns: [][]float64{rt}, Choice: choice}
}

// At returns copies of the trials with the given indices.
func (t *Trials) At(numbers []int) Trials {
	of := Trials{Choice: pick(t.Choice, numbers), Weight: pick(t.Weight, numbers), Person: pick(t.Person, numbers)}
	for _, c := range t.Columns {
		of.Columns = append(of.Columns, pick(c, numbers))
	}
	return of
}

// Clone returns a copy.
func (t *Trials) Clone() Trials {
	of := Trials{Choice: slices.Clone(t.Choice), Weight: slices.Clone(t.Weight), Person: slices.Clone(t.Person)}
	for _, c := range t.Columns {
		of.Columns = append(of.Columns, slices.Clone(c))
	}
	return of
}

// pick returns copies of some elements; nil for a nil slice.
func pick[E any](from []E, numbers []int) []E {
	if from == nil {
		return nil
	}
	to := make([]E, len(numbers))
	for i, n := range numbers {
		to[i] = from[n]
	}
	return to
}

// Sum is the log-likelihood of a dataset as a function of the parameters. Generated packages implement it without importing this
// package. A Sum is safe for concurrent use.
type Sum interface {
	// Dim returns the number of parameters.
	Dim() int

	// LogLik returns the log density summed over trials: -Inf outside the support, NaN where the density is NaN. theta has length Dim,
	// in the model's order.
	LogLik(theta []float64) float64

	// LogLikGrad returns the same as LogLik and overwrites grad, of length Dim, with the gradient, which is zero where the value is
	// -Inf.
	LogLikGrad(theta, grad []float64) float64
}

// Kernel is the log density of a trial, independent of other trials given its parameters. It may also implement some of the interfaces
// below, which offer more than rows. Its methods are called when data are bound. Their errors name an invalid trial by its number,
// counted from 1.
type Kernel interface {
	// Dim returns the number of parameters.
	Dim() int
	// Rows binds trials to the log density row by row.
	Rows(Trials) (Rows, error)
}

// Summer is a kernel whose sum over trials with the same parameters is faster than the sum of its rows.
type Summer interface{ Sum(Trials) (Sum, error) }

// Blocker is a kernel that is faster for many blocks of trials at once than for one after the other. The sum's parameters are those
// of all blocks, one block after the other.
type Blocker interface{ SumBlocks([]Trials) (Sum, error) }

// Combiner is a kernel with one parameter that may be a linear combination of coefficients, different in each trial.
type Combiner interface {
	// Combined returns the index of that parameter; -1 if there is none.
	Combined() int
	// SumCombined binds trials to the log-likelihood. The coefficients replace the parameter among the parameters of the sum.
	SumCombined(Trials, *Combinations) (Sum, error)
}

// Columner is a kernel whose parameters may depend linearly on columns, which are compiled into the sum.
type Columner interface {
	// SumColumns binds trials to the log-likelihood. In trial i, parameter j is c₀ + Σ c_k x[j][k-1][i]; x[j] is empty for a parameter
	// that is the same in all trials. The coefficients c replace parameter j among the parameters of the sum.
	SumColumns(t Trials, x [][][]float64) (Sum, error)
	// TakenOnce reports whether the cost of the sum does not grow with the number of trials, for the given number of columns of each
	// parameter.
	TakenOnce(columns []int) (bool, error)
}

// PerTrial is a kernel of response times and choices that is fast for trials that each have their own parameters.
type PerTrial interface {
	// LogDensity sets dst[i] to log p(rt[i], choice[i] | theta[i]), rt in seconds; -Inf outside the support. Neighbours with equal
	// parameters share work.
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
}

// Map computes the parameters of a kernel from those of a model and from trials. A model has a map if it calls a density with expressions
// as arguments, if it has states, or if it is calibrated: evaluated at parameters that a fitted function computes, to remove bias.
type Map interface {
	// Out returns the number of the kernel's parameters.
	Out() int
	// Depends returns the model's parameters on which parameter k of the kernel depends, as a bit set. varies says whether it differs
	// from trial to trial even if the model's parameters are shared, because it depends on columns or states.
	Depends(k int) (params uint64, varies bool)
	// Stateful reports whether trials depend on earlier ones.
	Stateful() bool
	// Bind binds trials to the map. The function that it returns makes the working memory of evaluations.
	Bind(Trials) (func() Mapping, error)
}

// Mapping is a map on bound trials, with the working memory of one evaluation. Only one goroutine may use it at a time.
type Mapping interface {
	// Forward returns the kernel's parameters for the model's: each has one number for all trials, or one for each trial, as in [Rows].
	Forward(theta [][]float64) (out [][]float64)
	// Back adds the derivatives with respect to the model's parameters to grad, at the parameters of the last Forward. bars holds the
	// derivatives with respect to the kernel's parameters. grad[j] and bars[k] have one number, the sum over trials, or one for each
	// trial.
	Back(bars, grad [][]float64)
}
