package fit

import (
	"fmt"
	"math"

	"likc/runtime/catalog"
	"likc/runtime/chains"
	"likc/runtime/posterior"
)

// Lean says that the draws of a parameter pile up at an end of its range: the range is narrower than what the data say.
type Lean struct {
	Name   string
	Range  catalog.Range
	End    float64 // of the range
	Share  float64 // of the draws that lie within leanWidth of it
	Advice string  // what to do about it; "" for nothing
}

// A fit leans on an end of a range if more than leanShare of its draws lie within leanWidth of the range's width from it.
const (
	leanWidth = 0.01
	leanShare = 0.025
)

// String says so in a sentence, and what to do.
func (l Lean) String() string {
	text := fmt.Sprintf("%s leans on the end %.6g of its range %s: %.3g %% of its draws lie within 1 %% of the range from there. "+
		"The estimate says where the range ends, not what the data say", l.Name, l.End, l.Range, 100*l.Share)
	if l.Advice != "" {
		text += "; " + l.Advice
	}
	return text
}

// leaning finds the parameters whose draws pile up at an end of their range. An end that the data set is none: non-decision time
// is often found close to the fastest trial. Ranges without an end have nothing to lean on. A probability of
// lapses may well be next to 0.
func (s *Spec) leaning(p *posterior.Posterior, d *chains.Draws) (all []Lean) {
	for k, i := range s.free {
		param := s.Params[i]
		low, high := param.Prior.Support()
		low, high = max(low, param.Range.Low), min(high, param.Range.High)
		bottom, top := p.Bounds(k)
		width := leanWidth * (top - bottom)
		if math.IsInf(width, 1) {
			continue
		}
		for _, end := range []float64{low, high} {
			if end != bottom && end != top || s.Model.IsLapse(i) {
				continue
			}
			if share := shareNear(d.Param(k), end, width); share > leanShare {
				all = append(all, Lean{param.Name, catalog.Range{Low: low, High: high}, end, share, s.advice(i, end)})
			}
		}
	}
	return all
}

// shareNear is the share of draws within a distance of a number.
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

// advice says how to widen the range of parameter i at an end, or why it cannot be widened.
func (s *Spec) advice(i int, end float64) string {
	p := s.Params[i]
	if low, high := p.Prior.Support(); end == low || end == high {
		return fmt.Sprintf("widen its prior, %s", p.Prior)
	}
	limits, why := s.Model.Limits(i)
	switch wider := stretched(p.Range, end, limits); {
	case end <= limits.Low || end >= limits.High:
		return why
	case end == 0: // such as a time's: no range goes on beyond
		return ""
	default:
		return fmt.Sprintf("widen the range, as to %s=%.6g,%.6g", p.Name, wider.Low, wider.High)
	}
}

// stretched is a range of twice the width, longer at one end but not beyond the limits, nor beyond 0.
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
