package emit

import (
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
)

// caseSizes are the numbers of trials of the cases: one, fewer and more than a vector loop processes at a time, and no
// multiples of that.
var caseSizes = []int{12, 1, 3, 4, 37, 130}

// MakeCases simulates trials and parameters from seed and evaluates the model on them as it is written, without the compiler:
// the value with an [expr.Tape], the gradient by complex steps [squire1998]. Parameters that occur in a support condition, such
// as t < rt, are drawn so that the condition holds. Parameters at which the model has no finite value for all trials are drawn
// again. After caseTries failures, the trials are drawn one by one until the model has a finite value at each. A size for which
// that fails too has no case.
func MakeCases(m *expr.Model, seed uint64) []Case { return newOracle(m).cases(m, seed) }

// MakeLongCases does what [MakeCases] does, for an expression with intermediate values far larger than its result, such as an
// integral written out as a sum. Here Scale sums absolute log densities and derivatives only, and no intermediate values.
func MakeLongCases(m *expr.Model, seed uint64) []Case {
	o := newOracle(m)
	o.ofTerms = true
	return o.cases(m, seed)
}

// cases returns one case for each number of trials in caseSizes, if it finds one.
func (o oracle) cases(m *expr.Model, seed uint64) []Case {
	rng := rand.New(rand.NewPCG(seed, 0x6c696b63))
	again := rand.New(rand.NewPCG(seed, 0x64656669))
	var cases []Case
	for _, n := range caseSizes {
		columns, choice := SimulateTrials(m, n, rng)
		c, ok := Case{}, false
		for try := 0; try < caseTries && !ok; try++ {
			c = Case{Theta: drawTheta(m, rng, 1/float64(1+try)), Columns: columns, Choice: choice}
			ok = o.defined(&c)
		}
		if !ok {
			c, ok = o.pick(m, n, again)
		}
		if ok {
			cases = append(cases, c)
		}
	}
	return cases
}

// caseTries is the number of parameter vectors that are tried for a set of trials, and of trials that are tried for a parameter
// vector.
const caseTries = 200

// defined evaluates a case and reports whether value and gradient are finite.
func (o oracle) defined(c *Case) bool {
	o.evaluate(c)
	return finite(c.LogLik) && finite(c.Grad...)
}

// pick draws a case of n trials at which the model is defined: a parameter vector, then each trial until value and gradient are
// finite. It returns false if it found no vector with n such trials.
func (o oracle) pick(m *expr.Model, n int, rng *rand.Rand) (Case, bool) {
	for try := range 20 {
		c := Case{Theta: drawTheta(m, rng, 1/float64(1+try)), Columns: make([][]float64, len(m.Trials))}
		for range caseTries + 10*n {
			one := Case{Theta: c.Theta}
			if one.Columns, one.Choice = SimulateTrials(m, 1, rng); !o.defined(&one) {
				continue
			}
			for j := range c.Columns {
				c.Columns[j] = append(c.Columns[j], one.Columns[j]...)
			}
			if c.Choice = append(c.Choice, one.Choice...); len(c.Columns[0]) == n {
				return c, o.defined(&c)
			}
		}
	}
	return Case{}, false
}

// SimulateTrials draws n trials that look like data: positive columns hold response times, the others standard normal
// covariates rounded as a file would hold them, and every choice occurs.
func SimulateTrials(m *expr.Model, n int, rng *rand.Rand) (columns [][]float64, choice []float64) {
	columns = make([][]float64, len(m.Trials))
	for j, name := range m.Trials {
		columns[j] = make([]float64, n)
		for i := range columns[j] {
			x := rng.NormFloat64()
			if m.IsPositive(name) {
				x = 0.35 + 0.45*math.Exp(0.6*x)
			}
			columns[j][i] = math.Round(x*1e4) / 1e4
		}
	}
	if m.Choice == "" {
		return columns, nil
	}
	choice = make([]float64, n)
	for i := range choice {
		if m.Choices > 0 {
			choice[i] = float64(rng.IntN(m.Choices))
			continue
		}
		choice[i] = 1
		if rng.Float64() < 0.4 {
			choice[i] = -1
		}
	}
	return columns, choice
}

// drawTheta draws a parameter vector within the parameters' ranges. Parameters that occur in a support condition are drawn
// close to the lower end of their range, within a fraction `reach` of it.
func drawTheta(m *expr.Model, rng *rand.Rand, reach float64) []float64 {
	bound := map[string]bool{}
	for _, s := range m.Support {
		for _, name := range expr.Symbols(s.Left, s.Right) {
			bound[name] = true
		}
	}
	theta := make([]float64, len(m.Params))
	for i, p := range m.Params {
		u := 0.1 + 0.8*rng.Float64()
		if bound[p.Name] {
			u *= 0.2 * reach
		}
		theta[i] = math.Round((p.Lower+(p.Upper-p.Lower)*u)*1e4) / 1e4
	}
	return theta
}

