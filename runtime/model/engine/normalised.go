package engine

import (
	"context"
	"errors"
	"math"
	"sync"

	"likc/compiler"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/isa"
	"likc/runtime/sys/store"
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
	logsOf := rowsOf(parts.Log)
	logs, err := logsOf(parts.Columns, parts.Choice)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	n := &normalised{model: m.Model, parts: parts, bare: bare, integral: integral, logs: logs}
	if n.shared, err = n.logZ(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.bind, b.rows = n.bind, n.rows
	if parts.Mixed == nil && m.Binding == nil {
		b.own = newOwnPoints(parts, logsOf)
		b.regressions = &regressions{model: catalog.OfExpression(parts.Bare), engine: e, opened: map[string]*Binder{}, z: n.logZ}
	}
	return b, nil
}

// normalised is a normalised model whose parts are open.
type normalised struct {
	model          *expr.Model
	parts          *normal.Parts
	bare, integral *Binder
	logs           kernel.Rows // the logs of the integral's terms
	shared         *logZ       // of all rows
}

// logZ returns log Z for one likelihood alone, which may choose its instructions.
func (n *normalised) logZ() (*logZ, error) { return newLogZ(n.parts, n.integral, n.logs) }

func (n *normalised) bind(columns [][]float64, choice []float64) (kernel.Sum, error) {
	f, err := n.bare.Bind(columns, choice)
	if err != nil {
		return nil, err
	}
	z, err := n.logZ()
	if err != nil {
		return nil, err
	}
	return compose(n.model, newNormalised(f, z, len(columns[0]), n.parts.Mixed != nil)), nil
}

func (n *normalised) rows(columns [][]float64, choice []float64) (kernel.Rows, error) {
	f, err := n.bare.Rows(columns, choice)
	if err != nil {
		return nil, err
	}
	return composeRows(n.model, newNormalisedRows(f, n.shared, n.parts.Mixed != nil)), nil
}

// openParts opens two models for an engine. Where that builds packages, one build makes both.
func openParts(ctx context.Context, first, second *catalog.Model, e Engine) (one, two *Binder, err error) {
	var slow error
	if e == Auto || e == Go || e == Bound {
		set, err := buildSet(ctx, part{first, compiler.Options{}}, part{second, compiler.Options{Apart: true}})
		if err == nil {
			return &Binder{bind: fromSet(set, first.Name, e == Bound), rows: rowsOf(first.Model), set: set},
				&Binder{bind: fromSet(set, second.Name, e == Bound)}, nil
		}
		if ctx.Err() != nil || e != Auto || errors.Is(err, store.ErrUntrusted) {
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

// newNormalised returns the log-likelihood of a normalised density. f is the sum of log densities over trials before they are
// normalised; or, for a density mixed with lapses, the sum as a function of the parameters and of log Z.
func newNormalised(f kernel.Sum, z *logZ, trials int, isMixed bool) kernel.Sum {
	if isMixed {
		return newMixed(f, z)
	}
	if trials == 0 {
		return f
	}
	return newDifference(f, &repeated{z, float64(trials)})
}

// total is Σ log Z over trials.
type total interface {
	kernel.Sum
	use(isa.Level)
}

// repeated is Σ log Z over n trials with the same parameters.
type repeated struct {
	*logZ
	n float64
}

// Dim is the number of parameters.
func (r *repeated) Dim() int { return r.dim }

// LogLik is n log Z.
func (r *repeated) LogLik(theta []float64) float64 { return r.n * r.at(theta, nil) }

// LogLikGrad is n log Z; it overwrites grad with the gradient.
func (r *repeated) LogLikGrad(theta, grad []float64) float64 {
	value := r.n * r.at(theta, grad)
	for j := range grad {
		grad[j] *= r.n
	}
	return value
}

// difference is Σ f - Σ log Z.
type difference struct {
	f      kernel.Sum
	z      total
	spaces sync.Pool // of *[]float64: the gradient of Σ log Z
}

func newDifference(f kernel.Sum, z total) *difference {
	l := &difference{f: f, z: z}
	l.spaces.New = func() any { x := make([]float64, z.Dim()); return &x }
	return l
}

// Dim is the number of parameters.
func (l *difference) Dim() int { return l.z.Dim() }

// UseTables has the sum over trials served from tables, whatever their number.
func (l *difference) UseTables(on bool) {
	if t, ok := l.f.(interface{ UseTables(on bool) }); ok {
		t.UseTables(on)
	}
}

// Use has both parts use an instruction set, and returns the one that the sum over trials uses.
func (l *difference) Use(level isa.Level) isa.Level {
	l.z.use(level)
	return load.Use(l.f, level)
}

// EachTrial reports whether the integral is found for each trial.
func (l *difference) EachTrial() bool {
	_, is := l.z.(*scattered)
	return is
}

// LogLik is the log-likelihood.
func (l *difference) LogLik(theta []float64) float64 {
	value := l.f.LogLik(theta)
	if math.IsInf(value, -1) || math.IsNaN(value) {
		return value
	}
	return value - l.z.LogLik(theta)
}

// LogLikGrad is the log-likelihood; it overwrites grad with the gradient, zero where the value is -Inf.
func (l *difference) LogLikGrad(theta, grad []float64) float64 {
	value := l.f.LogLikGrad(theta, grad)
	if math.IsInf(value, -1) || math.IsNaN(value) {
		return value
	}
	slopes := l.spaces.Get().(*[]float64)
	defer l.spaces.Put(slopes)
	value -= l.z.LogLikGrad(theta, *slopes)
	if math.IsInf(value, -1) {
		clear(grad)
		return value
	}
	for j, slope := range *slopes {
		grad[j] -= slope
	}
	return value
}
