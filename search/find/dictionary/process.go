package dictionary

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/compiler/diff"
	"likc/compiler/expr"
)

// process holds quantities of a process with two boundaries and a drift that is linear in the evidence x, with leak g. In the
// coordinate x exp(gτ) minus the integrated drift, it is a Brownian motion in the time s, between boundaries c ± h with middle
// c and half distance h [anderson1960]. All quantities are functions of the time τ since the onset. Noise is σ.
//
// The quantities y, near, mean, γ and products with an odd power of γ are seen from the boundary that was reached: they contain the factor
// side. Middles and the start do not.
//
// Reference: [anderson1960] T. W. Anderson, A modification of the sequential probability ratio test to reduce the sample size, Annals of
// Mathematical Statistics 31, 1960.
type process struct {
	header    *expr.Model // a model without a log density: parameters, ranges, support and process
	probe     *probe      // evaluates expressions at random parameters, to see what holds everywhere
	integrals accuracy    // how accurate integrals must be
	side      *expr.Expr  // +1 or -1 for the boundary reached; always 1 if the header has a reflection, which replaces parameters for the lower boundary

	tau                          *expr.Expr
	half, half0, middle          *expr.Expr   // half distance of the boundaries at the response, half distance at the onset, and middle at the response
	gamma, gamma0                *expr.Expr   // γ = (dc/dτ + g·c - drift)·h/σ², c and h without the growth exp(gτ); at the response and at the onset
	kappa, kappa0                *expr.Expr   // κ = (dh/dτ + g·h)·h/σ²; nil if it is not finite
	clock                        *expr.Expr   // u = ∫ σ²/h² dτ
	time                         *expr.Expr   // s
	rate                         *expr.Expr   // ds/dτ
	stretch                      *expr.Expr   // gτ; nil without leak
	gammaGamma, kappaKappa       *expr.Expr   // integrals of γ² and κ² over the clock
	gammaKappa                   *expr.Expr   // integral of γκ over the clock
	averages                     []*expr.Expr // averages of γ and κ with weights that decay from the response, or from the onset
	decay                        *expr.Expr   // integral over the clock of the rate at which probability leaves through the boundaries, minus the rate at κ = 0
	mid, mid0, wide              *expr.Expr   // middle and half distance in Brownian coordinates
	start, y, near               *expr.Expr   // the start: as evidence, relative to the boundaries from -1 to 1, and from 0 to 1
	spread                       *expr.Expr   // half width of the starts divided by the half distance; nil for a single start
	since, pastOnsets, allOnsets *expr.Expr   // time since the earliest onset; width of the range of onsets before the response, and of all onsets; nil for a single onset
	mean, sd                     *expr.Expr   // mean and standard deviation of a drift that varies between trials; nil if it does not vary
	shrink                       *expr.Expr   // 1 + sd²τ; nil without sd
	noise, drift                 *expr.Expr   // functions of expr.Tau: the noise, and the drift without its part that is linear in the evidence
	leak, upper, lower           *expr.Expr   // the leak g, and the boundaries as functions of expr.Tau
	atRate, atGamma, atKappa     *expr.Expr   // du/dτ, γ and κ as functions of expr.Tau
	bases                        []expr.Let   // the quantities that have a name, by which they are printed
}

// ErrProcess says that this package cannot derive atoms, the factors of terms, from a process.
var ErrProcess = errors.New("want evidence of one accumulator between two boundaries, with a drift that is linear in it, and a start that is a point or uniform")

// newProcess derives the quantities of the process that the header declares. sd is the standard deviation of the drift between
// trials; nil for a drift that does not vary. integrals says how accurate integrals must be.
func newProcess(header *expr.Model, sd *expr.Expr, integrals accuracy) (*process, error) {
	e := header.Evidence
	if e == nil || len(e.Accumulators) != 1 || e.Accumulators[0].Lower == nil || e.Accumulators[0].Reflect != nil || e.Onset.Kind == expr.NormalLaw {
		return nil, fmt.Errorf("model %s: %w", header.Name, ErrProcess)
	}
	a := &e.Accumulators[0]
	p := &process{header: header, probe: newProbe(header), side: expr.Num(1), integrals: integrals}
	if len(header.Lower) == 0 {
		p.side = expr.Var(header.Choice)
	}
	slope := diff.Gradient(a.Drift, []string{a.Evidence})[0]
	if s := expr.Symbols(slope); slices.Contains(s, a.Evidence) || slices.Contains(s, expr.Tau) {
		return nil, fmt.Errorf("model %s: %w", header.Name, ErrProcess)
	}
	p.leak = simple(expr.New(expr.Neg, slope))
	p.drift = simple(expr.Substitution(map[string]*expr.Expr{a.Evidence: expr.Num(0)}).Map(a.Drift))
	p.noise, p.upper, p.lower = a.Noise, a.Upper, a.Lower
	if sd != nil {
		if !p.leak.IsNum(0) || !p.noise.IsNum(1) || slices.Contains(expr.Symbols(p.drift), expr.Tau) {
			return nil, fmt.Errorf("model %s: %w", header.Name, ErrProcess)
		}
		p.mean, p.sd, p.drift = mul(p.side, p.drift), sd, expr.Num(0)
	}
	switch a.Start.Kind {
	case expr.PointLaw:
		p.start = a.Start.A
	case expr.UniformLaw:
		p.start = mul(expr.Num(0.5), add(a.Start.A, a.Start.B))
		p.spread = mul(expr.Num(0.5), sub(a.Start.B, a.Start.A))
	default:
		return nil, fmt.Errorf("model %s: %w", header.Name, ErrProcess)
	}
	p.setTime(e)
	p.derive()
	return p, nil
}

