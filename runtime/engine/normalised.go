package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"likc/compiler/normal"
	"likc/runtime/catalog"
	"likc/runtime/isa"
	"likc/runtime/likelihood"
	"likc/runtime/load"
)

// openNormalised prepares both parts of a normalised model for an engine: its expression, bound to the trials, and its integral, bound to
// the points of a grid.
func openNormalised(ctx context.Context, m *catalog.Model, e Engine) (*Binder, error) {
	parts, err := normal.Of(m.Model)
	if err != nil {
		return nil, err
	}
	inner := parts.Bare
	if parts.Mixed != nil {
		inner = parts.Mixed
	}
	bare, integral, err := openParts(ctx, catalog.OfExpression(inner), catalog.OfExpression(parts.Integral), e)
	if err != nil {
		return nil, err
	}
	b := &Binder{Slow: bare.Slow, parts: []*Binder{bare, integral}}
	logs, err := rowsOf(parts.Log)(parts.Columns, parts.Choice)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	z, err := newLogZ(parts, integral, logs)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.bind = func(columns [][]float64, choice []float64) (likelihood.Likelihood, error) {
		f, err := bare.Bind(columns, choice)
		if err != nil {
			return nil, err
		}
		own, err := newLogZ(parts, integral, logs) // so that instructions are chosen for one likelihood alone
		if err != nil {
			return nil, err
		}
		return compose(m.Model, newNormalised(f, own, len(columns[0]), parts.Mixed != nil)), nil
	}
	b.rows = func(columns [][]float64, choice []float64) (likelihood.Rows, error) {
		f, err := bare.Rows(columns, choice)
		if err != nil {
			return nil, err
		}
		return composeRows(m.Model, newNormalisedRows(f, z, parts.Mixed != nil)), nil
	}
	return b, nil
}

// openParts opens two models for an engine. Where that builds packages, one build makes both.
func openParts(ctx context.Context, first, second *catalog.Model, e Engine) (one, two *Binder, err error) {
	var slow error
	if e == Auto || e == Go || e == Bound {
		set, err := buildSet(ctx, first, second)
		if err == nil {
			return &Binder{bind: fromSet(set, first.Name, e == Bound), rows: rowsOf(first.Model), set: set},
				&Binder{bind: fromSet(set, second.Name, e == Bound)}, nil
		}
		if ctx.Err() != nil || e != Auto {
			return nil, nil, err
		}
		slow, e = err, Ready
	}
	if one, err = OpenContext(ctx, first, e); err != nil {
		return nil, nil, err
	}
	if two, err = OpenContext(ctx, second, e); err != nil {
		return nil, nil, errors.Join(err, one.Close())
	}
	one.Slow = slow
	return one, two, nil
}

// logZ is the log of a density's integral over time and all choices, and its gradient. It is safe for concurrent use.
type logZ struct {
	integral likelihood.Likelihood // its value is the integral over exp(shift); the shift is its last parameter
	logs     likelihood.Rows       // the logs of the integral's terms
	typical  float64               // what the integral was divided by, in logs
	dim      int
	spaces   sync.Pool // of *zSpace
}

// zSpace is the memory of an evaluation: parameters and a gradient.
type zSpace struct{ theta, grad []float64 }

func newLogZ(p *normal.Parts, integral *Binder, logs likelihood.Rows) (*logZ, error) {
	z := &logZ{dim: len(p.Bare.Params), typical: p.Typical, logs: logs}
	z.spaces.New = func() any { return &zSpace{make([]float64, z.dim+1), make([]float64, z.dim+1)} }
	var err error
	z.integral, err = integral.Bind(p.Columns, p.Choice)
	return z, err
}

// Sums within these bounds have all their digits: no term overflowed, and those that became 0 do not matter.
const leastSum, mostSum = 1e-250, 1e250

// at returns log Z and, unless grad is nil, overwrites grad with its gradient. Terms that exp would take out of range are shifted first.
func (z *logZ) at(theta, grad []float64) float64 {
	s := z.spaces.Get().(*zSpace)
	defer z.spaces.Put(s)
	copy(s.theta, theta)
	s.theta[z.dim] = 0
	sum := z.sum(s, grad)
	if !(sum > leastSum && sum < mostSum) {
		s.theta[z.dim] = z.largest(s.theta)
		sum = z.sum(s, grad)
	}
	for j := range grad {
		grad[j] = s.grad[j] / sum
	}
	return math.Log(sum) + z.typical + s.theta[z.dim]
}

func (z *logZ) sum(s *zSpace, grad []float64) float64 {
	if grad == nil {
		return z.integral.LogLik(s.theta)
	}
	return z.integral.LogLikGrad(s.theta, s.grad)
}

// largest is the log of the integral's largest term; 0 if none is finite.
func (z *logZ) largest(theta []float64) float64 {
	terms := make([]float64, z.logs.N())
	z.logs.Each(likelihood.Fixed(theta), terms, nil)
	if most := slices.Max(terms); !math.IsInf(most, 0) && !math.IsNaN(most) {
		return most
	}
	return 0
}

// newNormalised is the log-likelihood of a density of which f is the sum before it is normalised; or, mixed with lapses, the sum as a
// function of log Z too.
func newNormalised(f likelihood.Likelihood, z *logZ, trials int, isMixed bool) likelihood.Likelihood {
	if isMixed {
		return newMixed(f, z)
	}
	l := &normalised{f: f, z: z, n: float64(trials)}
	l.spaces.New = func() any { x := make([]float64, z.dim); return &x }
	return l
}

// normalised is Σ f - n log Z.
type normalised struct {
	f      likelihood.Likelihood
	z      *logZ
	n      float64
	spaces sync.Pool // of *[]float64: the gradient of log Z
}

// Dim is the number of parameters.
func (l *normalised) Dim() int { return l.z.dim }

// UseTables has the sum over trials served from tables, whatever their number.
func (l *normalised) UseTables(on bool) {
	if t, ok := l.f.(interface{ UseTables(on bool) }); ok {
		t.UseTables(on)
	}
}

// Use has both parts use an instruction set, and returns the one that the sum over trials uses.
func (l *normalised) Use(level isa.Level) isa.Level {
	load.Use(l.z.integral, level)
	return load.Use(l.f, level)
}

// LogLik is the log-likelihood.
func (l *normalised) LogLik(theta []float64) float64 {
	value := l.f.LogLik(theta)
	if math.IsInf(value, -1) || math.IsNaN(value) || l.n == 0 {
		return value
	}
	return value - l.n*l.z.at(theta, nil)
}

// LogLikGrad is the log-likelihood; it overwrites grad with the gradient, zero where the value is -Inf.
func (l *normalised) LogLikGrad(theta, grad []float64) float64 {
	value := l.f.LogLikGrad(theta, grad)
	if math.IsInf(value, -1) || math.IsNaN(value) || l.n == 0 {
		return value
	}
	slopes := l.spaces.Get().(*[]float64)
	defer l.spaces.Put(slopes)
	value -= l.n * l.z.at(theta, *slopes)
	if math.IsInf(value, -1) {
		clear(grad)
		return value
	}
	for j, slope := range *slopes {
		grad[j] -= l.n * slope
	}
	return value
}

// normalisedRows are rows of a density before it is normalised, each less log Z at its own parameters.
type normalisedRows struct {
	likelihood.Rows
	z      *logZ
	spaces sync.Pool // of *zSpace: a row's parameters and the gradient of log Z
}

// Each computes log Z once where parameters are shared, and for every row whose parameters differ from those of the row before.
func (r *normalisedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	r.Rows.Each(theta, logp, grad)
	s := r.spaces.Get().(*zSpace)
	defer r.spaces.Put(s)
	at, slopes := s.theta, s.grad
	if grad == nil {
		slopes = nil
	}
	value := math.NaN()
	for i := range logp {
		changed := i == 0
		for j, param := range theta {
			x := likelihood.At(param, i)
			changed, at[j] = changed || x != at[j], x
		}
		if changed {
			value = r.z.at(at, slopes)
		}
		if math.IsInf(logp[i], -1) {
			continue
		}
		logp[i] -= value
		for j, g := range grad {
			switch {
			case g == nil:
			case logp[i]-logp[i] != 0:
				g[i] = 0
			default:
				g[i] -= slopes[j]
			}
		}
	}
}
