package compiler

import (
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
)

// sample is a parameter vector theta with generated trials that are inside the support at theta.
type sample struct {
	theta   []float64
	columns [][]float64
	choice  []float64
}

const (
	sampleTrials = 64
	sampleTries  = 4000 // the number of draws of a trial before another theta is tried
)

// samples draws n sets of trials at parameters from the whole of the declared ranges and from their ends. Trials with any
// choice are inside the support. In every second set the trials are resampled by the model's density, so that most lie where it
// is high. There are fewer than n sets if trials inside the support are hard to find.
func samples(trees *TreeBinder, n int) []sample {
	rng := rand.New(rand.NewPCG(1, uint64(len(trees.model.Params))))
	inside := trees.supportTests()
	var list []sample
	for try := 0; len(list) < n && try < 4*n; try++ {
		s, ok := draw(trees, inside, rng, sampleTrials<<(try%2*5))
		if ok && try%2 == 1 {
			s = resample(trees, s, rng)
		}
		if ok {
			list = append(list, s)
		}
	}
	return list
}

// draw draws a theta and n trials. inside holds the support test of each group. It returns false if it found too few trials.
func draw(trees *TreeBinder, inside []func(trial, theta []float64) bool, rng *rand.Rand, n int) (sample, bool) {
	m, groups := trees.model, trees.groups
	s := sample{columns: make([][]float64, len(m.Trials))}
	for _, p := range m.Params {
		u := math.Max(0, math.Min(1, 1.5*rng.Float64()-0.25)) // one sixth of the draws at each end of the range
		s.theta = append(s.theta, p.Lower+(p.Upper-p.Lower)*u)
	}
	for try := 0; try < sampleTries && len(s.choice) < n; try++ {
		g := groups[try%len(groups)]
		trial := drawTrial(m.Trials, m.IsPositive, rng)
		if !inside[try%len(groups)](trial, s.theta) {
			continue
		}
		for i, x := range trial {
			s.columns[i] = append(s.columns[i], x)
		}
		s.choice = append(s.choice, g.Choice)
	}
	enough := len(s.choice) >= sampleTrials
	if m.Choice == "" {
		s.choice = nil
	}
	return s, enough
}

// resample draws trials from those of s with probabilities proportional to the model's density. It returns s if these are
// undefined.
func resample(trees *TreeBinder, s sample, rng *rand.Rand) sample {
	tree, err := trees.Bind(s.columns, s.choice)
	if err != nil {
		return s
	}
	density, top := make([]float64, tree.N()), math.Inf(-1)
	for i := range density {
		density[i] = tree.Trial(i, s.theta)
		top = math.Max(top, density[i])
	}
	total := 0.0
	for i, d := range density {
		density[i] = math.Exp(d - top)
		total += density[i]
	}
	if !(total > 0) {
		return s
	}
	out := sample{theta: s.theta, columns: make([][]float64, len(s.columns))}
	for range sampleTrials {
		i, u := 0, rng.Float64()*total
		for ; i < len(density)-1 && u >= density[i]; i++ {
			u -= density[i]
		}
		for j, c := range s.columns {
			out.columns[j] = append(out.columns[j], c[i])
		}
		if s.choice != nil {
			out.choice = append(out.choice, s.choice[i])
		}
	}
	return out
}

// drawTrial draws one value for each column. A positive column, or the only column, gets a response time from 0.2 s on, with a
// long tail. Other columns get standard normal numbers.
func drawTrial(columns []string, positive func(name string) bool, rng *rand.Rand) []float64 {
	trial := make([]float64, len(columns))
	for i, name := range columns {
		if positive(name) || len(columns) == 1 {
			trial[i] = 0.2 + math.Exp(0.8*rng.NormFloat64()-0.3)
		} else {
			trial[i] = rng.NormFloat64()
		}
	}
	return trial
}

// supportTests returns the support test of each group. They are not safe for concurrent use.
func (b *TreeBinder) supportTests() []func(trial, theta []float64) bool {
	tests := make([]func(trial, theta []float64) bool, len(b.groups))
	for i, g := range b.groups {
		tests[i] = supportTest(b.model, g)
	}
	return tests
}

// supportTest returns a function that reports whether every support condition of g holds at a trial and theta. It is not safe
// for concurrent use.
func supportTest(m *expr.Model, g expr.Group) func(trial, theta []float64) bool {
	var roots []*expr.Expr
	for _, c := range g.Support {
		roots = append(roots, c.Left, c.Right)
	}
	tape := expr.NewTape(symbols(m), roots...)
	var values, sides []float64
	return func(trial, theta []float64) bool {
		values = append(append(values[:0], trial...), theta...)
		sides, _ = tape.Eval(sides[:0], values)
		for i := 0; i < len(sides); i += 2 {
			if !(sides[i] < sides[i+1]) {
				return false
			}
		}
		return true
	}
}

// symbols lists a model's symbols: trial columns, then parameters.
func symbols(m *expr.Model) []string {
	return append(append([]string{}, m.Trials...), m.ParamNames()...)
}
