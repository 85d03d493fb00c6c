package bound

import (
	"context"
	"errors"
	"math"
	"sync"

	"likc/compiler"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/isa"
)

// prepareNormalised prepares both parts of a normalised model for an engine: its expression, which is bound to the trials, and its
// integral, which is bound to the points of a grid.
func prepareNormalised(ctx context.Context, m *catalog.Model, e Engine) (*Prepared, error) {
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
	n, err := newNormalised(parts, bare, integral)
	if err != nil {
		return nil, errors.Join(err, bare.Close(), integral.Close())
	}
	p := newPrepared(m, n, bare, integral)
	if m.Binding != nil {
		p.inner = newCalibration(m.Model)
	}
	if parts.Mixed != nil {
		p.kernel = mixed{n}
	} else if m.Binding == nil {
		p.own = newOwnPoints(parts)
	}
	return p, nil
}

// normalised is the kernel of an expression minus log Z, the log of its integral.
type normalised struct {
	*expression // its parameters are those of the kernel; if lapses are mixed with it, log Z follows as the last parameter
	parts       *normal.Parts
	integral    *expression // its sum is the integral over time and choices
	logs        kernel.Rows // logs of the integral's terms
	shared      *logZ       // log Z at parameters that all rows share
}

func newNormalised(parts *normal.Parts, bare, integral *expression) (n *normalised, err error) {
	n = &normalised{expression: bare, parts: parts, integral: integral}
	logs, err := programOf(parts.Log)()
	if err != nil {
		return nil, err
	}
	if n.logs, err = logs.bind(parts.Columns, parts.Choice); err != nil {
		return nil, err
	}
	n.shared, err = n.logZ()
	return n, err
}

// logZ returns log Z for use in one sum, which may choose its instruction set.
func (n *normalised) logZ() (*logZ, error) { return newLogZ(n.parts, n.integral, n.logs) }

// Sum binds trials to the expression, and counts how often log Z is subtracted.
func (n *normalised) Sum(t kernel.Trials) (kernel.Sum, error) {
	f, err := n.expression.Sum(t)
	if err != nil || t.N() == 0 {
		return f, err
	}
	z, err := n.logZ()
	if err != nil {
		return nil, err
	}
	return newNormalisedSum(f, &repeated{z, float64(t.N())}), nil
}

// SumColumns binds trials to the expression with columns; then the integral differs between trials.
func (n *normalised) SumColumns(t kernel.Trials, x [][][]float64) (kernel.Sum, error) {
	f, err := n.expression.SumColumns(t, x)
	if err != nil {
		return nil, err
	}
	z, err := n.logZ()
	if err != nil {
		return nil, err
	}
	return newNormalisedSum(f, totalOf(z, t.N(), x)), nil
}

// Rows binds trials to the expression row by row.
func (n *normalised) Rows(t kernel.Trials) (kernel.Rows, error) {
	f, err := n.expression.Rows(t)
	if err != nil {
		return nil, err
	}
	return newNormalisedRows(f, n.shared, false), nil
}

// mixed is the kernel of a normalised expression that is mixed with lapses, which are responses unrelated to the task. Lapses are
// compiled into the expression, and log Z is its last parameter.
type mixed struct{ of *normalised }

// Dim returns the number of parameters.
func (m mixed) Dim() int { return m.of.shared.dim }

// Sum binds trials to the expression.
func (m mixed) Sum(t kernel.Trials) (kernel.Sum, error) {
	f, err := m.of.expression.Sum(t)
	if err != nil {
		return nil, err
	}
	z, err := m.of.logZ()
	if err != nil {
		return nil, err
	}
	s := newNormalisedSum(f, &repeated{z, 1})
	s.mixed, s.dim = true, z.dim
	return s, nil
}

// Rows binds trials to the expression row by row.
func (m mixed) Rows(t kernel.Trials) (kernel.Rows, error) {
	f, err := m.of.expression.Rows(t)
	if err != nil {
		return nil, err
	}
	return newNormalisedRows(f, m.of.shared, true), nil
}

// openParts opens two models for an engine. If packages are built, one build makes both.
func openParts(ctx context.Context, first, second *catalog.Model, e Engine) (one, two *expression, err error) {
	if e == Auto || e == Go || e == Tabled {
		both, err := buildExpressions(ctx, e, newPart(first, compiler.Options{}), newPart(second, compiler.Options{SplitGradient: true}))
		if err != nil {
			return nil, nil, err
		}
		return both[0], both[1], nil
	}
	if one, err = newExpression(ctx, first, e); err != nil {
		return nil, nil, err
	}
	if two, err = newExpression(ctx, second, e); err != nil {
		return nil, nil, errors.Join(err, one.Close())
	}
	return one, two, nil
}

