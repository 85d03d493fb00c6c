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

// Reasons to doubt a verdict: why longer chains might move it.
const (
	NearCriterion = "near the criterion"         // the weakest correlation is within 0.1 of what it must be above
	MostDivergent = "worst tenth of divergences" // by the divergences of all fits of an expression
	LeastMixed    = "worst tenth of R-hat"       // by the share of fits with R-hat above 1.01
	nearness      = 0.1                          // largest distance from the criterion of NearCriterion
)

// Doubts are the reasons, in the order of tables.
var Doubts = []string{NearCriterion, MostDivergent, LeastMixed}

// Doubtful are the different forms of a pool that there is a reason to fit again with longer chains, and their reasons by
// canonical form. Forms without a weakest correlation, which could not be fitted, are left out.
func Doubtful(pool []Expression) (forms []Expression, why map[string][]string) {
	all := slices.DeleteFunc(distinct(pool), func(e Expression) bool { return e.WeakestR != e.WeakestR })
	chosen := map[string][]bool{
		NearCriterion: make([]bool, len(all)),
		MostDivergent: worstTenth(all, func(e *Expression) float64 { return float64(e.Divergences) }),
		LeastMixed:    worstTenth(all, func(e *Expression) float64 { return float64(e.RhatShare) }),
	}
	why = map[string][]string{}
	for i, e := range all {
		// The last digit of 0.6 is not to decide.
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

// worstTenth marks the tenth of a list with the largest positive figures; of equal ones those that come first.
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

// RefitList is the lines of a front with the forms that there is a reason to fit again, which may be none.
func (r *Result) RefitList() []front.Line {
	forms, _ := Doubtful(r.Pool)
	return lines(forms)
}

// Refit says what longer chains made of the verdicts, of all forms that have both and by the reason to doubt the first.
type Refit struct {
	Judge  Judge        `json:"judge"` // judge of the longer chains
	Groups []RefitGroup `json:"groups"`
}

// RefitGroup counts forms.
type RefitGroup struct {
	Name      string           `json:"name"`
	Forms     int              `json:"forms"`
	Gained    int              `json:"gained"` // pass with longer chains alone
	Lost      int              `json:"lost"`
	Limited   int              `json:"limited"` // number of expressions with longer chains that the limit on gradients cut short
	Same      int              `json:"same"`
	Median    finite.Number    `json:"shift_median"` // median shift of the weakest correlation, where both have one
	Interval  [2]finite.Number `json:"shift_90"`     // from 5% to 95%
	RhatShare [2]finite.Number `json:"rhat_share"`   // share of fits with R-hat above 1.01, before and after
	shifts    []float64
}

// AddLong compares with verdicts on the same forms, fitted with longer chains.
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

// end turns sums into means.
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
