package fit

import (
	"fmt"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
)

// studyStrays returns a line for each parameter whose draws leave the range in which the likelihood is known, such as that of a
// teacher's training, because its link has no ends. The line is about the level or trial with the largest share of such draws.
func studyStrays(study *hierarchy.Study, d *chains.Draws) (all []string) {
	m := study.Model()
	most, where := make([]float64, len(m.Params)), make([]string, len(m.Params))
	study.EachPlace(d, func(p hierarchy.Place) {
		limits, _ := m.Limits(p.Index)
		if share := shareOutside(p.Draws, limits); share > most[p.Index] && p.Where != "" { // one number never leaves its range
			most[p.Index], where[p.Index] = share, p.Where
		}
	})
	for i, share := range most {
		if share > leanShare {
			limits, why := m.Limits(i)
			all = append(all, fmt.Sprintf("%s of %s leaves %s in %.3g %% of its draws, and %s. Nothing is known of the likelihood there; a logit as its link keeps %s inside",
				m.Params[i].Name, where[i], limits, 100*share, why, m.Params[i].Name))
		}
	}
	return all
}

// shareOutside is the share of draws outside a range.
func shareOutside(draws [][]float64, r catalog.Range) float64 {
	outside, all := 0, 0
	for _, chain := range draws {
		all += len(chain)
		for _, x := range chain {
			if x < r.Low || x > r.High {
				outside++
			}
		}
	}
	return float64(outside) / float64(all)
}
