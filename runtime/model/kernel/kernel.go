// Package kernel is the contract between the density of a trial and what binds it to data. A [Kernel] gives trials to sums over them or to rows;
// a [Map] stands between the parameters of a model and those of its kernel. The package also has the tests that every one of them must pass.
package kernel

import "slices"

// Trials are data, by trial.
type Trials struct {
	Columns [][]float64 // the model's trial columns in its order, then those that restart the states of a map
	Choice  []float64   // nil for a model without choice
	Weight  []float64   // how often each trial counts; nil where each counts once
	Person  []int32     // the number of each trial's participant, where states go from trial to trial; nil for one participant
}

// N returns the number of trials.
func (t *Trials) N() int {
	if len(t.Columns) > 0 {
		return len(t.Columns[0])
	}
	return len(t.Choice)
}

// Responses are trials of response times, in seconds, and choices, nil for a model without.
func Responses(rt, choice []float64) Trials {
	return Trials{Columns: [][]float64{rt}, Choice: choice}
}

// At copies out the trials of the given numbers.
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

// pick copies out elements; those of nil are nil.
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

// Sum is the log-likelihood of a dataset as a function of the parameters. Interfaces are structural: generated
// packages implement it without importing it. It is safe for concurrent use.
type Sum interface {
	// Dim is the number of parameters.
	Dim() int

	// LogLik is the log density summed over trials: -Inf outside the support, NaN where the density itself is. theta has
	// length Dim, in the model's order.
	LogLik(theta []float64) float64

	// LogLikGrad returns what LogLik does and overwrites grad, of length Dim, with the gradient, zero where the value is -Inf.
	LogLikGrad(theta, grad []float64) float64
}

// Kernel is the log density of a trial, independent of other trials given its parameters. What it can do beside rows says which of the
// interfaces below it implements. Its methods run when data are bound, and refuse what is no trial, by its number from 1.
type Kernel interface {
	// Dim is the number of parameters.
	Dim() int
	// Rows gives trials to the log density row by row.
	Rows(Trials) (Rows, error)
}

// Summer is a kernel whose sum over trials with the same parameters is quicker than its rows, added up.
type Summer interface{ Sum(Trials) (Sum, error) }

// Blocker is a kernel that is quicker for many blocks of trials at once than for one after the other. Parameters of the sum are those of all
// blocks, one block after the other.
type Blocker interface{ SumBlocks([]Trials) (Sum, error) }

// Combiner is a kernel of which one parameter, number Combined, may be a linear combination of coefficients, one a trial. The coefficients
// stand in its place among the parameters of the sum. Combined is -1 for none.
type Combiner interface {
	Combined() int
	SumCombined(Trials, *Combinations) (Sum, error)
}

// Columner is a kernel whose parameters may be columns, which are compiled into the sum: parameter j is c₀ + Σ c_k x[j][k-1], with columns
// x[j] of one number a trial, none for a parameter that does not differ. The coefficients stand in its place among the parameters of the sum.
type Columner interface {
	SumColumns(t Trials, x [][][]float64) (Sum, error)
	// TakenOnce reports whether sums over trials do not grow with their number, for so many columns of each parameter.
	TakenOnce(columns []int) (bool, error)
}

// Drawn is a kernel of response times and choices that is quick for trials with parameters of their own: it sets dst[i] to log p(rt[i],
// choice[i] | theta[i]), rt in seconds; -Inf outside the support. Neighbours with equal parameters share work.
type Drawn interface {
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
}

// Map gives a kernel its parameters, as functions of the parameters of a model and of trials: arguments of calls, states, calibrations.
type Map interface {
	// Out is the number of the kernel's parameters.
	Out() int
	// Depends says of which of the model's parameters number k of the kernel depends, a bit each, and whether it differs from trial to trial
	// though parameters are shared, because it depends on columns or states.
	Depends(k int) (params uint64, varies bool)
	// Stateful reports whether trials depend on those before them.
	Stateful() bool
	// Bind gives trials to the map. What it returns makes the memory of evaluations.
	Bind(Trials) (func() Mapping, error)
}

// Mapping is a map on bound trials, with the memory of one evaluation: one goroutine uses it at a time.
type Mapping interface {
	// Forward returns the kernel's parameters at the model's: one number each for all trials, or one a trial, as [Rows] takes them.
	Forward(theta [][]float64) (out [][]float64)
	// Back adds to grad the derivatives in the model's parameters at those of the last Forward, where bars are the derivatives in the kernel's
	// parameters. grad[j] has one number, the sum over trials, or one a trial; so has bars[k].
	Back(bars, grad [][]float64)
}
