package report

import (
	"strings"
	"testing"

	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// TestPairPlots: the best formula, the teacher and the model's own density are drawn against each other; another formula is not, nor what
// kept no fits.
func TestPairPlots(t *testing.T) {
	verdict := func(model, expr, teacher string, estimates ...float64) *judge.Verdict {
		v := &judge.Verdict{Model: model, Expr: expr, Teacher: teacher, Params: []judge.Param{{Name: "v"}}}
		for i, x := range estimates {
			v.Fits = append(v.Fits, judge.Fit{Subject: i, Truth: []finite.Number{0.5}, Mean: []finite.Number{finite.Number(x)}})
		}
		return v
	}
	best := verdict("top:1", "v*a", "", 1, 2, 4)
	all := []*judge.Verdict{verdict("ddm", "", "", 1, 2, 3), verdict("expr2", "v - a", "", 3, 2, 1), verdict("folder", "", "abc", 2, 2, 3), best}
	plots := pairPlots(best, all, "ddm")
	if len(plots) != 3 {
		t.Fatalf("%d plots, want 3", len(plots))
	}
	for i, names := range [][2]string{{"ddm", "folder"}, {"ddm", "top:1"}, {"folder", "top:1"}} {
		if text := string(plots[i]); !strings.Contains(text, ">"+names[0]+"<") || !strings.Contains(text, ">"+names[1]+"<") {
			t.Errorf("plot %d is not of %v", i, names)
		}
	}
	if plots := pairPlots(best, []*judge.Verdict{best, verdict("ddm", "", "")}, "ddm"); plots != nil {
		t.Errorf("%d plots without fits of another likelihood", len(plots))
	}
}
