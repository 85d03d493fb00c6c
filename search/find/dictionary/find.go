package dictionary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/statistic"
	"likc/runtime/num/stream"
	"likc/runtime/sys/workers"
	"likc/search/find/divergence"
)

// Expression is a member of a front: a log density without its normalising term −log Z.
type Expression struct {
	Expr        *expr.Expr // equal parts are one shared node
	Terms       int        // number of terms in the sum
	Score       Score
	size        int       // number of nodes
	kl          []float64 // the divergence at each fresh parameter vector
	differences []float64 // the largest difference of probabilities at each fresh parameter vector; nil if only trials are known
	fit         int       // the index of the fit that the expression was made from
}

// Size returns the number of nodes. For a library with Shared set, equal parts count once.
func (e *Expression) Size() int { return e.size }

// newExpression scores an expression on fresh parameter vectors, which no coefficient was fitted to.
func (l *Library) newExpression(e *expr.Expr, terms int, fresh *target) Expression {
	e = interned(e)
	kl, differences, _ := fresh.divergences(e)
	x := Expression{Expr: e, Terms: terms, Score: summarise(kl), size: e.Size(), kl: kl, differences: differences}
	if l.Shared {
		x.size = len(expr.Order(e))
	}
	return x
}

// Difference returns the largest difference, over choices and times, between the expression's probability of that choice before that time
// and the teacher's: a distance of Kolmogorov and Smirnov. It is the median over fresh parameter vectors, and NaN if only trials of the
// teacher are known.
func (e *Expression) Difference() float64 { return statistic.Median(e.differences) }

// interned returns an expression in which equal parts are one shared node.
func interned(e *expr.Expr) *expr.Expr { return expr.NewInterner().Map(e) }

// Named returns an expression in which equal parts are one shared node, and those lets whose values occur in it.
func Named(e *expr.Expr, lets []expr.Let) (*expr.Expr, []expr.Let) {
	one := expr.NewInterner()
	e = one.Map(e)
	parts := map[*expr.Expr]bool{}
	for _, n := range expr.Order(e) {
		parts[n] = true
	}
	var used []expr.Let
	for _, l := range lets {
		if value := one.Map(l.Value); parts[value] && len(value.Args) > 0 {
			used = append(used, expr.Let{Name: l.Name, Value: value})
		}
	}
	return e, used
}

// Score is the divergence of an expression from the teacher over fresh parameter vectors, in nats a trial.
type Score struct{ Mean, Median, Worst float64 } // Worst: the 95 % quantile over the vectors

// Find searches the libraries in turn, Runs times in all, for densities near the teacher's. It returns a front, the shortest
// expression first. Each expression is nearer to the teacher than all shorter ones, by the geometric mean of mean and median
// divergence. If the settings' limit of time ends the search, Find returns the front of what was fitted until then, with
// [context.DeadlineExceeded]. The first fit is always made, so that front has an expression. When ctx ends, Find returns only its error.
func Find(ctx context.Context, header *expr.Model, teacher divergence.Density, libraries []*Library, s Settings) ([]Expression, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	place := s.placer(header, teacher)
	limited, stop := s.limited(ctx)
	defer stop()
	fresh, err := place(ctx, s.Tests, 2*s.Nodes)
	if err != nil {
		return nil, err
	}
	var all []Expression
	var behind []*fit // the fit of each expression
	for run, within := 0, ctx; run < s.Runs && within.Err() == nil; run, within = run+1, limited {
		learnt, err := place(within, s.Vectors, s.Nodes)
		switch {
		case within.Err() != nil:
			continue
		case err != nil:
			return nil, err
		}
		l := libraries[run%len(libraries)]
		search := &search{design: newDesign(within, learnt, l, s.Threads), settings: &s, start: l.Start, done: run * s.steps()}
		if within.Err() != nil { // the design may lack terms
			continue
		}
		for _, f := range search.run(limited) {
			e := l.newExpression(f.expr(), len(f.columns), fresh)
			e.fit = len(behind)
			all, behind = append(all, e), append(behind, f)
		}
	}
	if _, drawn := teacher.(Process); drawn {
		relative(all)
	}
	front := refineAll(limited, pareto(all), behind, fresh, s.Threads)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(front) == 0:
		return nil, errors.New("no expression has a finite divergence")
	}
	return front, limited.Err()
}

// placer returns a function that places nodes for n further parameter vectors. The first call gives the fresh ones.
func (s *Settings) placer(header *expr.Model, teacher divergence.Density) func(ctx context.Context, n, nodes int) (*target, error) {
	random := stream.Named(fmt.Sprintf("dictionary %d", s.Seed))
	return func(ctx context.Context, n, nodes int) (*target, error) {
		theta := vectors(header, n, random)
		if process, drawn := teacher.(Process); drawn {
			return newDrawn(ctx, theta, header, process, s, nodes, random)
		}
		return newTarget(ctx, theta, header, teacher, nodes, random)
	}
}

// Carried returns what each term of a sum carries: the score of the sum without it, on the fresh parameter vectors of a search. It returns nil
// for an expression of one term, and if only trials of the teacher are known. Other coefficients stay as they are. Where a share of more than
// mostBeyond of what remains lies at the outermost nodes, it may have no integral, and its divergence is +Inf.
func Carried(ctx context.Context, header *expr.Model, teacher divergence.Density, s Settings, e *expr.Expr) ([]Score, error) {
	terms := expr.Summands(e)
	if _, drawn := teacher.(Process); drawn || len(terms) == 1 {
		return nil, nil
	}
	fresh, err := s.placer(header, teacher)(ctx, s.Tests, 2*s.Nodes)
	if err != nil {
		return nil, err
	}
	all := make([]Score, len(terms))
	err = workers.Try(ctx, len(terms), s.Threads, func(_ context.Context, i int) error {
		rest := expr.SumOf(slices.Delete(slices.Clone(terms), i, i+1))
		kl, _, outermost := fresh.divergences(rest)
		for g, share := range outermost {
			if !(share <= mostBeyond) {
				kl[g] = math.Inf(1)
			}
		}
		all[i] = summarise(kl)
		return nil
	})
	return all, err
}

