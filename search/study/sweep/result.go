package sweep

import (
	"cmp"
	"fmt"
	"slices"

	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// Result is the content of sweep.json.
type Result struct {
	Format    int           `json:"format"`
	Settings  Settings      `json:"settings"`
	Searches  int           `json:"searches"`
	Rows      []Row         `json:"rows"`
	Best      []Expression  `json:"best"`            // expressions that recover all parameters, the highest weakest correlation first
	ByMSE     *Expression   `json:"by_mse"`          // the expression with the smallest squared error against the teacher
	Pool      []Expression  `json:"pool"`            // all expressions, where equal ones of one λ come once
	MedianMSE finite.Number `json:"pool_median_mse"` // squared errors on the search's own rows

	Judges     []Judge          `json:"judges"` // judges of the verdicts; more than one if settings or banks differ
	Predictors []Predictor      `json:"predictors"`
	HeldOut    *HeldOut         `json:"held_out_rows,omitempty"`
	Refit      *Refit           `json:"refit,omitempty"`
	Screen     *Screen          `json:"screen,omitempty"`
	Models     []*judge.Verdict `json:"models,omitempty"`   // verdicts on known models, for comparison
	Subjects   []*judge.Verdict `json:"held_out,omitempty"` // verdicts on held-out subjects

	searches []Search
}

// New joins the searches into a result.
func New(searches []Search, s Settings) (*Result, error) {
	r := &Result{Format: formatVersion, Settings: s, Searches: len(searches), Rows: Table(searches, s), Best: []Expression{}, searches: searches}
	for _, group := range groups(searches) {
		r.Pool = append(r.Pool, Pool(group)...)
		for _, search := range group {
			if !slices.Contains(r.Judges, search.Judge) {
				r.Judges = append(r.Judges, search.Judge)
			}
		}
	}
	r.rank()
	r.predict()
	return r, nil
}

// rank finds the best expressions, and the one with the smallest squared error.
func (r *Result) rank() {
	seen := map[string]bool{}
	var errs []float64
	for i, e := range r.Pool {
		if e.Pass && !seen[e.Canonical] {
			seen[e.Canonical] = true
			r.Best = append(r.Best, e)
		}
		mse := e.MSE()
		if mse != mse {
			continue
		}
		errs = append(errs, mse)
		if r.ByMSE == nil || mse < r.ByMSE.MSE() {
			r.ByMSE = &r.Pool[i]
		}
	}
	slices.SortStableFunc(r.Best, func(a, b Expression) int { return -cmp.Compare(a.WeakestR, b.WeakestR) })
	r.MedianMSE = finite.Number(quantile(errs, 0.5))
}

// First returns the n best expressions: those that recover all parameters, then those that come closest.
func (r *Result) First(n int) []Expression {
	list, seen := slices.Clone(r.Best), map[string]bool{}
	for _, e := range list {
		seen[e.Canonical] = true
	}
	rest := slices.Clone(r.Pool)
	slices.SortStableFunc(rest, func(a, b Expression) int { return -cmp.Compare(a.weakest(), b.weakest()) })
	for _, e := range rest {
		if !seen[e.Canonical] {
			seen[e.Canonical] = true
			list = append(list, e)
		}
	}
	return list[:min(n, len(list))]
}

// Top returns the n best expressions, see First, and the one with the smallest squared error, as lines of a front.
func (r *Result) Top(n int) []front.Line {
	list := r.First(n)
	if r.ByMSE != nil && !slices.ContainsFunc(list, func(e Expression) bool { return e.Canonical == r.ByMSE.Canonical }) {
		list = append(list, *r.ByMSE)
	}
	return lines(list)
}

// lines returns expressions as lines of a front.
func lines(list []Expression) (out []front.Line) {
	for i := range list {
		out = append(out, list[i].line())
	}
	return out
}

// AddModels adds verdicts on known models, from the same subjects, for comparison.
func (r *Result) AddModels(models []*judge.Verdict) error {
	for _, v := range models {
		if by := judgeOf(v); len(r.Judges) > 0 && (by.Bank != r.Judges[0].Bank || by.Method != r.Judges[0].Method) {
			return fmt.Errorf("%s: %s, and the others are %s: want the same bank", v.Model, by, r.Judges[0])
		}
	}
	r.Models = models
	return nil
}

// AddHeldOut adds verdicts on the best expressions from subjects that were not used to rank them.
func (r *Result) AddHeldOut(held []*judge.Verdict) error {
	for _, v := range held {
		if by := judgeOf(v); len(r.Judges) > 0 && by.Bank == r.Judges[0].Bank {
			return fmt.Errorf("%s: %s, which ranked the expressions: want other subjects", v.Model, by)
		}
	}
	r.Subjects = held
	return nil
}

// Model returns the name of the simulator's model in the fronts; "" if they do not give it.
func (r *Result) Model() string {
	for i := range r.Pool {
		if s := r.Pool[i].Search; s != nil && s.Model != "" {
			return s.Model
		}
	}
	return ""
}
