// Package sweep compares searches that differ in the weight λ of recovery: the share of their expressions that pass the judge, over
// all expressions and per search.
//
// Expressions from one search are not independent, so intervals come from resampling searches, not expressions.
package sweep

import (
	"cmp"
	"math"
	"slices"

	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// Search is the front of one search, with verdicts.
type Search struct {
	Lambda      float64
	Seed        uint64
	Expressions []Expression // equal expressions come once
	Judge       Judge

	verdicts []*judge.Verdict
}

// Judge identifies the settings and the bank of verdicts.
type Judge struct {
	Bank     string `json:"bank"`
	Method   string `json:"method"`   // nuts, or map for a screen
	Settings string `json:"settings"` // hash of everything on which the fits depend, except the expression
}

// Expression is the verdict on one expression.
type Expression struct {
	Text        string          `json:"expr"`      // text of the expression as the search wrote it
	Canonical   string          `json:"canonical"` // canonical form, which is the same for equal expressions
	Lambda      finite.Number   `json:"lambda"`
	Seed        uint64          `json:"seed"`
	Size        int             `json:"size"` // number of nodes
	Tier        string          `json:"tier,omitempty"`
	Pass        bool            `json:"pass"`            // whether all parameters are recovered
	Honest      honesty.Verdict `json:"honest,omitzero"` // whether errors and intervals are like the reference's; "" if the judge had none
	WeakestR    finite.Number   `json:"weakest_r"`
	Params      []Recovery      `json:"params"` // recovery of each parameter, in the model's order
	Divergences int             `json:"divergences"`
	RhatShare   finite.Number   `json:"rhat_share"` // share of the fits with R-hat above 1.01
	Fits        int             `json:"fits"`
	Limited     int             `json:"limited"`                // number of fits that the limit on gradients cut short
	Gradients   int             `json:"gradients"`              // number of gradients of all fits
	HeldOut     *float64        `json:"mse_held_out,omitempty"` // squared error against the teacher on rows that no search saw
	Search      *front.Search   `json:"search,omitempty"`       // the other fields of its line in the front
}

// Recovery is the recovery of one parameter.
type Recovery struct {
	Name string        `json:"name"`
	R    finite.Number `json:"r"`    // correlation of estimates with the truth; NaN if undefined
	Edge finite.Number `json:"edge"` // share of estimates at a bound
	Pass bool          `json:"pass"`
}

// MSE returns the squared error against the teacher that the search reported; NaN if it did not report one.
func (e *Expression) MSE() float64 {
	if e.Search == nil {
		return math.NaN()
	}
	if mse, ok := e.Search.Terms["mse"]; ok {
		return float64(mse)
	}
	return math.NaN()
}

// weakest returns WeakestR, or -1 if it is undefined.
func (e *Expression) weakest() float64 {
	if e.WeakestR != e.WeakestR {
		return -1
	}
	return float64(e.WeakestR)
}

// Settings determine the intervals of a table.
type Settings struct {
	Resamples int    `json:"resamples"` // number of resamples of the searches, for the intervals
	Seed      uint64 `json:"seed"`      // seed of the resampling
	Top       int    `json:"top"`       // number of best expressions that are judged further
}

// Row summarises the searches with one λ.
type Row struct {
	Lambda    float64     `json:"lambda"`
	Runs      int         `json:"runs"`
	Any       int         `json:"any"`           // number of searches with at least one expression that recovers all parameters
	Pool      int         `json:"pool"`          // number of different expressions of all searches
	Recover   int         `json:"recover"`       // number of expressions of the pool that recover all parameters
	Pooled    float64     `json:"pooled"`        // Recover / Pool
	Mean      float64     `json:"per_search"`    // mean over searches of the share of expressions that recover all parameters
	Interval  [2]float64  `json:"interval"`      // 95 % interval of Mean
	Shares    []float64   `json:"per_search_is"` // the shares, in the order of seeds
	Params    []ParamRate `json:"params"`
	Median    float64     `json:"median_divergences"`   // median number of divergences of the pool's expressions
	Clean     float64     `json:"without_divergence"`   // share of the pool without a divergence
	Tiers     []Tier      `json:"tiers"`                // the cheapest tier first
	Effort    float64     `json:"gradients_a_fit"`      // median over the pool of the number of gradients per fit
	Compared  int         `json:"compared,omitempty"`   // number of expressions of the pool that were compared with a reference
	Honest    int         `json:"honest,omitempty"`     // number of honest expressions among these
	Undecided int         `json:"undecided,omitempty"`  // number of expressions among these for which more subjects would be needed
	AnyHonest int         `json:"any_honest,omitempty"` // number of searches with at least one honest expression
}

// Tier is the share of a pool whose evaluation has the cost of a tier.
type Tier struct {
	Name  string  `json:"name"` // constant, tabulated or streaming
	Share float64 `json:"share"`
}

// ParamRate is the share of a pool that recovers one parameter.
type ParamRate struct {
	Name string  `json:"name"`
	Pass float64 `json:"pass"`
}

// Table returns a row for each λ, in ascending order. Searches may come in any order.
func Table(searches []Search, s Settings) []Row {
	var rows []Row
	for _, group := range groups(searches) {
		rows = append(rows, row(group, s))
	}
	return rows
}

// groups returns the searches of each λ, in ascending order of λ; within a group, by seed.
func groups(searches []Search) [][]Search {
	searches = slices.Clone(searches)
	slices.SortStableFunc(searches, func(a, b Search) int {
		return cmp.Or(cmp.Compare(a.Lambda, b.Lambda), cmp.Compare(a.Seed, b.Seed))
	})
	var out [][]Search
	for from := 0; from < len(searches); {
		to := from
		for to < len(searches) && searches[to].Lambda == searches[from].Lambda {
			to++
		}
		out = append(out, searches[from:to])
		from = to
	}
	return out
}

func row(group []Search, s Settings) Row {
	r := Row{Lambda: group[0].Lambda, Runs: len(group)}
	for _, search := range group {
		recovering := passing(search.Expressions)
		if recovering > 0 {
			r.Any++
		}
		if _, honest, _ := compared(search.Expressions); honest > 0 {
			r.AnyHonest++
		}
		r.Shares = append(r.Shares, share(recovering, len(search.Expressions)))
	}
	r.Mean = mean(r.Shares)
	r.Interval = bootstrap(r.Shares, s)
	pool := Pool(group)
	r.Pool, r.Recover = len(pool), passing(pool)
	r.Pooled = share(r.Recover, r.Pool)
	r.Params = rates(pool)
	r.Median, r.Clean, r.Effort = effort(pool)
	r.Tiers = tiers(pool)
	r.Compared, r.Honest, r.Undecided = compared(pool)
	return r
}

// compared returns the number of expressions that were compared with a reference, and how many of these are honest or undecided.
func compared(list []Expression) (all, honest, undecided int) {
	for _, e := range list {
		switch e.Honest {
		case honesty.Honest:
			honest++
		case honesty.Undecided:
			undecided++
		}
		if e.Honest != "" {
			all++
		}
	}
	return all, honest, undecided
}

// effort returns the median number of divergences, the share of expressions without one, and the median number of gradients per fit.
func effort(pool []Expression) (divergences, clean, gradients float64) {
	var diverged, taken []float64
	n := 0
	for _, e := range pool {
		diverged = append(diverged, float64(e.Divergences))
		if e.Divergences == 0 {
			n++
		}
		if e.Fits > 0 {
			taken = append(taken, float64(e.Gradients)/float64(e.Fits))
		}
	}
	return quantile(diverged, 0.5), share(n, len(pool)), quantile(taken, 0.5)
}

// tiers returns the share of each tier. It ignores expressions that could not be compiled.
func tiers(pool []Expression) []Tier {
	var out []Tier
	for _, name := range []string{"constant", "tabulated", "streaming"} {
		n := 0
		for _, e := range pool {
			if e.Tier == name {
				n++
			}
		}
		out = append(out, Tier{name, share(n, len(pool))})
	}
	return out
}

// Pool returns the expressions of all searches; equal ones come once.
func Pool(group []Search) []Expression {
	var all []Expression
	for _, search := range group {
		all = append(all, search.Expressions...)
	}
	return distinct(all)
}

// distinct returns the first of each set of equal expressions.
func distinct(all []Expression) []Expression {
	seen := map[string]bool{}
	var list []Expression
	for _, e := range all {
		if !seen[e.Canonical] {
			seen[e.Canonical] = true
			list = append(list, e)
		}
	}
	return list
}

func passing(list []Expression) int {
	n := 0
	for _, e := range list {
		if e.Pass {
			n++
		}
	}
	return n
}

func rates(pool []Expression) []ParamRate {
	if len(pool) == 0 {
		return nil
	}
	full := slices.MaxFunc(pool, func(a, b Expression) int { return len(a.Params) - len(b.Params) }) // an expression with the most parameters, because one that did not compile has none
	out := make([]ParamRate, len(full.Params))
	for j, p := range full.Params {
		n := 0
		for _, e := range pool {
			if j < len(e.Params) && e.Params[j].Pass {
				n++
			}
		}
		out[j] = ParamRate{p.Name, share(n, len(pool))}
	}
	return out
}
