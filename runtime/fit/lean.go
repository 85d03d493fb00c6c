package fit

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
)

// Lean states that the draws of a parameter accumulate at an end of its range: the range is too narrow for the data.
type Lean struct {
	Name   string
	Index  int // index of the parameter in the model
	Range  catalog.Range
	End    float64 // end of the range
	Share  float64 // share of the draws within leanWidth of the end
	Advice string  // advice for the user; "" for none
}

// Draws accumulate at an end of a range if more than leanShare of them lie close to it in two senses: within leanWidth of the
// range's width, and within leanSpread of the draws' standard deviation. The second is needed for a very wide range: all draws
// may lie in one hundredth of it without accumulating at its end.
const (
	leanWidth  = 0.01
	leanShare  = 0.025
	leanSpread = 0.25
)

// String describes the lean in a sentence, with advice.
func (l Lean) String() string {
	text := fmt.Sprintf("%s leans on the end %.6g of its range %s: %.3g %% of its draws lie within 1 %% of the range from there. "+
		"The estimate says where the range ends, not what the data say", l.Name, l.End, l.Range, 100*l.Share)
	if l.Advice != "" {
		text += "; " + l.Advice
	}
	return text
}

// leansOn returns the ends of a range at which draws of parameter i accumulate. bounds is the interval in which draws can lie. An
// end of bounds that the data determine is ignored, because the non-decision time is often close to the fastest trial. Infinite
// ends are ignored too, and the probability of a lapse, which may well be close to 0.
func leansOn(m *catalog.Model, i int, param Param, bounds catalog.Range, draws [][]float64) (all []Lean) {
	low, high := param.Prior.Support()
	low, high = max(low, param.Range.Low), min(high, param.Range.High)
	width := leanWidth * (bounds.High - bounds.Low)
	if math.IsInf(width, 1) || m.IsAdded(i) {
		return nil
	}
	for _, end := range []float64{low, high} {
		if end != bounds.Low && end != bounds.High {
			continue
		}
		share := shareNear(draws, end, width)
		if share > leanShare && shareNear(draws, end, leanSpread*chains.SD(draws)) > leanShare {
			all = append(all, Lean{param.Name, i, catalog.Range{Low: low, High: high}, end, share, adviceOn(m, i, param, end)})
		}
	}
	return all
}

// leaning returns, for each parameter and end of its range, the level or trial whose draws accumulate there most.
func leaning(m *catalog.Model, study *hierarchy.Study, d *chains.Draws) (all []Lean) {
	ranged := study.Model()
	study.EachTrialValue(d, func(p hierarchy.TrialValue) {
		param := Param{Name: m.Params[p.Index].Name, Range: catalog.Range{Low: ranged.Params[p.Index].Lower, High: ranged.Params[p.Index].Upper}, Prior: p.Prior}
		for _, lean := range leansOn(m, p.Index, param, p.Bounds, p.Draws) {
			if p.Where != "" {
				lean.Name += " of " + p.Where
			}
			same := slices.IndexFunc(all, func(l Lean) bool { return l.Index == lean.Index && l.End == lean.End })
			switch {
			case same < 0:
				all = append(all, lean)
			case lean.Share > all[same].Share:
				all[same] = lean
			}
		}
	})
	return all
}

// shareNear returns the share of draws within a distance of a number.
func shareNear(draws [][]float64, x, distance float64) float64 {
	near, all := 0, 0
	for _, chain := range draws {
		all += len(chain)
		for _, v := range chain {
			if math.Abs(v-x) <= distance {
				near++
			}
		}
	}
	return float64(near) / float64(all)
}

// adviceOn says how to widen the range of parameter i at an end, or why it cannot be widened.
func adviceOn(m *catalog.Model, i int, p Param, end float64) string {
	if low, high := p.Prior.Support(); end == low || end == high {
		return fmt.Sprintf("widen its prior, %s", p.Prior)
	}
	limits, why := m.Limits(i)
	switch wider := stretched(p.Range, end, limits); {
	case end <= limits.Low || end >= limits.High:
		return why
	case end == 0: // the range of a time, for example, cannot go below 0
		return ""
	default:
		return fmt.Sprintf("widen the range, as to %s=%.6g,%.6g", p.Name, wider.Low, wider.High)
	}
}

// stretched returns a range of twice the width, extended at one end, but not beyond the limits, nor beyond 0.
func stretched(r catalog.Range, end float64, limits catalog.Range) catalog.Range {
	width := r.High - r.Low
	switch {
	case end == r.High:
		r.High = min(r.High+width, limits.High)
	case r.Low > 0:
		r.Low = max(r.Low-width, limits.Low, 0)
	default:
		r.Low = max(r.Low-width, limits.Low)
	}
	return r
}

// strays returns a line for each parameter whose draws leave the range in which the likelihood is known, such as the range of a
// teacher's training. This is possible if the parameter's link has no ends. The line names the level or trial with the largest
// share of such draws.
func strays(m *catalog.Model, study *hierarchy.Study, d *chains.Draws) (all []string) {
	most, where := make([]float64, len(m.Params)), make([]string, len(m.Params))
	study.EachTrialValue(d, func(p hierarchy.TrialValue) {
		limits, _ := m.Limits(p.Index)
		if share := shareOutside(p.Draws, limits); share > most[p.Index] && p.Where != "" { // a parameter that is one number never leaves its range
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

// shareOutside returns the share of draws outside a range.
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