// leastOnsets is the least width of a uniform onset, in seconds. A smaller width is replaced by it, because formulas divide by
// the width.
const leastOnsets = 1e-4

// setTime sets the time since the onset. For a uniform onset, this is the time since the middle of the onsets before the
// response.
func (p *process) setTime(e *expr.Evidence) {
	if e.Onset.Kind == expr.PointLaw {
		p.tau = p.base("tau", sub(expr.Var(e.Time), e.Onset.A))
		return
	}
	first := e.Onset.A
	if onset, _ := onsetOf(p.header); onset != nil { // the same expression as in the support: package normal cancels the onset only in equal expressions
		first = onset
	}
	p.since = p.name("T", sub(expr.Var(e.Time), first))
	p.allOnsets = p.base("st", expr.New(expr.Max, sub(e.Onset.B, e.Onset.A), expr.Num(leastOnsets)))
	p.pastOnsets = p.base("l", expr.New(expr.Min, p.since, p.allOnsets))
	p.tau = p.base("tau", sub(p.since, mul(expr.Num(0.5), p.pastOnsets)))
}

// base gives a name to a simplified quantity, and returns a symbol for it. [process.written] later replaces the symbol. A
// number or a symbol is returned unchanged.
func (p *process) base(name string, e *expr.Expr) *expr.Expr {
	return p.name(name, simple(e))
}

// name does what base does, but does not simplify.
func (p *process) name(name string, e *expr.Expr) *expr.Expr {
	if len(e.Args) == 0 {
		return e
	}
	for _, b := range p.bases {
		if b.Value.Equal(e) {
			return expr.Var(mark + b.Name)
		}
	}
	for isTaken(p.header, name) {
		name += "_"
	}
	p.bases = append(p.bases, expr.Let{Name: name, Value: e})
	return expr.Var(mark + name)
}

// isTaken reports whether a name is a parameter, a trial column or the choice of the model.
func isTaken(m *expr.Model, name string) bool {
	return name == m.Choice || m.IsParam(name) || m.IsTrial(name)
}

// mark is the first character of symbols for named quantities. Names in model files cannot contain it.
const mark = "#"

// names returns the expressions of the quantities by their symbols. The expressions contain only symbols of the model.
func (p *process) names() map[string]*expr.Expr {
	values := map[string]*expr.Expr{}
	for _, b := range p.bases {
		values[mark+b.Name] = expr.Substitution(values).Map(b.Value)
	}
	return values
}

// written returns e with the symbols of quantities replaced by their expressions.
func (p *process) written(e *expr.Expr) *expr.Expr { return expr.Substitution(p.names()).Map(e) }

// now returns the value of a function of time at the response.
func (p *process) now(f *expr.Expr) *expr.Expr { return at(f, p.tau) }

// at returns the value of a function of time at the given time.
func at(f, time *expr.Expr) *expr.Expr {
	return expr.Substitution(map[string]*expr.Expr{expr.Tau: time}).Map(f)
}

// slope returns the derivative of a function of time.
func slope(f *expr.Expr) *expr.Expr { return simple(diff.Gradient(f, []string{expr.Tau})[0]) }