// total is Σ log Z over trials, as a function of coefficients c.
type total interface {
	// sum returns the value and, unless grad is nil, overwrites grad with its gradient.
	sum(c, grad []float64) float64
	// count returns the number of coefficients.
	count() int
	// use makes the sum use an instruction set of the processor.
	use(isa.Level)
}

// repeated is Σ log Z over n trials with the same parameters.
type repeated struct {
	*logZ
	n float64
}

func (r *repeated) count() int { return r.dim }

func (r *repeated) sum(theta, grad []float64) float64 {
	value := r.n * r.at(theta, grad)
	for j := range grad {
		grad[j] *= r.n
	}
	return value
}

// SubtractLogZ returns the normalised log-likelihood f - n log Z of n trials, where z computes Z.
func SubtractLogZ(f, z kernel.Sum, n int) kernel.Sum {
	return newNormalisedSum(f, &integrated{z, float64(n)})
}

// integrated is n log Z, where Z is the value of the embedded sum.
type integrated struct {
	kernel.Sum
	n float64
}

func (i *integrated) count() int { return i.Dim() }

func (i *integrated) sum(theta, grad []float64) float64 {
	if grad == nil {
		return i.n * math.Log(i.LogLik(theta))
	}
	z := i.LogLikGrad(theta, grad)
	for j := range grad {
		grad[j] *= i.n / z
	}
	return i.n * math.Log(z)
}

func (i *integrated) use(level isa.Level) { load.Use(i.Sum, level) }

// normalisedSum is Σ f - Σ log Z. If lapses are mixed in, it is f as a function of the parameters and of log Z, the last argument of f.
type normalisedSum struct {
	f      kernel.Sum // the sum of log densities that are not normalised
	z      total      // Σ log Z
	mixed  bool       // whether lapses are mixed in
	dim    int        // number of parameters
	spaces sync.Pool  // memory of evaluations: *sumSpace
}

// sumSpace is the working memory of an evaluation: the arguments of f, its gradient, and the gradient of Σ log Z.
type sumSpace struct{ theta, grad, slopes []float64 }

func newNormalisedSum(f kernel.Sum, z total) *normalisedSum {
	l := &normalisedSum{f: f, z: z, dim: z.count()}
	l.spaces.New = func() any {
		return &sumSpace{make([]float64, f.Dim()), make([]float64, f.Dim()), make([]float64, z.count())}
	}
	return l
}

// Dim returns the number of parameters.
func (l *normalisedSum) Dim() int { return l.dim }

// UseTables makes the sum over trials come from tables, for any number of trials.
func (l *normalisedSum) UseTables(on bool) {
	if t, ok := l.f.(interface{ UseTables(on bool) }); ok {
		t.UseTables(on)
	}
}

// Use makes both parts use an instruction set, and returns the one that the sum over trials uses.
func (l *normalisedSum) Use(level isa.Level) isa.Level {
	l.z.use(level)
	return load.Use(l.f, level)
}

// EachTrial reports whether the integral is computed for each trial.
func (l *normalisedSum) EachTrial() bool {
	_, is := l.z.(*scattered)
	return is
}

// LogLik returns the log-likelihood.
func (l *normalisedSum) LogLik(theta []float64) float64 {
	if l.mixed {
		return l.withLogZ(theta, nil)
	}
	value := l.f.LogLik(theta)
	if value-value != 0 {
		return value
	}
	return value - l.z.sum(theta, nil)
}

// LogLikGrad returns the log-likelihood and overwrites grad with the gradient, which is zero where the value is -Inf.
func (l *normalisedSum) LogLikGrad(theta, grad []float64) float64 {
	if l.mixed {
		return l.withLogZ(theta, grad)
	}
	value := l.f.LogLikGrad(theta, grad)
	if value-value != 0 {
		return value
	}
	s := l.spaces.Get().(*sumSpace)
	defer l.spaces.Put(s)
	value -= l.z.sum(theta, s.slopes)
	if math.IsInf(value, -1) {
		clear(grad)
		return value
	}
	for j, slope := range s.slopes {
		grad[j] -= slope
	}
	return value
}

// withLogZ evaluates f at the parameters and log Z.
func (l *normalisedSum) withLogZ(theta, grad []float64) float64 {
	s := l.spaces.Get().(*sumSpace)
	defer l.spaces.Put(s)
	copy(s.theta, theta)
	if grad == nil {
		s.theta[l.dim] = l.z.sum(theta, nil)
		return l.f.LogLik(s.theta)
	}
	s.theta[l.dim] = l.z.sum(theta, s.slopes)
	value := l.f.LogLikGrad(s.theta, s.grad)
	if math.IsInf(value, -1) {
		clear(grad)
		return value
	}
	for j := range grad {
		grad[j] = s.grad[j] + s.grad[l.dim]*s.slopes[j]
	}
	return value
}
