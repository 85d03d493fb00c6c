package simplify

import (
	"likc/compiler/expr"
)

// Rule is one rewrite rule. Apply returns the replacement of a node with canonical arguments, or nil if the rule does not
// apply. The rules of the two collectors have no Apply: they are steps in which a sum or product is collected.
type Rule struct {
	Name  string
	Doc   string
	Set   Set
	Ops   []expr.Op // the operators of nodes to which Apply may apply
	Apply func(s *Simplifier, n *expr.Expr) *expr.Expr
}

// ruleID is the index of a rule in rules.
type ruleID int

// The steps of the collectors.
const (
	orderSum ruleID = iota
	addZero
	foldSum
	mergeTerms
	cancelTerms
	groupTerms
	orderProduct
	mulOne
	foldProduct
	zeroProduct
	mergeFactors
	cancelFactors
	pullSign
	pullFactor
	evenPowerSign
	powerOfPower
	powZero
	absProduct
	rootOfFactor
	mergeExps
	expLog
	cbrtCube
	gatherLogs
	numSteps
)

// rules holds all rules. It is filled by init, because the rules and the simplifier refer to each other.
var rules []Rule

// rulesOf holds, for each operator, the rules that may apply to its nodes.
var rulesOf = make([][]ruleID, len(expr.Ops()))

func init() {
	rules = append(steps(), exactRules()...)
	rules = append(rules, canonicalRules()...)
	for id := range rules {
		for _, op := range rules[id].Ops {
			rulesOf[op] = append(rulesOf[op], ruleID(id))
		}
	}
}

// steps returns the rules that are steps of collecting a sum or a product.
func steps() []Rule {
	list := make([]Rule, numSteps)
	for id, text := range stepDocs {
		list[id] = Rule{Name: text[0], Doc: text[1], Set: Canonical}
	}
	return list
}

// stepDocs holds the name and the description of each step.
var stepDocs = [numSteps][2]string{
	orderSum:      {"OrderSum", "terms in one order: positive first, smaller before larger, constants last"},
	addZero:       {"AddZero", "x + 0 = x"},
	foldSum:       {"FoldSum", "constants of a sum add up"},
	mergeTerms:    {"MergeTerms", "h + h = 2*h"},
	cancelTerms:   {"CancelTerms", "h - h = 0, wherever h is defined"},
	groupTerms:    {"GroupTerms", "2*x + 2*y = 2*(x + y)"},
	orderProduct:  {"OrderProduct", "factors in one order, one division"},
	mulOne:        {"MulOne", "1*x = x"},
	foldProduct:   {"FoldProduct", "constants of a product multiply"},
	zeroProduct:   {"ZeroProduct", "0*x = 0, wherever x is defined"},
	mergeFactors:  {"MergeFactors", "x*x^2 = x^3, a/sqrt(a) = sqrt(a)"},
	cancelFactors: {"CancelFactors", "x/x = 1, x != 0"},
	pullSign:      {"PullSign", "(-x)*y = -x*y"},
	pullFactor:    {"PullFactor", "(b - a)*x/(a - b) = -x: sums as factors have a positive first term and no common factor"},
	evenPowerSign: {"EvenPowerSign", "(-x)^2 = x^2"},
	powerOfPower:  {"PowerOfPower", "(x^2)^3 = x^6, sqrt(x^2) = |x|, sqrt(x)^2 = x for x >= 0"},
	powZero:       {"PowZero", "x^0 = 1, wherever x is defined"},
	absProduct:    {"AbsProduct", "|x*y^2| = |x|*y^2"},
	rootOfFactor:  {"RootOfFactor", "sqrt(4*x) = 2*sqrt(x)"},
	mergeExps:     {"MergeExps", "exp(x)*exp(y) = exp(x + y)"},
	expLog:        {"ExpLog", "exp(n*log(x)) = x^n, x > 0"},
	cbrtCube:      {"CbrtCube", "cbrt(x)^3 = x"},
	gatherLogs:    {"GatherLogs", "2*log|x| = log(x^2), log(x)/2 = log(sqrt(x))"},
}

// canonicalRules returns the rules that bring single nodes into canonical form.
func canonicalRules() []Rule {
	return []Rule{
		{Name: "LogExp", Doc: "log(exp(x)*y) = x + log(y)", Set: Canonical, Ops: []expr.Op{expr.Log}, Apply: logExp},
		{Name: "LogPower", Doc: "log(x^3) = 3*log(x), log(1/x) = -log(x); log(x^2) is 2*log|x| and stays", Set: Canonical,
			Ops: []expr.Op{expr.Log}, Apply: logPower},
		{Name: "OddSign", Doc: "f(-x) = -f(x) for odd f; f(-2*x) stays, which is smaller", Set: Canonical, Ops: odd, Apply: oddSign},
		{Name: "EvenSign", Doc: "f(-x) = f(x) for even f", Set: Canonical, Ops: even, Apply: evenSign},
		{Name: "Inverse", Doc: "f(g(x)) = x for inverse functions, where g(x) is defined", Set: Canonical, Ops: inverted(),
			Apply: inverse},
		{Name: "CubeRoot", Doc: "cbrt(x^3) = x", Set: Canonical, Ops: []expr.Op{expr.Cbrt}, Apply: cubeRoot},
		{Name: "PowExp", Doc: "exp(x)^y = exp(x*y)", Set: Canonical, Ops: []expr.Op{expr.Pow}, Apply: powExp},
		{Name: "ExpandFMA", Doc: "fma(x, y, z) = x*y + z, where that is smaller", Set: Canonical, Ops: []expr.Op{expr.FMA},
			Apply: expandFMA},
		{Name: "LogAddExpSelf", Doc: "logaddexp(x, x) = x + log(2)", Set: Canonical, Ops: []expr.Op{expr.LogAddExp},
			Apply: logAddExpSelf},
	}
}