// Evaluate fills in LogLik, Grad and Scale from the model at the case's trials and parameters. Where LogLik is not finite,
// Grad is zero.
func (c *Case) Evaluate(m *expr.Model) { newOracle(m).evaluate(c) }

// Evaluator returns a function that does what [Case.Evaluate] does with the model. It is faster for many cases.
func Evaluator(m *expr.Model) func(*Case) { return newOracle(m).evaluate }

// oracle is a model ready to be evaluated trial by trial.
type oracle struct {
	trials, params int // the numbers of trial columns and of parameters
	groups         []oracleGroup
	ofTerms        bool // whether the scale is Σ(1 + |terms|) only, without the intermediate values of the terms
}

type oracleGroup struct {
	choice           float64
	density, support *expr.Tape
}

// newOracle prepares a model's log density and support for evaluation.
func newOracle(m *expr.Model) oracle {
	o := oracle{trials: len(m.Trials), params: len(m.Params)}
	symbols := append(append([]string{}, m.Trials...), m.ParamNames()...)
	for _, g := range m.Groups() {
		var sides []*expr.Expr
		for _, s := range g.Support {
			sides = append(sides, s.Left, s.Right)
		}
		o.groups = append(o.groups, oracleGroup{g.Choice, expr.NewTape(symbols, g.LogLik), expr.NewTape(symbols, sides...)})
	}
	return o
}

// evaluate sets the expected value, gradient and scale of a case. Outside the support, the value is -Inf.
func (o oracle) evaluate(c *Case) {
	c.LogLik, c.Scale, c.Grad = 0, 0, make([]float64, o.params)
	inside := o.overTrials(c, func(g oracleGroup, values []float64) bool { return g.inside(values) })
	if !inside {
		c.LogLik = math.Inf(-1)
		return
	}
	o.overTrials(c, func(g oracleGroup, values []float64) bool { return o.addValue(g, c, values) })
	if finite(c.LogLik) {
		o.overTrials(c, func(g oracleGroup, values []float64) bool { return g.addGradient(c, values) })
	}
}

// overTrials calls f with the group and symbol values of each trial, until f returns false. It returns whether f always
// returned true.
func (o oracle) overTrials(c *Case, f func(g oracleGroup, values []float64) bool) bool {
	values := make([]float64, o.trials+o.params)
	copy(values[o.trials:], c.Theta)
	for _, g := range o.groups {
		for i := range c.Columns[0] {
			if c.Choice != nil && c.Choice[i] != g.choice {
				continue
			}
			for j := range c.Columns {
				values[j] = c.Columns[j][i]
			}
			if !f(g, values) {
				return false
			}
		}
	}
	return true
}

// inside reports whether the symbol values satisfy the group's support conditions.
func (g oracleGroup) inside(values []float64) bool {
	sides, _ := g.support.Eval(nil, values)
	for i := 0; i < len(sides); i += 2 {
		if !(sides[i] < sides[i+1]) {
			return false
		}
	}
	return true
}

// addValue adds one trial's log density to the case. It returns false if the sum is not finite.
func (o oracle) addValue(g oracleGroup, c *Case, values []float64) bool {
	y, scale := g.density.Eval(nil, values)
	if o.ofTerms || !finite(scale) { // an intermediate value may be infinite, such as exp(1000) in 1/exp(1000)
		scale = 1 + math.Abs(y[0])
	}
	c.LogLik += y[0]
	c.Scale += scale
	return finite(c.LogLik)
}

// step is the step of complex differentiation. It is so small that its square is lost in rounding.
const step = 1e-100

// addGradient adds one trial's derivatives to the case. It returns false if a derivative is not finite.
func (g oracleGroup) addGradient(c *Case, values []float64) bool {
	z := make([]complex128, len(values))
	for i, v := range values {
		z[i] = complex(v, 0)
	}
	for j := range c.Grad {
		index := len(z) - len(c.Grad) + j
		z[index] += complex(0, step)
		slope := imag(g.density.EvalComplex(nil, z)[0]) / step
		z[index] = complex(values[index], 0)
		c.Grad[j] += slope
		c.Scale += math.Abs(slope)
	}
	return finite(c.Grad...)
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