// derive computes the quantities from drift, noise, boundaries and start.
func (p *process) derive() {
	half, middle := simple(mul(expr.Num(0.5), sub(p.upper, p.lower))), simple(mul(expr.Num(0.5), add(p.upper, p.lower)))
	p.half0 = p.base("h0", p.first(half))
	open := half
	if !p.probe.positive(p.written(half)) || !p.probe.positive(p.written(sub(at(half, expr.Num(lateTime)), mul(expr.Num(lateShare), p.half0)))) {
		open = floored(half, p.half0)
	}
	squared := expr.New(expr.Square, p.noise)
	p.atRate = simple(div(squared, expr.New(expr.Square, open)))
	turn := simple(div(sub(add(slope(middle), mul(p.leak, middle)), p.drift), squared)) // γ and κ divided by the half distance
	narrow := simple(div(add(slope(half), mul(p.leak, half)), squared))
	p.atGamma, p.atKappa = simple(mul(turn, open)), simple(mul(narrow, open))

	p.half = p.base("h", p.now(open))
	p.clock = p.base("u", p.clockOf(squared))
	leaky := !p.leak.IsNum(0)
	grown := expr.Num(1)
	if leaky {
		p.stretch = bounded(mul(p.leak, p.tau))
		grown = p.base("e", expr.New(expr.Exp, p.stretch))
	}
	p.time = p.base("s", p.overGrowth(squared, 2))
	p.rate = p.base("r", mul(p.now(squared), expr.New(expr.Square, grown)))
	moved := p.overGrowth(p.drift, 1)
	p.mid = p.base("m", sub(mul(p.now(middle), grown), moved))
	p.mid0 = p.base("m0", p.first(middle))
	p.wide = p.base("w", mul(p.half, grown))
	p.middle = p.now(middle)

	y := simple(mul(p.side, div(sub(p.start, p.mid0), p.half0)))
	p.near = p.base("n", div(add(expr.Num(1), p.written(y)), expr.Num(2)))
	p.y = p.base("y", y)
	if p.spread != nil {
		p.spread = p.base("q", div(p.spread, p.half0))
	}
	p.gamma, p.gamma0 = p.base("g", mul(mul(p.side, p.now(turn)), p.half)), p.atFirst("g0", mul(p.side, turn))
	p.kappa, p.kappa0 = p.base("k", mul(p.now(narrow), p.half)), p.atFirst("k0", narrow)
	if p.sd != nil {
		p.shrink = p.base("D", add(expr.Num(1), mul(expr.New(expr.Square, p.sd), p.tau)))
	}
	over := func(f *expr.Expr) *expr.Expr { return p.integral(simple(mul(f, p.atRate))) }
	p.decay = p.base("d", sub(over(decayOf(p.atKappa)), mul(decayOf(expr.Num(0)), p.clock)))
	p.average("ga", p.side, p.atGamma)
	p.average("ka", expr.Num(1), p.atKappa)
	p.gammaGamma = p.base("gg", over(expr.New(expr.Square, p.atGamma)))
	p.kappaKappa = p.base("kk", over(expr.New(expr.Square, p.atKappa)))
	p.gammaKappa = p.base("gk", mul(p.side, over(mul(p.atGamma, p.atKappa))))
}

// averageRates are the rates at which the weights in [process.average] decay, per unit of the clock.
var averageRates = []float64{1, 4}

// average adds weighted averages over the clock of a function f of time. One kind gives most weight to times near the response,
// because evidence forgets earlier times; the other to times near the onset. For the weights, the clock runs at its rate at the
// response or onset.
func (p *process) average(name string, by, f *expr.Expr) {
	if !slices.Contains(expr.Symbols(f), expr.Tau) {
		return
	}
	add := func(name string, weight *expr.Expr) {
		p.averages = append(p.averages, mul(by, p.base(name, p.integral(mul(mul(f, p.atRate), expr.New(expr.Exp, weight))))))
	}
	time := expr.Var(expr.Tau)
	for _, k := range averageRates {
		add(name+"e", times(-k, mul(sub(p.tau, time), p.now(p.atRate))))
		if first := p.first(p.atRate); p.probe.finite(p.written(first)) {
			add(name+"s", times(-k, mul(time, first)))
		}
	}
}

// decayOf returns the rate at which evidence between boundaries -1 and 1 is absorbed, with noise 1 and drift -κ·evidence. It is
// the smallest eigenvalue, approximated by (√(κ² + (π²/4)² exp(−κ²/18)) − κ)/2: exact at κ = 0, and with an error below 0.01
// everywhere.
func decayOf(kappa *expr.Expr) *expr.Expr {
	const squared = math.Pi * math.Pi * math.Pi * math.Pi / 16
	square := expr.New(expr.Square, kappa)
	second := expr.Num(expr.Rounded(squared, ruleDigits))
	if !kappa.IsNum(0) {
		second = mul(second, expr.New(expr.Exp, div(square, expr.Num(-18))))
	}
	return mul(expr.Num(0.5), sub(expr.New(expr.Sqrt, add(square, second)), kappa))
}

// first returns the value of a function of time at time 0. Subexpressions with the same value at all parameters, such as 0^α
// for α > 0, become that number.
func (p *process) first(f *expr.Expr) *expr.Expr {
	return simple(expr.Map(at(f, expr.Num(0)), func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		n = n.With(args)
		if len(args) == 0 {
			return n
		}
		if x, ok := p.probe.constant(p.written(n)); ok {
			return expr.Num(x)
		}
		return n
	}))
}

