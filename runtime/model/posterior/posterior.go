// Package posterior combines a likelihood, priors and ranges into a posterior density. For samplers the density is over all of
// R^n; for modes it is over the parameters themselves.
//
// A log density is the log-likelihood plus the log priors and, over R^n, the log Jacobians of the transforms. Priors are normalised
// over their own support, not over a range that truncates them, so the density is the posterior's up to a constant factor.
package posterior

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/num/chains"
	"likc/runtime/num/elementary"
)

// Parameter is one coordinate of the likelihood: its name, its range, whose ends may be infinite, and its prior.
type Parameter struct {
	Name         string
	Lower, Upper float64
	Prior        Prior // the zero value is uniform over the range
}

// Posterior is a posterior density. It is safe for concurrent use; its targets are not.
type Posterior struct {
	Watch func(theta []float64, loglik float64) // called with each value of the likelihood, on the goroutine that evaluates it; nil for none

	lik        func(theta, grad []float64) float64 // the log-likelihood, which overwrites grad with its gradient
	params     []Parameter
	transforms []transform
	informed   []int        // indices of the parameters whose prior is not uniform over the range
	priorless  []*NoDensity // for each parameter, the error if its prior has no density
}

// New makes a posterior. It restricts every parameter's range to its prior's support. It returns an error if nothing remains of a range.
func New(lik kernel.Sum, params []Parameter) (*Posterior, error) {
	if lik.Dim() != len(params) {
		return nil, fmt.Errorf("posterior: %d parameters for a likelihood of %d", len(params), lik.Dim())
	}
	return Of(lik.LogLikGrad, params)
}

// Of makes a posterior from a log-likelihood given as a function, which overwrites grad with its gradient. The function has one
// argument for each parameter.
func Of(lik func(theta, grad []float64) float64, params []Parameter) (*Posterior, error) {
	p := &Posterior{lik: lik, params: slices.Clone(params)}
	for i := range p.params {
		param := &p.params[i]
		low, high := param.Prior.Support()
		t := newTransform(max(param.Lower, low), min(param.Upper, high))
		if !(t.low < t.high) {
			return nil, fmt.Errorf("posterior: parameter %s: nothing lies in its range [%v, %v] and in the support of %s",
				param.Name, param.Lower, param.Upper, param.Prior)
		}
		p.transforms = append(p.transforms, t)
		if param.Prior.family != nil {
			p.informed = append(p.informed, i)
		}
		p.priorless = append(p.priorless, noPrior(param))
	}
	return p, nil
}

// CapUpper lowers the upper end of a parameter's range to a bound that follows from the data; for example, the non-decision time cannot
// exceed the shortest response time. A range that ends below the bound is not changed.
func CapUpper(params []Parameter, name string, bound float64) error {
	i := slices.IndexFunc(params, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf("posterior: no parameter %s", name)
	}
	if !(bound > params[i].Lower) {
		return fmt.Errorf("posterior: parameter %s: the data bound it by %v, its range starts at %v", name, bound, params[i].Lower)
	}
	params[i].Upper = min(params[i].Upper, bound)
	return nil
}

// Dim returns the number of parameters.
func (p *Posterior) Dim() int { return len(p.params) }

// Names returns the names of the parameters, in order.
func (p *Posterior) Names() []string {
	names := make([]string, len(p.params))
	for i := range names {
		names[i] = p.params[i].Name
	}
	return names
}

// Bounds returns the bounds of parameter i: its range, restricted to its prior's support.
func (p *Posterior) Bounds(i int) (low, high float64) {
	return p.transforms[i].low, p.transforms[i].high
}

// Constrain maps the unconstrained position q to parameters theta, both of length Dim; they may be the same slice.
func (p *Posterior) Constrain(q, theta []float64) {
	for i := range p.transforms {
		theta[i] = p.transforms[i].place(q[i])
	}
}

