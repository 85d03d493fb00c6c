package integral

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// Tolerance is the largest difference that is allowed between the log density of a trial with fixed nodes and with adaptive
// quadrature, at each point that is checked.
const Tolerance = 1e-5

// counts are the numbers of nodes on a piece that are tried.
var counts = []int{4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128}

// spreadPoints is the number of points that are checked for each choice. Their parameters are spread over the ranges and their
// ends.
const spreadPoints = 96

// sample is a point, parameters and trial columns, at which the log density of a group is finite.
type sample struct {
	values []float64 // trial columns, parameters, then all integrals, computed by adaptive quadrature
	want   float64   // log density
}

// group is a model's group of trials, with its log density as a function of the values of its integrals.
type group struct {
	symbols   []string // trial columns, parameters, integrals
	logLik    *expr.Tape
	support   *expr.Tape
	integrals []*evaluator
	used      []int // the indexes of the integrals on which the log density depends
	samples   []sample
	out       []float64 // memory for values of logLik
}

// mostWork limits Choose to a few seconds. It bounds the number of evaluations of integrands, times the nodes of their
// expressions, for all integrals of a model together.
const mostWork = 200_000_000

var errLong = errors.New("the integrals of the model take too long to check: want fewer integrals, cuts, choices or shorter integrands")

var errUnsettled = errors.New("the integrand changes too fast, is undefined somewhere, or its integral is infinite: adaptive quadrature does not settle")

// Choose returns for each integral of a model the number of nodes on a piece. The model's expressions contain the integrals as
// symbols, and no integral depends on another. If there is an error, culprit is the index of the integral that caused it.
func Choose(m *expr.Model, all []*Integral) (nodes []int, culprit int, err error) {
	work := mostWork
	groups := groupsOf(m, all, &work)
	for _, g := range groups {
		if culprit, err = g.sample(m); err != nil {
			return nil, culprit, err
		}
	}
	for i := range all {
		n, err := fewest(groups, i)
		if err != nil {
			return nil, i, err
		}
		nodes = append(nodes, n)
	}
	return nodes, 0, nil
}

// groupsOf returns the model's groups. It passes the pieces of the integrals as lets, so that a group's choice and parameters
// are substituted in them too.
func groupsOf(m *expr.Model, all []*Integral, work *int) (groups []*group) {
	whole := *m
	whole.Lets = nil
	for _, i := range all {
		for _, p := range i.pieces(expr.Var(share)) {
			whole.Lets = append(whole.Lets, expr.Let{Value: expr.Times(p.factor, p.integrand)})
		}
	}
	data := append(append([]string{}, m.Trials...), m.ParamNames()...)
	for _, part := range whole.Groups() {
		g := &group{symbols: data}
		lets := part.Lets
		for _, i := range all {
			n := len(i.Ends) - 1
			g.integrals = append(g.integrals, newEvaluator(data, lets[:n], work))
			g.symbols = append(g.symbols[:len(g.symbols):len(g.symbols)], i.Symbol)
			lets = lets[n:]
		}
		for _, s := range expr.Symbols(part.LogLik) {
			g.used = append(g.used, slices.IndexFunc(all, func(i *Integral) bool { return i.Symbol == s }))
		}
		g.used = slices.DeleteFunc(g.used, func(k int) bool { return k < 0 })
		g.logLik = expr.NewTape(g.symbols, part.LogLik)
		var conditions []*expr.Expr
		for _, s := range part.Support {
			conditions = append(conditions, s.Left, s.Right)
		}
		g.support = expr.NewTape(data, conditions...)
		groups = append(groups, g)
	}
	return groups
}

// sample evaluates the log density at all points, with the integrals computed by adaptive quadrature. It leaves out points at
// which the log density is not finite. If quadrature fails, culprit is the index of the integral.
func (g *group) sample(m *expr.Model) (culprit int, err error) {
	for p := 0; p < spreadPoints && len(g.used) > 0; p++ {
		data := point(m, p)
		if !g.inside(data) {
			continue
		}
		values := append(data, make([]float64, len(g.integrals))...)
		for _, k := range g.used {
			settled := false
			g.integrals[k].set(data)
			if values[len(data)+k], settled = g.integrals[k].adaptive(); !settled {
				return k, fmt.Errorf("at %s: %w", g.name(data), errUnsettled)
			}
			if *g.integrals[k].work < 0 {
				return k, errLong
			}
		}
		if want := g.log(values); !math.IsNaN(want) && !math.IsInf(want, 0) {
			g.samples = append(g.samples, sample{values, want})
		}
	}
	if len(g.used) > 0 && len(g.samples) == 0 {
		return g.used[0], errors.New("the log density is finite at none of the points of the ranges that were looked at")
	}
	return 0, nil
}

