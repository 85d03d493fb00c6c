package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// These are the reasons to doubt a verdict: longer chains might change it.
const (
	NearCriterion = "near the criterion"         // the weakest correlation is within 0.1 of the limit that it must exceed
	MostDivergent = "worst tenth of divergences" // the expression is in the tenth with the most divergences
	LeastMixed    = "worst tenth of R-hat"       // the expression is in the tenth with the largest share of fits whose R-hat is above 1.01
	nearness      = 0.1                          // largest distance from the limit for NearCriterion
)

// Doubts lists the reasons, in the order of tables.
var Doubts = []string{NearCriterion, MostDivergent, LeastMixed}

// Doubtful returns the different forms of a pool whose verdicts are doubtful, and the reasons for each canonical form. It skips
// forms that could not be fitted and so have no weakest correlation.
func Doubtful(pool []Expression) (forms []Expression, why map[string][]string) {
	all := slices.DeleteFunc(distinct(pool), func(e Expression) bool { return e.WeakestR != e.WeakestR })
	chosen := map[string][]bool{
		NearCriterion: make([]bool, len(all)),
		MostDivergent: worstTenth(all, func(e *Expression) float64 { return float64(e.Divergences) }),
		LeastMixed:    worstTenth(all, func(e *Expression) float64 { return float64(e.RhatShare) }),
	}
	why = map[string][]string{}
	for i, e := range all {
		// The tolerance makes 0.6 count as near, in spite of rounding.
		chosen[NearCriterion][i] = math.Abs(float64(e.WeakestR)-judge.LeastR) <= nearness+1e-12
		for _, doubt := range Doubts {
			if chosen[doubt][i] {
				why[e.Canonical] = append(why[e.Canonical], doubt)
			}
		}
		if why[e.Canonical] != nil {
			forms = append(forms, e)
		}
	}
	return forms, why
}

// worstTenth marks the tenth of a list with the largest positive figures. If figures are equal, earlier members come first.
func worstTenth(list []Expression, of func(*Expression) float64) []bool {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return -cmp.Compare(of(&list[i]), of(&list[j])) })
	marked := make([]bool, len(list))
	for _, i := range order[:(len(list)+9)/10] {
		marked[i] = of(&list[i]) > 0
	}
	return marked
}

// RefitList returns the forms with doubtful verdicts as lines of a front; there may be none.
func (r *Result) RefitList() []front.Line {
	forms, _ := Doubtful(r.Pool)
	return lines(forms)
}

// Refit compares verdicts from longer chains with the first verdicts: over all forms that have both, and for each reason of doubt.
type Refit struct {
	Judge  Judge        `json:"judge"` // judge of the longer chains
	Groups []RefitGroup `json:"groups"`
}

// RefitGroup counts forms.
type RefitGroup struct {
	Name      string           `json:"name"`
	Forms     int              `json:"forms"`
	Gained    int              `json:"gained"`  // forms that pass only with longer chains
	Lost      int              `json:"lost"`    // number of forms that pass only with the first chains
	Limited   int              `json:"limited"` // number of expressions with longer chains that the limit on gradients cut short
	Same      int              `json:"same"`
	Median    finite.Number    `json:"shift_median"` // median change of the weakest correlation, over forms where both are defined
	Interval  [2]finite.Number `json:"shift_90"`     // 5 % and 95 % quantiles of that change
	RhatShare [2]finite.Number `json:"rhat_share"`   // share of fits with R-hat above 1.01, before and after
	shifts    []float64
}

// AddLong compares the verdicts with those on the same forms, fitted with longer chains.
func (r *Result) AddLong(long []*judge.Verdict) error {
	by := judgeOf(long[0])
	for _, j := range r.Judges {
		if j.Bank != by.Bank || j.Method != by.Method {
			return fmt.Errorf("long chains: %s, and the others are %s: want the same bank", by, j)
		}
		if j.Settings == by.Settings {
			return fmt.Errorf("long chains: %s, as the others: want longer ones", by)
		}
	}
	first := map[string]*Expression{}
	forms := distinct(r.Pool)
	for i := range forms {
		first[forms[i].Canonical] = &forms[i]
	}
	_, why := Doubtful(r.Pool)
	names := append([]string{"all"}, Doubts...)
	groups := make([]RefitGroup, len(names))
	for _, e := range expressions(long) {
		before := first[e.Canonical]
		if before == nil {
			continue
		}
		for i, name := range names {
			if i == 0 || slices.Contains(why[e.Canonical], name) {
				groups[i].add(before, &e)
			}
		}
	}
	if groups[0].Forms == 0 {
		return errors.New("long chains: no form has a verdict of both kinds")
	}
	for i := range groups {
		groups[i].end(names[i])
	}
	r.Refit = &Refit{Judge: by, Groups: groups}
	return nil
}

func (g *RefitGroup) add(before, after *Expression) {
	g.Forms++
	switch {
	case after.Pass == before.Pass:
		g.Same++
	case after.Pass:
		g.Gained++
	default:
		g.Lost++
	}
	if shift := float64(after.WeakestR - before.WeakestR); !math.IsNaN(shift) {
		g.shifts = append(g.shifts, shift)
	}
	if after.Limited > 0 {
		g.Limited++
	}
	g.RhatShare[0] += before.RhatShare
	g.RhatShare[1] += after.RhatShare
}

// end divides sums by counts.
func (g *RefitGroup) end(name string) {
	g.Name = name
	undefined := finite.Number(math.NaN())
	g.Median, g.Interval = undefined, [2]finite.Number{undefined, undefined}
	if len(g.shifts) > 0 {
		g.Median = finite.Number(quantile(g.shifts, 0.5))
		g.Interval = [2]finite.Number{finite.Number(quantile(g.shifts, 0.05)), finite.Number(quantile(g.shifts, 0.95))}
	}
	for k := range g.RhatShare {
		g.RhatShare[k] /= finite.Number(g.Forms)
	}
}
