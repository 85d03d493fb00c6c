package fit

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// The data are simulated from fewestCopies to mostCopies times for the smooth test, and smoothTrials trials altogether if that is
// between. The posterior covariance uses all draws if draws times groups of rows are at most mostEvaluated.
const (
	smoothTrials  = 60_000
	fewestCopies  = 10
	mostCopies    = 100
	mostEvaluated = 4_000_000
)

// shapes holds copies of the data that the posterior predicts, from which the smooth test is computed.
type shapes struct {
	*Result
	copies  int
	groups  [][]int     // rows with the same parameters
	group   []int       // for each row: its group
	codes   []float64   // codes of the choices; one number for a model without choice
	own     []response  // responses of the data
	drawn   []response  // responses of the copies, one copy after another
	score   [][]float64 // for each parameter: the derivative of the log density of each drawn response
	ordered ranks
}

// response is the response to a trial: the index of its choice, or the number of choices for none.
type response struct {
	rt   float64
	kind int
}

// CheckShapes returns the smooth test of each set of rows. It returns nil if the test does not apply: if nothing simulates the rows
// independently of each other, if the model is no density of the simulated trials, or if there are too few independent draws.
func (r *Result) CheckShapes(ctx context.Context, simulator *Simulator, seed uint64, sets [][]int) ([]*SmoothCheck, error) {
	m := r.Study.Model()
	if simulator == nil || simulator.prepared == nil || !predictsShapes(m, simulator.prepared) || r.fewDraws() {
		return nil, nil
	}
	s := &shapes{Result: r, copies: min(max(smoothTrials/r.Trials(), fewestCopies), mostCopies), codes: []float64{0}}
	if m.Choice != "" {
		s.codes = m.Codes()
	}
	if err := s.simulate(ctx, simulator, seed); err != nil {
		return nil, err
	}
	s.rank()
	all := make([]*SmoothCheck, len(sets))
	for i, rows := range sets {
		all[i] = s.check(rows)
	}
	return all, ctx.Err()
}

// fewDraws reports whether draws are worth too few independent ones for a posterior covariance. Then the smooth test would call right
// models a misfit.
func (r *Result) fewDraws() bool {
	const fewest = 100
	return r.Summary != nil && slices.ContainsFunc(r.Summary.Params, func(p chains.Summary) bool { return p.ESSBulk < fewest })
}

// predictsShapes reports whether trials of a model depend on no earlier trials, and are simulated from the density that is fitted.
func predictsShapes(m *catalog.Model, b *bound.Prepared) bool {
	_, session := m.Session()
	_, process := m.Simulator()
	substitute := process && m.Origin.Kind == catalog.Formula && !m.Normalise // a formula fitted in place of the process's density
	return !session && !substitute && !m.Stateful() && m.TimeColumn() >= 0 && NotDensity(m, b) == ""
}

// simulate fills the responses of the data and of the copies, and the scores. Each copy has another draw's parameters.
func (s *shapes) simulate(ctx context.Context, simulator *Simulator, seed uint64) error {
	m, d, at := s.Study.Model(), s.Draws.Common(), s.Study.Rows()
	n := s.Trials()
	s.groups, s.group = at.Groups(), make([]int, n)
	for g, rows := range s.groups {
		for _, row := range rows {
			s.group[row] = g
		}
	}
	times := s.Times(m)
	s.own = s.responses(times, s.Choice, func(i int) bool { return s.Choice == nil || s.Choice[i] != trials.Omitted })
	s.score = make([][]float64, len(m.Params))
	return s.Predictor(simulator, seed).Each(ctx, d, s.copies, func(k int, rt, choice []float64) error {
		c := drawOf(d, k, s.copies)
		at.Draw(d, c/d.Len(), c%d.Len())
		score, err := scores(simulator.prepared, s.copied(rt, choice), at.All())
		if err != nil {
			return err
		}
		for j := range score {
			s.score[j] = append(s.score[j], score[j]...)
		}
		answered := func(i int) bool { return s.Answers(i, rt[i], codeOf(choice, i)) }
		s.drawn = append(s.drawn, s.responses(onGrid(times, rt), choice, answered)...)
		return nil
	})
}

// codeOf returns the code of a choice, 0 for a model without choice.
func codeOf(choice []float64, i int) float64 {
	if choice == nil {
		return 0
	}
	return choice[i]
}

// responses returns the responses to all rows.
func (s *shapes) responses(rt, choice []float64, answered func(row int) bool) []response {
	all := make([]response, len(rt))
	for i := range all {
		all[i] = response{rt[i], len(s.codes)}
		if answered(i) {
			all[i].kind = slices.Index(s.codes, codeOf(choice, i))
			if len(s.codes) == 1 {
				all[i].kind = 0
			}
		}
	}
	return all
}

// copied returns the data with other responses.
func (s *shapes) copied(rt, choice []float64) kernel.Trials {
	m, of := s.Study.Model(), Subject{Columns: slices.Clone(s.Columns), Deadlines: s.Deadlines, Go: s.Go}
	of.Columns[m.TimeColumn()] = slices.Clone(rt)
	of.Choice = slices.Clone(choice)
	if s.Deadlines != nil {
		of.Omit(m)
	}
	return kernel.Trials{Columns: of.Columns, Choice: of.Choice, Person: s.Person}
}