// point returns point p of those that are checked: the trial columns, then the parameters.
func point(m *expr.Model, p int) []float64 {
	values := make([]float64, 0, len(m.Trials)+len(m.Params))
	share := func() float64 { return math.Mod(0.5+float64(p+1)*step(len(values)), 1) }
	for _, name := range m.Trials {
		x := 6*share() - 3
		if m.IsPositive(name) {
			x = shortest * math.Pow(longest/shortest, share())
		}
		if absent, ok := m.Missing[name]; ok && p%4 == 0 {
			x = absent
		}
		if m.MayBeZero(name) && p%8 == 1 {
			x = 0
		}
		values = append(values, x)
	}
	for _, param := range m.Params {
		x := min(max(1.5*share()-0.25, 0.001), 0.999) // one sixth of the points at each end
		values = append(values, param.Lower+(param.Upper-param.Lower)*x)
	}
	return values
}

// The smallest and largest value of a positive trial column that are checked, such as times in seconds. Other columns go from
// -3 to 3.
const shortest, longest = 0.02, 5.0

// step returns the step in coordinate j of an additive sequence, which fills a cube evenly: the fractional part of the square
// root of a prime, or of a sum of two such roots.
func step(j int) float64 {
	primes := [...]float64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}
	n := len(primes)
	_, fraction := math.Modf(math.Sqrt(primes[j%n]) + float64(j/n)*math.Sqrt(41))
	return fraction
}

// inside reports whether the symbol values satisfy the group's support conditions.
func (g *group) inside(values []float64) bool {
	v, _ := g.support.Eval(nil, values)
	for i := 0; i < len(v); i += 2 {
		if !(v[i] < v[i+1]) {
			return false
		}
	}
	return true
}

// log returns the log density at the symbol values.
func (g *group) log(values []float64) float64 {
	g.out, _ = g.logLik.Eval(g.out[:0], values)
	return g.out[0]
}

// fewest returns the smallest number of nodes of integral i with which the log density is within tolerance.
func fewest(groups []*group, i int) (int, error) {
	var worst float64
	var where string
	for _, n := range counts {
		worst = 0
		r := gauss.New(n)
		for _, g := range groups {
			if miss, point := g.miss(i, r); miss > worst {
				worst, where = miss, point
			}
		}
		if *groups[0].integrals[i].work < 0 {
			return 0, errLong
		}
		if worst <= Tolerance {
			return n, nil
		}
	}
	return 0, fmt.Errorf("at %s: %d nodes a piece miss the log density by %.2g: cut the interval where the integrand is steep, as in [LO, CUT, HI], or narrow the ranges",
		where, counts[len(counts)-1], worst)
}

// miss returns the largest error of the log density with the rule r for integral i, and the point at which it occurs. It stops
// at the first error above tolerance.
func (g *group) miss(i int, r gauss.Rule) (worst float64, where string) {
	if !slices.Contains(g.used, i) {
		return 0, ""
	}
	e := g.integrals[i]
	for _, s := range g.samples {
		if *e.work < 0 {
			break
		}
		data := len(s.values) - len(g.integrals)
		values := slices.Clone(s.values)
		e.set(values[:data])
		values[data+i] = e.fixed(r)
		miss := math.Abs(g.log(values) - s.want)
		if math.IsNaN(miss) {
			miss = math.Inf(1)
		}
		if miss > worst {
			worst, where = miss, g.name(values[:data])
		}
		if worst > Tolerance {
			break
		}
	}
	return worst, where
}

// name returns a point as text, such as "rt=0.5, mu=1".
func (g *group) name(data []float64) string {
	var words []string
	for j, x := range data {
		words = append(words, fmt.Sprintf("%s=%.4g", g.symbols[j], x))
	}
	return strings.Join(words, ", ")
}