// atFirst returns the value of a function of time, times the half distance, at time 0; nil if it is not finite.
func (p *process) atFirst(name string, f *expr.Expr) *expr.Expr {
	first := mul(p.first(simple(f)), p.half0)
	if !p.probe.finite(p.written(first)) {
		return nil
	}
	return p.base(name, first)
}

// If the half distance at time lateTime is below the share lateShare, it gets a floor, because the clock is infinite for
// boundaries that meet.
const (
	lateTime  = 50   // seconds
	lateShare = 1e-3 // half distance divided by the half distance at the onset
)

// floorShare is the approximate floor of the half distance, as a share of the half distance at the onset.
const floorShare = 0.03

// floored returns a half distance with a smooth floor above 0.
func floored(half, first *expr.Expr) *expr.Expr {
	least := expr.New(expr.Square, mul(expr.Num(floorShare), first))
	return mul(expr.Num(0.5), add(half, expr.New(expr.Sqrt, add(expr.New(expr.Square, half), least))))
}

// clockOf returns the integral of the clock's rate. It has a closed form if the half distance is linear in time.
func (p *process) clockOf(squared *expr.Expr) *expr.Expr {
	if !slices.Contains(expr.Symbols(p.atRate), expr.Tau) {
		return mul(p.tau, p.atRate)
	}
	closed := div(mul(p.tau, p.now(squared)), mul(p.half0, p.half))
	if !slices.Contains(expr.Symbols(squared), expr.Tau) && p.probe.integrates(p, p.atRate, closed, coarse.near) {
		return closed
	}
	return p.integral(p.atRate)
}

// accuracy says how accurate integrals must be.
type accuracy struct {
	near   float64 // largest allowed error of an integral
	points int     // the most points of a quadrature rule
}

// coarse integrals give short formulas, whose fitted coefficients make up for the errors. fine ones are for atoms that must be
// accurate by themselves.
var coarse, fine = accuracy{5e-3, 16}, accuracy{5e-4, 24}

// integral returns the integral of a function of time from the onset to the response. It has a closed form for a constant and
// for an exponential; otherwise it is the shortest Gauss–Legendre rule in the root of time that is accurate enough.
func (p *process) integral(f *expr.Expr) *expr.Expr {
	if !slices.Contains(expr.Symbols(f), expr.Tau) {
		return simple(mul(p.tau, f))
	}
	if e := p.exponential(f); e != nil {
		return e
	}
	for n := 2; ; n++ {
		sum := p.rule(f, n)
		if n == p.integrals.points || p.probe.integrates(p, f, sum, p.integrals.near) {
			return sum
		}
	}
}

// exponential returns the integral of a function that is an exponential of time, or nil for another function.
func (p *process) exponential(f *expr.Expr) *expr.Expr {
	if f.IsNum(0) {
		return f
	}
	rate := simple(div(slope(f), f))
	if slices.Contains(expr.Symbols(rate), expr.Tau) {
		return nil
	}
	return mul(p.first(f), mul(p.tau, grownBy(mul(rate, p.tau))))
}

// overGrowth returns the integral of a function times exp(power·gτ), with the leak g.
func (p *process) overGrowth(f *expr.Expr, power float64) *expr.Expr {
	if p.leak.IsNum(0) {
		return p.integral(f)
	}
	growth := func(x *expr.Expr) *expr.Expr { return expr.New(expr.Exp, times(power, x)) }
	exponent := mul(p.leak, expr.Var(expr.Tau))
	if e := p.exponential(simple(mul(f, growth(exponent)))); e != nil {
		return e
	}
	return p.integral(mul(f, growth(bounded(exponent))))
}

// mostGrown is the largest exponent of growth, so that no number overflows.
const mostGrown = 60

// bounded returns x limited to the range from -mostGrown to mostGrown.
func bounded(x *expr.Expr) *expr.Expr {
	return expr.New(expr.Max, expr.New(expr.Min, x, expr.Num(mostGrown)), expr.Num(-mostGrown))
}

// grownBy returns (exp(x) − 1)/x, where the exponent is limited to 2·mostGrown.
func grownBy(x *expr.Expr) *expr.Expr {
	near0 := expr.New(expr.Less, expr.New(expr.Abs, x), expr.Num(1e-4))
	return expr.New(expr.If, near0, add(expr.Num(1), mul(expr.Num(0.5), x)), div(expr.New(expr.Expm1, expr.New(expr.Min, x, expr.Num(2*mostGrown))), add(x, expr.Num(1e-30))))
}
