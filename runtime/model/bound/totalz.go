package bound

import (
	"math"
	"slices"
	"sync"

	"likc/runtime/num/quadrature"
)

// totalOf returns Σ log Z over n trials, where Z is the integral that normalises a trial's density. It is a function of coefficients c:
// parameter j is c₀ + Σ c_k x[j][k-1]. See [kernel.Columner].
func totalOf(z *logZ, n int, x [][][]float64) total {
	var terms []term
	for j := range x {
		terms = append(terms, term{param: j, shift: 1})
		for _, column := range x[j] {
			terms = append(terms, term{param: j, column: column})
		}
	}
	if t := onLine(z, terms); t != nil {
		return t
	}
	return newScattered(z, n, terms)
}

// term is a coefficient c multiplied by a factor and added to a parameter. The factor is a column, or, for a line, shift + factor·x.
type term struct {
	param         int       // index of the parameter
	column        []float64 // the factor of each trial; nil for 1
	shift, factor float64   // the factor on a line
}

// line is Σ log Z over trials whose parameters are linear functions of one column x. The sum is computed from log Z at the nodes of
// a quadrature rule for the points x, whatever the number of trials. The rule depends only on the data.
type line struct {
	*logZ
	terms  []term
	rules  []quadrature.SumRule // rules of increasing size
	spaces sync.Pool            // memory of evaluations: *lineSpace
}

// lineSpace is the working memory of an evaluation: the parameters of a node, the gradient of log Z there, and log Z at each node.
type lineSpace struct{ theta, slope, values []float64 }

// sizes are the numbers of nodes of the rules that are tried before log Z is computed for every distinct value of the column. A
// rule is accepted if the highest coefficients of log Z (see [quadrature.SumRule.HighCoefficient]) are at most largestCoefficient
// nats. Its error in a trial's log density is about the square of that.
var sizes = []int{6, 12, 24, 48}

// largestCoefficient, in nats, is the limit for an accepted rule.
const largestCoefficient = 3e-6

// onLine returns the sum for columns that are all linear functions of one column; nil for other columns.
func onLine(z *logZ, terms []term) *line {
	x := firstVarying(terms)
	terms = slices.Clone(terms)
	for i := range terms {
		if t := &terms[i]; t.column != nil {
			var ok bool
			if t.shift, t.factor, ok = linearIn(t.column, x); !ok {
				return nil
			}
		}
	}
	l := &line{logZ: z, terms: terms, rules: quadrature.SumRules(x, sizes...)}
	l.spaces.New = func() any {
		return &lineSpace{make([]float64, z.dim), make([]float64, z.dim), make([]float64, len(x))}
	}
	return l
}

// firstVarying returns the first column whose numbers differ, or else the first column.
func firstVarying(terms []term) (first []float64) {
	for _, t := range terms {
		switch {
		case len(t.column) == 0:
		case slices.Min(t.column) != slices.Max(t.column):
			return t.column
		case first == nil:
			first = t.column
		}
	}
	return first
}

// linearIn returns a column as shift + factor·x; it returns false if the column is not such a function, up to rounding, or not
// finite.
func linearIn(column, x []float64) (shift, factor float64, ok bool) {
	if len(x) == 0 {
		return 0, 0, false
	}
	low, high := slices.Min(x), slices.Max(x)
	at, to := slices.Index(x, low), slices.Index(x, high)
	if at < 0 || to < 0 { // NaN
		return 0, 0, false
	}
	if shift = column[at]; high > low {
		factor = (column[to] - column[at]) / (high - low)
		shift -= factor * low
	}
	tolerance := 1e-13 * (math.Abs(shift) + math.Abs(factor)*max(math.Abs(low), math.Abs(high)))
	for i := range x {
		if !(math.Abs(column[i]-shift-factor*x[i]) <= tolerance) {
			return 0, 0, false
		}
	}
	return shift, factor, true
}

func (l *line) count() int { return len(l.terms) }

// sum uses the first rule that is accurate.
func (l *line) sum(c, grad []float64) (sum float64) {
	s := l.spaces.Get().(*lineSpace)
	defer l.spaces.Put(s)
	for i := range l.rules {
		sum = l.by(&l.rules[i], s, c, grad)
		if l.rules[i].HighCoefficient(s.values[:len(l.rules[i].X)]) <= largestCoefficient && sum-sum == 0 {
			break
		}
	}
	return sum
}

// by returns Σ log Z by a rule. It sets the space's values, and overwrites grad unless that is nil.
func (l *line) by(r *quadrature.SumRule, s *lineSpace, c, grad []float64) (sum float64) {
	clear(grad)
	slope := s.slope
	if grad == nil {
		slope = nil
	}
	for k, x := range r.X {
		clear(s.theta)
		for q, t := range l.terms {
			s.theta[t.param] += c[q] * (t.shift + t.factor*x)
		}
		s.values[k] = l.at(s.theta, slope)
		sum += r.W[k] * s.values[k]
		for q := range grad {
			t := &l.terms[q]
			grad[q] += r.W[k] * slope[t.param] * (t.shift + t.factor*x)
		}
	}
	return sum
}

// scattered is Σ log Z over trials whose parameters are not functions of one column.
type scattered struct {
	*logZ
	terms  []term
	n      int       // number of trials
	spaces sync.Pool // memory of evaluations: *scatteredSpace
}

// scatteredSpace is the working memory of an evaluation: the parameters of all trials, one number if they share it, and log Z.
type scatteredSpace struct {
	theta [][]float64
	*rowsZ
}

func newScattered(z *logZ, n int, terms []term) *scattered {
	t := &scattered{logZ: z, terms: terms, n: n}
	lengths := slices.Repeat([]int{1}, z.dim)
	for _, of := range terms {
		if of.column != nil {
			lengths[of.param] = n
		}
	}
	t.spaces.New = func() any {
		s := &scatteredSpace{rowsZ: newRowsZ(z.dim)}
		for _, length := range lengths {
			s.theta = append(s.theta, make([]float64, length))
		}
		return s
	}
	return t
}

func (t *scattered) count() int { return len(t.terms) }

func (t *scattered) sum(c, grad []float64) (sum float64) {
	s := t.spaces.Get().(*scatteredSpace)
	defer t.spaces.Put(s)
	for _, param := range s.theta {
		clear(param)
	}
	for q, of := range t.terms {
		for i := range s.theta[of.param] {
			s.theta[of.param][i] += c[q] * of.in(i)
		}
	}
	vectors := t.rows(s.rowsZ, s.theta, t.n, grad != nil) // 1 if all trials share their parameters; otherwise one for each trial
	for i := range t.n {
		sum += s.values[min(i, vectors-1)]
	}
	for q := range grad {
		grad[q] = 0
		for i := range t.n {
			grad[q] += s.slopes[t.terms[q].param][min(i, vectors-1)] * t.terms[q].in(i)
		}
	}
	return sum
}

// in returns the factor of the coefficient in trial i.
func (t *term) in(i int) float64 {
	if t.column == nil {
		return 1
	}
	return t.column[i]
}
