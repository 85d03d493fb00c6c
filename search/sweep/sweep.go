// Package sweep compares searches that differ in the weight of recovery λ: which share of their expressions the judge
// passes, pooled and per search.
//
// The search, not the expression, is the unit of replication: all expressions of one search share it. So intervals come
// from resampling searches.
package sweep

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"

	"likc/search/front"
)

// Search is one search's front, judged.
type Search struct {
	Lambda      float64
	Seed        uint64
	Expressions []Expression
}

// Expression is what the judge said of one.
type Expression struct {
	Text        string          `json:"expr"`      // as the search wrote it
	Canonical   string          `json:"canonical"` // equal for equal expressions
	Lambda      front.Number    `json:"lambda"`
	Seed        uint64          `json:"seed"`
	Size        int             `json:"size"` // nodes
	Tier        string          `json:"tier,omitempty"`
	Pass        bool            `json:"pass"` // all parameters recovered
	WeakestR    front.Number    `json:"weakest_r"`
	Params      []Recovery      `json:"params"` // in the model's order
	Divergences int             `json:"divergences"`
	Search      json.RawMessage `json:"search,omitempty"` // the rest of its line in the front
}

// Recovery of one parameter.
type Recovery struct {
	Name string       `json:"name"`
	R    front.Number `json:"r"`    // correlation with the truth, NaN if undefined
	Edge front.Number `json:"edge"` // share of estimates at a bound
	Pass bool         `json:"pass"`
}

// MSE is the squared error against the teacher that the search reported; NaN if it reported none.
func (e *Expression) MSE() float64 {
	var line struct {
		Terms map[string]front.Number `json:"terms"`
	}
	if json.Unmarshal(e.Search, &line) != nil {
		return math.NaN()
	}
	if mse, ok := line.Terms["mse"]; ok {
		return float64(mse)
	}
	return math.NaN()
}

// weakest is WeakestR, or -1 where it is undefined.
func (e *Expression) weakest() float64 {
	if e.WeakestR != e.WeakestR {
		return -1
	}
	return float64(e.WeakestR)
}

// Settings of a table.
type Settings struct {
	Resamples int    `json:"resamples"` // of searches, for the intervals
	Seed      uint64 `json:"seed"`      // of the resampling
}

// Row says what became of the searches with one λ.
type Row struct {
	Lambda   float64     `json:"lambda"`
	Runs     int         `json:"runs"`
	Any      int         `json:"any"`           // searches with at least one expression that recovers all parameters
	Pool     int         `json:"pool"`          // expressions of all searches, equal ones counted once
	Recover  int         `json:"recover"`       // of these, the ones that recover all parameters
	Pooled   float64     `json:"pooled"`        // Recover / Pool
	Mean     float64     `json:"per_search"`    // mean over searches of the share that recovers all
	Interval [2]float64  `json:"interval"`      // of Mean, 95%
	Shares   []float64   `json:"per_search_is"` // the shares, in the order of seeds
	Params   []ParamRate `json:"params"`
	Median   float64     `json:"median_divergences"` // per expression of the pool
	Clean    float64     `json:"without_divergence"` // share of the pool
}

// ParamRate is the share of a pool that recovers one parameter.
type ParamRate struct {
	Name string  `json:"name"`
	Pass float64 `json:"pass"`
}

// Table has a row for each λ, in ascending order. Searches may come in any order.
func Table(searches []Search, s Settings) []Row {
	var rows []Row
	for _, group := range groups(searches) {
		rows = append(rows, row(group, s))
	}
	return rows
}

// groups are the searches of each λ in ascending order, by seed.
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
		r.Shares = append(r.Shares, share(recovering, len(search.Expressions)))
	}
	r.Mean = mean(r.Shares)
	r.Interval = bootstrap(r.Shares, s)
	pool := Pool(group)
	r.Pool, r.Recover = len(pool), passing(pool)
	r.Pooled = share(r.Recover, r.Pool)
	r.Params = rates(pool)
	divergences := make([]float64, len(pool))
	clean := 0
	for i, e := range pool {
		divergences[i] = float64(e.Divergences)
		if e.Divergences == 0 {
			clean++
		}
	}
	r.Median, r.Clean = quantile(divergences, 0.5), share(clean, len(pool))
	return r
}

// Pool joins the expressions of searches; of equal ones it keeps the first.
func Pool(group []Search) []Expression {
	seen := map[string]bool{}
	var pool []Expression
	for _, search := range group {
		for _, e := range search.Expressions {
			if !seen[e.Canonical] {
				seen[e.Canonical] = true
				pool = append(pool, e)
			}
		}
	}
	return pool
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
	out := make([]ParamRate, len(pool[0].Params))
	for j, p := range pool[0].Params {
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

// bootstrap is the 95% percentile interval of the mean over searches.
func bootstrap(x []float64, s Settings) [2]float64 {
	if len(x) == 0 || s.Resamples < 1 {
		return [2]float64{}
	}
	random := rand.New(rand.NewPCG(s.Seed, uint64(len(x))))
	means := make([]float64, s.Resamples)
	for i := range means {
		for range x {
			means[i] += x[random.IntN(len(x))] / float64(len(x))
		}
	}
	return [2]float64{quantile(means, 0.025), quantile(means, 0.975)}
}

// quantile interpolates between order statistics; it sorts x.
func quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	whole, part := math.Modf(p * float64(len(x)-1))
	i := int(whole)
	return x[i] + part*(x[min(i+1, len(x)-1)]-x[i])
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

// share is 0 of nothing.
func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }
