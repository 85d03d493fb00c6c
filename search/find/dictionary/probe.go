package dictionary

import (
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// probe evaluates functions of time at parameters drawn from their ranges, to find out which properties hold everywhere.
type probe struct {
	symbols []string    // names of the values: parameters, time since the onset, response time, choice
	points  [][]float64 // values of the symbols at each point
}

// probePoints is the number of parameter vectors of a probe.
const probePoints = 60

// newProbe draws parameters from their ranges, and times from 10 ms to 6 s.
func newProbe(header *expr.Model) *probe {
	r := rand.New(rand.NewPCG(20_261_124, 1))
	p := &probe{symbols: append(header.ParamNames(), expr.Tau, header.Trials[0], header.Choice)}
	onset := expr.NewTape(header.ParamNames(), header.Evidence.Onset.A)
	for i, theta := range vectors(header, probePoints, r) {
		first, _ := onset.Eval(nil, theta)
		tau := math.Exp(math.Log(0.01) + math.Log(600)*r.Float64())
		p.points = append(p.points, append(theta, tau, first[0]+tau, float64(1-2*(i%2))))
	}
	return p
}

// each evaluates expressions at every point, stops if ok returns false, and reports whether ok was always true.
func (p *probe) each(ok func(values []float64) bool, roots ...*expr.Expr) bool {
	tape := expr.NewTape(p.symbols, roots...)
	for _, at := range p.points {
		if values, _ := tape.Eval(nil, at); !ok(values) {
			return false
		}
	}
	return true
}

// positive reports whether a function of time is positive everywhere.
func (p *probe) positive(f *expr.Expr) bool {
	return p.each(func(v []float64) bool { return v[0] > 0 }, f)
}

// finite reports whether an expression is finite everywhere.
func (p *probe) finite(e *expr.Expr) bool {
	return p.each(func(v []float64) bool { return !math.IsNaN(v[0]) && math.Abs(v[0]) < 1e6 }, e)
}

// constant returns the value of an expression that is finite and the same everywhere; otherwise ok is false.
func (p *probe) constant(e *expr.Expr) (x float64, ok bool) {
	x = math.NaN()
	ok = p.each(func(v []float64) bool {
		if x != x {
			x = v[0]
		}
		return x == v[0] && !math.IsInf(x, 0)
	}, e)
	return x + 0, ok // turns -0 into 0
}

// Integrals are compared only where they matter.
const (
	lateClock  = 6  // on the process's clock: almost no mass is left after this time
	leastExact = 57 // an integral must be accurate at this many of the points
	panels     = 40 // panels of the quadrature rule that integrals are compared with
)

// integrates reports whether e is the integral of the function of time f, at nearly all points that matter. The error may be at most
// `near` times the larger of 1 and the integral.
func (p *probe) integrates(of *process, f, e *expr.Expr, near float64) bool {
	where := slices.Index(p.symbols, expr.Tau)
	fine, rate := expr.NewTape(p.symbols, of.written(f)), expr.NewTape(p.symbols, of.written(of.atRate))
	value := expr.NewTape(p.symbols, of.written(e))
	rule := gauss.Eight
	integral := func(t *expr.Tape, at []float64, to float64) (sum float64) {
		moved := slices.Clone(at)
		for k := range panels { // the panels' ends are equally spaced in the root of time
			from, end := to*square(float64(k)/panels), to*square(float64(k+1)/panels)
			sum += rule.On(func(x float64) float64 {
				moved[where] = x
				out, _ := t.Eval(nil, moved)
				return out[0]
			}, from, end)
		}
		return sum
	}
	exact := 0
	for _, at := range p.points {
		tau := at[where]
		got, _ := value.Eval(nil, at)
		want := integral(fine, at, tau)
		if integral(rate, at, tau) > lateClock || math.Abs(got[0]-want) <= near*(1+math.Abs(want)) {
			exact++
		}
	}
	return exact >= leastExact
}

func square(x float64) float64 { return x * x }

// ruleDigits is the number of digits of the numbers in a quadrature rule.
const ruleDigits = 6

// rule returns the integral of a function of time by a Gauss-Legendre rule with n points in the root of time.
func (p *process) rule(f *expr.Expr, n int) *expr.Expr {
	r := gauss.New(n)
	var sum *expr.Expr
	for i, x := range r.X {
		term := mul(expr.Num(expr.Rounded(2*r.Weight[i]*x, ruleDigits)), apart(at(f, mul(expr.Num(expr.Rounded(x*x, ruleDigits)), p.tau))))
		if sum == nil {
			sum = term
		} else {
			sum = add(sum, term)
		}
	}
	return mul(p.tau, sum)
}
