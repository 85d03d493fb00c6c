package evidence

import (
	"fmt"

	"likc/runtime/model/kernel"
)

// Outside returns the reason why the density of trial i, counted from 0, is 0 at all times: evidence does not start between the
// boundaries, or the distribution of a start or an onset is invalid at these parameters. It returns "" if there is no such
// reason.
func (d *Density) Outside(t kernel.Trials, i int, theta []float64) string {
	s := d.newSpace(usual)
	copy(s.values, theta)
	for k, j := range d.used {
		s.values[d.dim+k] = t.Columns[j][i]
	}
	if d.solve(s, nearlyZero, false); !s.outside {
		return ""
	}
	for k, stream := range d.streams {
		w := s.work[k]
		start, _ := stream.start.at(&w.tape, w.mem, len(stream.params), w.symbols)
		b, ok := stream.begin(w, start)
		switch {
		case ok:
			continue
		case !(b.noise > 0):
			return fmt.Sprintf("the noise is 0 when the evidence %s starts", d.Model.Evidence.Accumulators[k].Evidence)
		case !(b.low <= b.high):
			return fmt.Sprintf("evidence starts between %.6g and %.6g, which is no range", b.low, b.high)
		}
		where := fmt.Sprintf("at %.6g", b.low)
		if b.low < b.high {
			where = fmt.Sprintf("between %.6g and %.6g", b.low, b.high)
		}
		if stream.mirrored {
			return fmt.Sprintf("evidence starts %s, which is not between the reflecting barrier %.6g and the boundary %.6g", where, (b.lower+b.upper)/2, b.upper)
		}
		if stream.twoSided {
			return fmt.Sprintf("evidence starts %s, which is not between the boundaries %.6g and %.6g", where, b.lower, b.upper)
		}
		return fmt.Sprintf("evidence starts %s, which is not below the boundary %.6g", where, b.upper)
	}
	return "the law of the onset is none at these parameters"
}
