package judge

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
)

// Summary counts verdicts.
type Summary struct {
	Candidates int            `json:"candidates"`
	Unique     int            `json:"unique"` // number of different forms
	Tiers      map[string]int `json:"tiers"`  // number of forms for each tier, which is the cost of an evaluation
	All        Group          `json:"all"`
	Lambdas    []Group        `json:"lambdas,omitempty"` // one group for each λ, if the verdicts are on fronts
	Fits       int            `json:"fits"`
	Failed     int            `json:"failed_fits"`
	Limited    int            `json:"limited_fits"`
	GivenUp    int            `json:"given_up"`   // number of forms for which the judge gave up
	RhatShare  finite.Number  `json:"rhat_share"` // share of the successful fits whose R-hat is above HighRhat
	Gradients  int            `json:"gradients"`
}

// Group counts the verdicts on the expressions of some searches. A search is identified by file, λ and seed.
type Group struct {
	Lambda      finite.Number   `json:"lambda"`
	Searches    int             `json:"searches"`
	Any         int             `json:"any"`              // number of searches with at least one expression that passes
	Unique      int             `json:"unique"`           // number of different forms
	Pass        int             `json:"pass"`             // number of forms that pass
	Share       finite.Number   `json:"share"`            // Pass / Unique
	Interval    []finite.Number `json:"interval_95"`      // 95 % bootstrap interval of Share, over searches
	PerSearch   finite.Number   `json:"share_per_search"` // mean over searches of the share of forms that pass
	Params      []Share         `json:"params"`
	Divergences finite.Number   `json:"median_divergences"`  // median over candidates of the number of divergences in all fits
	Limited     int             `json:"limited_forms"`       // different forms with a fit that the limit on gradients cut short
	Compared    int             `json:"compared,omitempty"`  // different forms that were compared with a reference
	Honest      int             `json:"honest,omitempty"`    // number of honest forms among these
	Undecided   int             `json:"undecided,omitempty"` // number of undecided forms among these, for which more subjects would be needed
}

// Share is the share of different forms that recover a parameter.
type Share struct {
	Name  string        `json:"name"`
	Share finite.Number `json:"share"`
}

// Summarise counts verdicts. The same verdicts give the same intervals.
func Summarise(all []*Verdict) Summary {
	s := Summary{Candidates: len(all), Tiers: map[string]int{}}
	high, done := 0, 0
	for _, v := range unique(all) {
		s.Unique++
		tier := v.Tier
		if tier == "" {
			tier = "other"
		}
		s.Tiers[tier]++
		s.Fits += v.Fitted
		s.Failed += v.Failed
		s.Limited += v.Limited
		s.Gradients += v.Gradients
		if v.Reason != "" {
			s.GivenUp++
		}
		high += v.RhatHigh
		done += v.Fitted - v.Failed
	}
	s.RhatShare = ratio(high, done)
	s.All = count(all)
	s.All.Lambda = undefined()
	groups := map[finite.Number][]*Verdict{}
	for _, v := range all {
		if v.Lambda == v.Lambda {
			groups[v.Lambda] = append(groups[v.Lambda], v)
		}
	}
	for lambda, list := range groups {
		g := count(list)
		g.Lambda = lambda
		s.Lambdas = append(s.Lambdas, g)
	}
	slices.SortFunc(s.Lambdas, func(a, b Group) int { return cmp.Compare(a.Lambda, b.Lambda) })
	return s
}

// key returns a text that is the same for two verdicts if they are on the same form.
func (v *Verdict) key() string {
	if v.Simplified == "" {
		return "model " + v.Model + v.Teacher + v.Text
	}
	return v.Simplified
}

// unique returns the first verdict on each form.
func unique(all []*Verdict) []*Verdict {
	seen := map[string]bool{}
	var list []*Verdict
	for _, v := range all {
		if !seen[v.key()] {
			seen[v.key()] = true
			list = append(list, v)
		}
	}
	return list
}

// ratio returns a/b.
func ratio(a, b int) finite.Number { return finite.Number(float64(a) / float64(b)) }

func count(all []*Verdict) Group {
	g := Group{Params: []Share{}}
	var divergences []float64
	recovered := map[string]int{}
	for _, v := range unique(all) {
		g.Unique++
		if v.Pass {
			g.Pass++
		}
		if v.Limited > 0 {
			g.Limited++
		}
		switch v.Honest {
		case honesty.Honest:
			g.Honest++
		case honesty.Undecided:
			g.Undecided++
		}
		if v.Honest != "" {
			g.Compared++
		}
		divergences = append(divergences, float64(v.Divergences))
		for _, name := range v.Recovered {
			recovered[name]++
		}
	}
	for _, name := range paramNames(all) {
		g.Params = append(g.Params, Share{name, ratio(recovered[name], g.Unique)})
	}
	g.Share, g.Divergences = ratio(g.Pass, g.Unique), finite.Number(statistic.Median(divergences))
	g.searches(all)
	return g
}

// paramNames returns the parameters of all candidates, in the order of their first occurrence.
func paramNames(all []*Verdict) (names []string) {
	for _, v := range all {
		for _, p := range v.Params {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// tally holds the number of a search's expressions that pass, and the number of all its expressions.
type tally struct{ pass, total int }

// searches sets the figures that count searches.
func (g *Group) searches(all []*Verdict) {
	type search struct {
		file   string
		lambda finite.Number
		seed   uint64
	}
	indices := map[search]int{}
	var list [][]*Verdict
	for _, v := range all {
		if v.File == "" {
			continue
		}
		key := search{v.File, v.Lambda, v.Seed}
		if v.Lambda != v.Lambda {
			key.lambda = -1 // λ is unknown; NaN would not equal itself as a key
		}
		if _, known := indices[key]; !known {
			indices[key] = len(list)
			list = append(list, nil)
		}
		list[indices[key]] = append(list[indices[key]], v)
	}
	var tallies []tally
	mean := 0.0
	for _, vs := range list {
		var t tally
		for _, v := range unique(vs) {
			t.total++
			if v.Pass {
				t.pass++
			}
		}
		if t.pass > 0 {
			g.Any++
		}
		mean += float64(t.pass) / float64(t.total)
		tallies = append(tallies, t)
	}
	g.Searches, g.PerSearch = len(tallies), finite.Number(mean/float64(len(tallies)))
	g.Interval = bootstrap(tallies)
}

// resamples is the number of resamples of the bootstrap.
const resamples = 4000

// bootstrap returns the central 95 % interval of the pooled share when whole searches are drawn with replacement, because the
// expressions of one search are not independent. It returns nil for fewer than two searches.
func bootstrap(tallies []tally) []finite.Number {
	if len(tallies) < 2 {
		return []finite.Number{}
	}
	rng := rand.New(rand.NewPCG(95, uint64(len(tallies))))
	shares := make([]finite.Number, resamples)
	for i := range shares {
		var sum tally
		for range tallies {
			t := tallies[rng.IntN(len(tallies))]
			sum.pass += t.pass
			sum.total += t.total
		}
		shares[i] = ratio(sum.pass, sum.total)
	}
	slices.Sort(shares)
	return []finite.Number{shares[resamples*25/1000], shares[resamples*975/1000-1]}
}