// Unconstrain maps parameters theta, strictly within their bounds, to q.
func (p *Posterior) Unconstrain(theta, q []float64) error {
	for i, t := range p.transforms {
		v, err := t.unconstrain(theta[i])
		if err != nil {
			return fmt.Errorf("posterior: parameter %s: %w", p.params[i].Name, err)
		}
		q[i] = v
	}
	return nil
}

// Inside moves parameters at or beyond a bound to a point inside, as [Posterior.Unconstrain] requires: a millionth of the range from
// the bound, or a millionth if the range is infinite.
func (p *Posterior) Inside(theta []float64) {
	for i, t := range p.transforms {
		room := 1e-6
		if t.between {
			room *= t.high - t.low
		}
		switch x := theta[i]; {
		case x <= t.low:
			theta[i] = t.low + room
		case x >= t.high:
			theta[i] = t.high - room
		}
	}
}

// ConstrainDraws replaces unconstrained draws by draws of the named parameters.
func (p *Posterior) ConstrainDraws(d *chains.Draws) {
	d.Names = p.Names()
	for c := range d.Chains {
		for i, t := range p.transforms {
			for _, column := range [][]float64{d.Chains[c].Params[i], d.Chains[c].Warmup.Params[i]} {
				for k, q := range column {
					column[k] = t.place(q)
				}
			}
		}
	}
}

// LogDensityGrad returns the log posterior density over the parameters themselves, without Jacobian, and sets grad to its gradient.
// It is -Inf with a zero gradient outside the bounds.
func (p *Posterior) LogDensityGrad(theta, grad []float64) float64 {
	for i, t := range p.transforms {
		if !(theta[i] >= t.low && theta[i] <= t.high) {
			clear(grad)
			return math.Inf(-1)
		}
	}
	lp := p.lik(theta, grad)
	if p.Watch != nil {
		p.Watch(theta, lp)
	}
	for _, i := range p.informed {
		value, slope := p.params[i].Prior.LogDensity(theta[i])
		lp += value
		grad[i] += slope
	}
	return lp
}

// Target is the density over R^n. Each chain needs its own; see nuts.Target.
type Target struct {
	posterior *Posterior
	theta     []float64
	slopes    []float64 // dθ/dq
	tilts     []float64 // derivatives of the log Jacobian
}

// Target returns a new target.
func (p *Posterior) Target() *Target {
	n := p.Dim()
	return &Target{p, make([]float64, n), make([]float64, n), make([]float64, n)}
}

// Dim returns the number of coordinates.
func (t *Target) Dim() int { return len(t.theta) }

// LogDensityGrad returns the log density at q and overwrites grad. If the likelihood or a prior has no finite value or gradient, it
// returns a NoDensity error that says which of them.
func (t *Target) LogDensityGrad(q, grad []float64) (float64, error) {
	logJacobian := t.constrain(q)
	lp := t.posterior.LogDensityGrad(t.theta, grad)
	if math.IsInf(lp, 0) || math.IsNaN(lp) {
		return lp, t.posterior.blame(t.theta, lp)
	}
	finite := 0.0 // becomes NaN if a derivative is not finite
	for i, slope := range t.slopes {
		grad[i] = grad[i]*slope + t.tilts[i]
		finite += grad[i] * 0
	}
	if math.IsNaN(finite) {
		return lp, t.posterior.blame(t.theta, lp)
	}
	return lp + logJacobian, nil
}

// constrain writes parameters and derivatives and returns the log Jacobian.
func (t *Target) constrain(q []float64) (logJacobian float64) {
	product := 1.0
	for i := range t.posterior.transforms {
		x, slope, linear, factor, tilt := t.posterior.transforms[i].constrain(q[i])
		t.theta[i], t.slopes[i], t.tilts[i] = x, slope, tilt
		logJacobian += linear
		if product *= factor; product > 1e300 {
			logJacobian -= 2 * elementary.Log(product)
			product = 1
		}
	}
	return logJacobian - 2*elementary.Log(product)
}