// scores returns the derivative of the log density of each trial with respect to each parameter of the trial.
func scores(b *bound.Prepared, t kernel.Trials, theta [][]float64) ([][]float64, error) {
	rows, err := b.Rows(t)
	if err != nil {
		return nil, err
	}
	n := rows.N()
	score := make([][]float64, rows.Dim())
	for j := range score {
		score[j] = make([]float64, n)
	}
	rows.Each(theta, make([]float64, n), score)
	return score, nil
}

// check tests a set of rows.
func (s *shapes) check(rows []int) *SmoothCheck {
	d, slope := s.components(rows)
	d.posterior = s.ofPosterior(slope)
	c := d.test()
	if c == nil {
		return nil
	}
	c.Farthest = s.farthest(d)
	return c
}

// components returns the sums of components over a set of rows with their expectations, and their covariance at fixed parameters. It
// also returns, for each group, the derivatives of the expectations of its rows with respect to parameters: the covariances of
// components and scores.
func (s *shapes) components(rows []int) (d *deviations, slope []*mat.Dense) {
	n := len(shapeKinds) * (len(s.codes) + 1)
	d = &deviations{sum: make([]float64, n), within: mat.NewSymDense(n, nil), expected: make([]float64, n), copies: float64(s.copies)}
	slope = make([]*mat.Dense, len(s.groups))
	mean, score := mat.NewVecDense(n, nil), make([]float64, len(s.score))
	free := 1 / (d.copies - 1)
	for _, row := range rows {
		g := s.group[row]
		if slope[g] == nil {
			slope[g] = mat.NewDense(n, len(s.score), nil)
		}
		mean.Zero()
		for j := range score {
			score[j] = 0
			for k := row; k < len(s.drawn); k += s.Trials() {
				score[j] += s.score[j][k] / d.copies
			}
		}
		for k := row; k < len(s.drawn); k += s.Trials() {
			first, values := s.parts(s.drawn[k], g)
			for a, x := range values {
				i := first + a
				mean.SetVec(i, mean.AtVec(i)+x/d.copies)
				d.expected[i] += 1 / d.copies
				for b, y := range values[:a+1] {
					d.within.SetSym(i, first+b, d.within.At(i, first+b)+free*x*y)
				}
				for j, middle := range score {
					slope[g].Set(i, j, slope[g].At(i, j)+free*x*(s.score[j][k]-middle))
				}
			}
		}
		d.within.SymRankOne(d.within, -free*d.copies, mean)
		first, values := s.parts(s.own[row], g)
		for a, x := range values {
			d.sum[first+a] += x
		}
		for i := range d.sum {
			d.sum[i] -= mean.AtVec(i)
		}
	}
	return d, slope
}

// parts returns a response's summands of components, and the index of the first of these components. A trial without a response has
// no time, so its other components stay 0.
func (s *shapes) parts(r response, group int) (first int, values [len(shapeKinds)]float64) {
	if first = r.kind * len(shapeKinds); r.kind == len(s.codes) {
		return first, [...]float64{1, 0, 0}
	}
	return first, legendre(s.ordered.position(r, group))
}

// ofPosterior returns the posterior covariance of the expectations of components, which are linear in the parameters of each group.
func (s *shapes) ofPosterior(slope []*mat.Dense) *mat.SymDense {
	draws, at := s.Draws.Common(), s.Study.Rows()
	used := min(len(draws.Chains)*draws.Len(), max(mostEvaluated/len(s.groups), mostCopies))
	theta := mat.NewVecDense(len(s.score), nil)
	var expectations []*mat.VecDense
	for k := range used {
		c := drawOf(draws, k, used)
		at.Draw(draws, c/draws.Len(), c%draws.Len())
		sum, part := mat.NewVecDense(len(shapeKinds)*(len(s.codes)+1), nil), new(mat.VecDense)
		for g, of := range slope {
			if of != nil {
				at.Theta(s.groups[g][0], theta.RawVector().Data)
				part.MulVec(of, theta)
				sum.AddVec(sum, part)
			}
		}
		expectations = append(expectations, sum)
	}
	return covarianceOf(expectations)
}

// covarianceOf returns the covariance of a sample of vectors, which it centres.
func covarianceOf(all []*mat.VecDense) *mat.SymDense {
	n := all[0].Len()
	out, mean := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for _, x := range all {
		mean.AddScaledVec(mean, 1/float64(len(all)), x)
	}
	for _, x := range all {
		x.SubVec(x, mean)
		out.SymRankOne(out, 1/float64(len(all)-1), x)
	}
	return out
}

// drawOf returns the number of the k-th of n draws, evenly spaced over all chains.
func drawOf(d *chains.Draws, k, n int) int { return k * len(d.Chains) * d.Len() / n }

// leastFree is the smallest share of a component's variance that fitting must leave so that a message can name the component.
const leastFree = 0.1

// farthest returns the component that is farthest from its expectation, among those that the fit leaves free.
func (s *shapes) farthest(d *deviations) (shape *Shape) {
	full := d.covariance()
	for _, i := range d.used() {
		if full.At(i, i) < leastFree*d.within.At(i, i) {
			continue
		}
		score := finite.Number(d.sum[i] / math.Sqrt(full.At(i, i)))
		if kind := i / len(shapeKinds); shape == nil || math.Abs(float64(score)) > math.Abs(float64(shape.Scores)) {
			shape = &Shape{Kind: shapeKinds[i%len(shapeKinds)], Omission: kind == len(s.codes), Scores: score}
			if !shape.Omission && s.Study.Model().Choice != "" {
				shape.Choice = json.Number(strconv.FormatFloat(s.codes[kind], 'g', -1, 64))
			}
		}
	}
	return shape
}
