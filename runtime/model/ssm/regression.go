package ssm

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/kernel"
)

// Regression is the exact log-likelihood of the drift-diffusion model on a bound dataset in which the drift of each trial is
// a linear combination of coefficients c. Its parameters are the coefficients and then a, z, t.
//
// The drift v enters the log density separately from the other parameters: with D = 2a(1-z) at the upper boundary and -2az at
// the lower one,
//
//	log f = v·D - v²τ/2 + g(τ, a, z),
//
// So the sums over trials that the coefficients need are computed once, when trials are bound. g, which needs the series, is
// the log density at drift 0, and is evaluated once for trials with the same rt and choice. An evaluation does not allocate,
// and any number of goroutines may evaluate at the same time.
type Regression struct {
	columns      int
	upper, lower []float64 // for each coefficient, the sum over the trials of one choice of the value x that multiplies it
	products     []product
	distinct     []repeated // the distinct trials, for which g is evaluated
	first        float64    // the smallest rt
	trials       int
}

// product is an entry of the symmetric matrices Σ x xᵀ and Σ rt x xᵀ, at i ≤ j. Entries that are 0 are omitted.
type product struct {
	i, j        int
	plain, byRT float64 // the entries of Σ x xᵀ and Σ rt x xᵀ, times 2 if i < j
}

// repeated is a set of distinct trials, each of which represents `times` equal ones.
type repeated struct {
	times float64
	*Exact
}

// NewRegression binds trials as [NewExact] does, with the linear combinations that are their drifts.
func NewRegression(rt, choice []float64, drifts *kernel.Combinations) (*Regression, error) {
	if _, err := NewExact(rt, choice); err != nil {
		return nil, err
	}
	if drifts.Rows() != len(rt) {
		return nil, fmt.Errorf("bind trials: %d response times but %d drifts", len(rt), drifts.Rows())
	}
	n := drifts.Columns
	r := &Regression{columns: n, trials: len(rt), first: math.MaxFloat64, upper: make([]float64, n), lower: make([]float64, n)}
	where := map[[2]int]int{}
	for i, t := range rt {
		columns, values := drifts.Row(i)
		r.addTrial(t, choice[i], columns, values, where)
	}
	var err error
	r.distinct, err = repeatedTrials(rt, choice)
	return r, err
}

// addTrial adds a trial to the sums; where[{i, j}] is the index of a product in the list of products.
func (r *Regression) addTrial(rt, choice float64, columns []int, values []float64, where map[[2]int]int) {
	r.first = min(r.first, rt)
	for k, x := range values {
		sums := r.upper
		if choice < 0 {
			sums = r.lower
		}
		sums[columns[k]] += x
		for l, y := range values[:k+1] {
			at := [2]int{min(columns[k], columns[l]), max(columns[k], columns[l])}
			p, known := where[at]
			if !known {
				p = len(r.products)
				where[at], r.products = p, append(r.products, product{i: at[0], j: at[1]})
			}
			times := 2.0
			if k == l {
				times = 1
			}
			r.products[p].plain += times * x * y
			r.products[p].byRT += times * x * y * rt
		}
	}
}

// repeatedTrials divides the distinct trials into sets, one for each binary digit of their numbers of repetitions, so that sums over
// a set need no weights.
func repeatedTrials(rt, choice []float64) ([]repeated, error) {
	type trial struct{ rt, choice float64 }
	count := map[trial]int{}
	var distinct []trial
	for i := range rt {
		t := trial{rt[i], choice[i]}
		if count[t]++; count[t] == 1 {
			distinct = append(distinct, t)
		}
	}
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	var all []repeated
	for times := 1; times <= most; times *= 2 {
		var rts, choices []float64
		for _, t := range distinct {
			if count[t]&times != 0 {
				rts, choices = append(rts, t.rt), append(choices, t.choice)
			}
		}
		if rts == nil {
			continue
		}
		e, err := NewExact(rts, choices)
		if err != nil {
			return nil, err
		}
		all = append(all, repeated{float64(times), e})
	}
	return slices.Clip(all), nil
}

// Dim returns the number of coefficients plus 3.
func (r *Regression) Dim() int { return r.columns + 3 }

// N returns the number of trials.
func (r *Regression) N() int { return r.trials }

// Evaluated returns the number of series of an evaluation. Trials with the same rt and choice share one for each 1 among the binary
// digits of their number.
func (r *Regression) Evaluated() int {
	n := 0
	for _, s := range r.distinct {
		n += s.N()
	}
	return n
}

// LogLik returns the log density summed over trials at theta = (c, a, z, t): -Inf outside the support of any trial.
func (r *Regression) LogLik(theta []float64) float64 { return r.evaluate(theta, nil) }

// LogLikGrad returns the same as LogLik, and writes its gradient to grad, which is zero where the value is -Inf or NaN.
func (r *Regression) LogLikGrad(theta, grad []float64) float64 {
	clear(grad)
	return r.evaluate(theta, grad)
}

// evaluate adds the gradient to grad unless it is nil.
func (r *Regression) evaluate(theta, grad []float64) float64 {
	c, a, z, t := theta[:r.columns], theta[r.columns], theta[r.columns+1], theta[r.columns+2]
	at := [4]float64{0, a, z, t}
	upper, lower := 0.0, 0.0 // Σ v over the trials of a choice
	for k, x := range c {
		upper += x * r.upper[k]
		lower += x * r.lower[k]
	}
	if math.IsNaN(upper+lower) || math.IsInf(upper+lower, 0) {
		at[0] = upper + lower
	}
	if outside := logOutside(at[:], r.first); outside != 0 {
		return outside
	}
	total, gradG := 0.0, [4]float64{}
	for _, s := range r.distinct {
		var g [4]float64
		if grad == nil {
			total += s.times * s.Exact.LogLik(at[:])
			continue
		}
		total += s.times * s.Exact.LogLikGrad(at[:], g[:])
		for k, v := range g {
			gradG[k] += s.times * v
		}
	}
	toUpper, toLower := 2*a*(1-z), -2*a*z
	squares, timed := r.quadratic(c, grad, t)
	if grad != nil {
		for k := range c {
			grad[k] += toUpper*r.upper[k] + toLower*r.lower[k]
		}
		grad[r.columns] = gradG[1] + 2*(1-z)*upper - 2*z*lower
		grad[r.columns+1] = gradG[2] - 2*a*(upper+lower)
		grad[r.columns+2] = gradG[3] + squares/2
	}
	return total + toUpper*upper + toLower*lower - (timed-t*squares)/2
}

// quadratic returns Σ v² and Σ v² rt, and adds to grad the gradient of -Σ v²(rt-t)/2 in the coefficients c.
func (r *Regression) quadratic(c, grad []float64, t float64) (squares, timed float64) {
	for _, p := range r.products {
		x, y := c[p.i], c[p.j]
		squares += p.plain * x * y
		timed += p.byRT * x * y
		if grad != nil {
			half := (p.byRT - t*p.plain) / 2
			grad[p.i] -= half * y
			grad[p.j] -= half * x
		}
	}
	return squares, timed
}