// limited returns the context of a search that begins now: ctx with the settings' limit of time, if there is one.
func (s *Settings) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.Limit)
}

// refineAll returns the front of `all` and of the same expressions with refined numbers inside their atoms, those that are refined when
// ctx ends. behind holds the fits that Expression.fit counts.
func refineAll(ctx context.Context, all []Expression, behind []*fit, fresh *target, threads int) []Expression {
	better := make([]*Expression, len(all))
	workers.Do(ctx, len(all), threads, func(_, i int) {
		if l, f := behind[all[i].fit].refined(); f != nil {
			f.design = behind[all[i].fit].design.withLibrary(l)
			e := l.newExpression(f.expr(), len(f.columns), fresh)
			better[i] = &e
		}
	})
	for _, e := range better {
		if e != nil {
			all = append(all, *e)
		}
	}
	return pareto(all)
}

// withLibrary returns the design with another library that has the same terms.
func (d *design) withLibrary(l *Library) *design {
	changed := *d
	changed.library = l
	return &changed
}

// expr returns the fit as an expression.
func (f *fit) expr() *expr.Expr {
	terms := make([]int, len(f.columns))
	for i, j := range f.columns {
		terms[i] = f.design.terms[j]
	}
	return f.design.library.Sum(terms, f.rounded())
}

// divergences returns a log density's divergence in each group, after normalising it, and the largest difference of probabilities
// there, as [Expression.Difference] says. outermost holds the share of its probability at the earliest and the latest nodes of all choices.
func (t *target) divergences(e *expr.Expr) (kl, differences, outermost []float64) {
	tape := expr.NewTape(t.symbols, e)
	kl, outermost = make([]float64, t.groups), make([]float64, t.groups)
	ends := [3]int{0, t.lane - len(beyond(0, 0)), t.lane - 1} // the first far time is the earliest, and the last one the latest
	values := make([]float64, t.rows)
	for g := range kl {
		mean, top := 0.0, math.Inf(-1)
		for i := range values {
			r := g*t.rows + i
			out, _ := tape.Eval(values[i:i], t.values[r])
			if t.share[r] > 0 {
				mean += t.share[r] * out[0]
			}
			values[i] = out[0] + t.logWeight[r]
			if !(values[i] < math.Inf(1)) {
				top = math.NaN()
			}
			top = max(top, values[i])
		}
		z := 0.0
		for i, x := range values {
			share := math.Exp(x - top)
			if z += share; slices.Contains(ends[:], i%t.lane) {
				outermost[g] += share
			}
		}
		outermost[g] /= z
		if t.drawn != nil {
			mean = t.meanOf(tape, g)
		}
		kl[g] = t.entropy[g] + top + math.Log(z) - mean
		if t.drawn == nil {
			differences = append(differences, t.difference(g, values, top+math.Log(z)))
		}
	}
	return kl, differences, outermost
}

// mostBeyond is the largest share of an expression's probability at the outermost nodes, far from the teacher's mass, where sums are good.
const mostBeyond = 1e-3

// difference returns the largest difference of probabilities in group g. values holds logs of the expression's masses, and logZ the log of their sum.
func (t *target) difference(g int, values []float64, logZ float64) (most float64) {
	difference := 0.0
	for i, x := range values {
		if i%t.lane == 0 {
			difference = 0
		}
		difference += math.Exp(x-logZ) - t.share[g*t.rows+i]
		most = max(most, math.Abs(difference))
	}
	return most
}

// meanOf returns the mean of an expression over the trials of group g.
func (t *target) meanOf(tape *expr.Tape, g int) float64 {
	n, sum := t.drawn.count, 0.0
	for _, row := range t.drawn.values[g*n : (g+1)*n] {
		out, _ := tape.Eval(nil, row)
		sum += out[0]
	}
	return sum / float64(n)
}

// summarise returns the mean, median and 95 % quantile of divergences.
func summarise(kl []float64) Score {
	kl = slices.Sorted(slices.Values(kl))
	return Score{statistic.Mean(kl), kl[len(kl)/2], kl[int(0.95*float64(len(kl)-1))]}
}

// leastGain is how much an expression must lower the sum of log mean and log median divergence, compared with all shorter ones, to
// be on the front.
const leastGain = 0.02

// pareto returns the expressions that are nearer to the teacher than all shorter ones, by the sum of log mean and log median
// divergence.
func pareto(all []Expression) (front []Expression) {
	slices.SortStableFunc(all, func(a, b Expression) int {
		return cmp.Or(a.Size()-b.Size(), cmp.Compare(a.Score.log(), b.Score.log()))
	})
	best := math.Inf(1)
	for _, e := range all {
		if x := e.Score.log(); x < best-leastGain {
			front, best = append(front, e), x
		}
	}
	return front
}

// log returns the log of mean times median.
func (s Score) log() float64 {
	if !(s.Mean < math.Inf(1)) {
		return math.Inf(1)
	}
	return math.Log(max(s.Mean, 1e-9)) + math.Log(max(s.Median, 1e-9))
}

// String writes an expression's size and score.
func (e *Expression) String() string {
	return fmt.Sprintf("%d nodes, %d terms: median %.5f, mean %.5f, 95 %% %.5f: %v", e.Size(), e.Terms, e.Score.Median, e.Score.Mean, e.Score.Worst, e.Expr)
}