var (
	odd  = []expr.Op{expr.Erf, expr.Tanh, expr.Sinh, expr.Sin, expr.Atan, expr.Cbrt, expr.Sign}
	even = []expr.Op{expr.Cosh, expr.Cos}
	// inverses maps an operator f to an operator g with f(g(x)) = x wherever g(x) is defined.
	inverses = map[expr.Op]expr.Op{
		expr.Log1p: expr.Expm1, expr.Expm1: expr.Log1p, expr.Logit: expr.Sigmoid, expr.Sigmoid: expr.Logit,
	}
)

// inverted returns the keys of inverses, in the order of the operator table.
func inverted() []expr.Op {
	var ops []expr.Op
	for _, op := range expr.Ops() {
		if _, ok := inverses[op]; ok {
			ops = append(ops, op)
		}
	}
	return ops
}

func inverse(s *Simplifier, n *expr.Expr) *expr.Expr {
	g := n.Args[0]
	if g.Op != inverses[n.Op] {
		return nil
	}
	s.dropNode(g)
	return g.Args[0]
}

func logExp(s *Simplifier, n *expr.Expr) *expr.Expr {
	p := s.product(n.Args[0], true)
	defer p.free()
	for i, f := range p.factors {
		if p.bad || f.base.Op != expr.Exp || len(p.factors) == 1 && p.coef.n <= 0 {
			continue
		}
		p.factors = append(p.factors[:i:i], p.factors[i+1:]...)
		u := s.scaled(ratioOf(f.exp), f.base.Args[0])
		out := s.new(expr.Add, u, s.new(expr.Log, p.render(true)))
		if s.rewrite(out).Size() > n.Size() {
			return nil
		}
		return out
	}
	return nil
}

func logPower(s *Simplifier, n *expr.Expr) *expr.Expr {
	p := s.product(n.Args[0], true)
	defer p.free()
	if p.bad || len(p.factors) == 0 || p.coef.n != 1 {
		return nil
	}
	below := true
	for i := range p.factors {
		below = below && p.factors[i].exp < 0
	}
	if below {
		for i := range p.factors {
			p.factors[i].exp *= -1
		}
		p.coef = p.coef.inverse()
		if out := s.new(expr.Neg, s.new(expr.Log, p.render(true))); out.Size() <= n.Size() {
			return out
		}
		return nil
	}
	q := p.factors[0].exp
	if len(p.factors) > 1 || !p.coef.isOne() || isEven(q) || q == 1 || q == 0.5 {
		return nil
	}
	p.factors[0].exp = 1
	return s.scaled(ratioOf(q), s.new(expr.Log, p.render(true)))
}

func oddSign(s *Simplifier, n *expr.Expr) *expr.Expr {
	if x := s.positive(n.Args[0]); x != nil && x.Size() < n.Args[0].Size() {
		return s.new(expr.Neg, s.new(n.Op, x))
	}
	return nil
}

func evenSign(s *Simplifier, n *expr.Expr) *expr.Expr {
	x := n.Args[0]
	if x.Op == expr.Sub || x.Op == expr.Add {
		if c, _ := s.primitive(x); c.negative() {
			if y := s.reversed(x); y.Size() <= x.Size() {
				return s.new(n.Op, y)
			}
		}
		return nil
	}
	if x = s.positive(x); x != nil {
		return s.new(n.Op, x)
	}
	return nil
}

// positive returns -x if x has a minus sign that can be removed, else nil.
func (s *Simplifier) positive(x *expr.Expr) *expr.Expr {
	c, t := s.split(x)
	if !c.negative() || x.Op == expr.Const {
		return nil
	}
	if y := s.scaled(c.neg(), t); y.Size() <= x.Size() {
		return y
	}
	return nil
}

func cubeRoot(s *Simplifier, n *expr.Expr) *expr.Expr {
	p := s.product(n.Args[0], true)
	defer p.free()
	if p.bad || !p.coef.isOne() || len(p.factors) != 1 || p.factors[0].abs || !isWhole(p.factors[0].exp/3) {
		return nil
	}
	p.factors[0].exp /= 3
	return p.render(true)
}

func powExp(s *Simplifier, n *expr.Expr) *expr.Expr {
	if n.Args[0].Op != expr.Exp {
		return nil
	}
	return s.new(expr.Exp, s.new(expr.Mul, n.Args[0].Args[0], n.Args[1]))
}

func expandFMA(s *Simplifier, n *expr.Expr) *expr.Expr {
	x, y, z := n.Args[0], n.Args[1], n.Args[2]
	if out := s.rewrite(s.new(expr.Add, s.new(expr.Mul, x, y), z)); out.Size() <= n.Size() {
		return out
	}
	if compare(x, y) > 0 {
		return s.new(expr.FMA, y, x, z)
	}
	return nil
}

func logAddExpSelf(s *Simplifier, n *expr.Expr) *expr.Expr {
	if n.Args[0] != n.Args[1] {
		return nil
	}
	return s.new(expr.Add, n.Args[0], s.new(expr.Log, s.num(2)))
}
