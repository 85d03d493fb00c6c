package sweep

import (
	"cmp"
	"slices"

	"likc/search/front"
)

// Result is sweep.json.
type Result struct {
	Settings  Settings     `json:"settings"`
	Searches  int          `json:"searches"`
	Rows      []Row        `json:"rows"`
	Best      []Expression `json:"best"`            // the ones that recover all parameters, best weakest correlation first
	ByMSE     *Expression  `json:"by_mse"`          // the one with the least squared error against the teacher
	Pool      []Expression `json:"pool"`            // all of them, equal ones of one λ once
	MedianMSE front.Number `json:"pool_median_mse"` // squared errors on the search's own rows
}

// New joins the searches.
func New(searches []Search, s Settings) *Result {
	r := &Result{Settings: s, Searches: len(searches), Rows: Table(searches, s), Best: []Expression{}}
	for _, group := range groups(searches) {
		r.Pool = append(r.Pool, Pool(group)...)
	}
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
	r.MedianMSE = front.Number(quantile(errs, 0.5))
	return r
}

// First are the n best expressions: those that recover all parameters, then those that come closest.
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

// Top are the lines of a front with the n best expressions, as First gives them, and the one with
// the least squared error.
func (r *Result) Top(n int) ([]front.Line, error) {
	list := r.First(n)
	if r.ByMSE != nil && !slices.ContainsFunc(list, func(e Expression) bool { return e.Canonical == r.ByMSE.Canonical }) {
		list = append(list, *r.ByMSE)
	}
	var lines []front.Line
	for _, e := range list {
		l, err := e.line()
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}
