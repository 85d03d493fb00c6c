package compiler

import (
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
)

// sample is generated trials inside the support at theta.
type sample struct {
	theta   []float64
	columns [][]float64
	choice  []float64
}

const (
	sampleTrials = 64
	sampleTries  = 4000 // draws of a trial before a theta is given up
)

// samples draws n sets of trials, each at a theta uniform on the declared ranges, the trials at both boundaries inside the
// support. Models whose support leaves no room give fewer.
func samples(m *expr.Model, n int) []sample {
	rng := rand.New(rand.NewPCG(1, uint64(len(m.Params))))
	var list []sample
	for try := 0; len(list) < n && try < 4*n; try++ {
		if s, ok := draw(m, rng); ok {
			list = append(list, s)
		}
	}
	return list
}

func draw(m *expr.Model, rng *rand.Rand) (sample, bool) {
	s := sample{columns: make([][]float64, len(m.Trials))}
	for _, p := range m.Params {
		s.theta = append(s.theta, p.Lower+(p.Upper-p.Lower)*rng.Float64())
	}
	groups := m.Groups()
	tests := make([]func(trial, theta []float64) bool, len(groups))
	for i, g := range groups {
		tests[i] = supportTest(m, g)
	}
	for try := 0; try < sampleTries && len(s.choice) < sampleTrials; try++ {
		g := groups[try%len(groups)]
		trial := drawTrial(m.Trials, rng)
		if !tests[try%len(groups)](trial, s.theta) {
			continue
		}
		for i, x := range trial {
			s.columns[i] = append(s.columns[i], x)
		}
		s.choice = append(s.choice, g.Choice)
	}
	full := len(s.choice) == sampleTrials
	if m.Choice == "" {
		s.choice = nil
	}
	return s, full
}

// drawTrial draws response times from 0.2 s on with a long tail, and standard normal covariates.
func drawTrial(columns []string, rng *rand.Rand) []float64 {
	trial := make([]float64, len(columns))
	for i, name := range columns {
		if name == "rt" || len(columns) == 1 {
			trial[i] = 0.2 + math.Exp(0.8*rng.NormFloat64()-0.3)
		} else {
			trial[i] = rng.NormFloat64()
		}
	}
	return trial
}

// supportTest returns whether every support condition of g holds at a trial and theta.
func supportTest(m *expr.Model, g expr.Group) func(trial, theta []float64) bool {
	var roots []*expr.Expr
	for _, c := range g.Support {
		roots = append(roots, c.Left, c.Right)
	}
	tape := expr.NewTape(symbols(m), roots...)
	return func(trial, theta []float64) bool {
		v, _ := tape.Eval(nil, append(append([]float64{}, trial...), theta...))
		for i := 0; i < len(v); i += 2 {
			if !(v[i] < v[i+1]) {
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
