package sweep

import (
	"cmp"
	"math"
	"slices"

	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
)

// Predictor says how well a figure that the search computed predicts the judge's verdict.
type Predictor struct {
	Name     string           `json:"name"`
	Forms    int              `json:"forms"`         // number of expressions for which the search computed the figure
	AUC      finite.Number    `json:"auc"`           // probability that an expression that passes has a higher figure than one that does not
	Interval [2]finite.Number `json:"interval"`      // 95 % bootstrap interval of AUC; searches are resampled within each λ
	Spearman finite.Number    `json:"spearman"`      // rank correlation with the weakest correlation; undefined ones rank last
	Lambdas  []finite.Number  `json:"auc_by_lambda"` // AUC among the expressions of one λ, in the order of the table
}

// figure is a number that the search computed for an expression, larger for a better one; NaN if it did not compute it.
type figure struct {
	name string
	of   func(l *front.Line, e *Expression) float64
}

// figures returns the figures of the two proxies (the paper, "Two choices in the recovery objective"), and of the fit.
func figures() []figure {
	var list []figure
	for _, p := range []proxy{{rho: "rho_", edge: "edge_"}, {name: "joint ", rho: "joint_", edge: "joint_edge_"}} {
		list = append(list,
			figure{p.name + "ρ − edge, mean", p.figure(mean, 1, 1)},
			figure{p.name + "ρ − edge, minimum", p.figure(slices.Min[[]float64], 1, 1)},
			figure{p.name + "ρ alone, mean", p.figure(mean, 1, 0)},
			figure{p.name + "edge alone, mean", p.figure(mean, 0, 1)})
	}
	return append(list,
		figure{"R, as the loss takes it", func(l *front.Line, _ *Expression) float64 { return term(l, "R") }},
		figure{"loss", func(l *front.Line, _ *Expression) float64 { return -float64(l.Loss) }},
		figure{"squared error", func(l *front.Line, _ *Expression) float64 { return -term(l, "mse") }},
		figure{"robust distance", func(l *front.Line, _ *Expression) float64 { return -term(l, "robust") }},
		figure{"squared error, held out", func(_ *front.Line, e *Expression) float64 {
			if e.HeldOut == nil {
				return math.NaN()
			}
			return -*e.HeldOut
		}})
}

// proxy holds the names of a recovery proxy's terms: correlations and shares at an edge, one for each parameter.
type proxy struct{ name, rho, edge string }

// figure returns a function that computes ρ − edge, with the given weights, for each parameter, and joins these numbers. For an
// expression without values of this proxy all terms are 0, and the figure is NaN.
func (p proxy) figure(join func([]float64) float64, rho, edge float64) func(*front.Line, *Expression) float64 {
	return func(l *front.Line, e *Expression) float64 {
		x := make([]float64, len(e.Params))
		seen := false
		for j, q := range e.Params {
			r, at := term(l, p.rho+q.Name), term(l, p.edge+q.Name)
			seen = seen || r != 0 || at != 0
			x[j] = rho*r - edge*at
		}
		if !seen {
			return math.NaN()
		}
		return join(x)
	}
}

// Proxy returns the mean of ρ − edge over the parameters in the search's grid proxy; NaN if the search did not report it.
func (e *Expression) Proxy() float64 {
	l := e.line()
	return proxy{rho: "rho_", edge: "edge_"}.figure(mean, 1, 1)(&l, e)
}

// term returns a term of the loss of a line; NaN if the line lacks it.
func term(l *front.Line, name string) float64 {
	if x, ok := l.Terms[name]; ok {
		return float64(x)
	}
	return math.NaN()
}

// predict computes the predictors from the pool. It skips figures that the search computed for no expression.
func (r *Result) predict() {
	found := lines(r.Pool)
	strata, index := r.strata()
	r.Predictors = nil
	for _, f := range figures() {
		var list []rated
		var of, weakest []float64
		for i := range r.Pool {
			e := &r.Pool[i]
			x := f.of(&found[i], e)
			if math.IsNaN(x) {
				continue
			}
			list = append(list, rated{x, e.Pass, index[identity{e.Lambda, e.Seed}]})
			of, weakest = append(of, x), append(weakest, e.weakest())
		}
		if len(list) > 0 {
			p := Predictor{Name: f.name, Forms: len(list)}
			p.Spearman = finite.Number(statistic.Spearman(of, weakest))
			p.rate(list, strata, r.Settings)
			r.Predictors = append(r.Predictors, p)
		}
	}
}

// identity identifies a search.
type identity struct {
	lambda finite.Number
	seed   uint64
}

// strata returns the numbers of the searches, grouped by λ, and the number of each search.
func (r *Result) strata() (strata [][]int, index map[identity]int) {
	index = map[identity]int{}
	for _, group := range groups(r.searches) {
		var stratum []int
		for _, s := range group {
			stratum = append(stratum, len(index))
			index[identity{finite.Number(s.Lambda), s.Seed}] = len(index)
		}
		strata = append(strata, stratum)
	}
	return strata, index
}

// rate computes the areas under the ROC curve: over all searches, and over those of each stratum. auc takes a weight for each search.
func (p *Predictor) rate(list []rated, strata [][]int, s Settings) {
	slices.SortStableFunc(list, func(a, b rated) int { return cmp.Compare(a.figure, b.figure) })
	n := 0
	for _, stratum := range strata {
		n += len(stratum)
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	p.AUC = finite.Number(auc(list, ones))
	interval := aucInterval(list, strata, s)
	p.Interval = [2]finite.Number{finite.Number(interval[0]), finite.Number(interval[1])}
	for _, stratum := range strata {
		only := make([]float64, n)
		for _, i := range stratum {
			only[i] = 1
		}
		p.Lambdas = append(p.Lambdas, finite.Number(auc(list, only)))
	}
}
