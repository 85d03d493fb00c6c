package distil

import (
	"slices"
	"testing"

	"likc/runtime/model/honesty"
	"likc/search/study/judge"
)

// TestFinalists: which candidates are judged again, of candidates that are ever longer and nearer.
func TestFinalists(t *testing.T) {
	const no, open, yes = honesty.NotHonest, honesty.Undecided, honesty.Honest
	for _, c := range []struct {
		verdicts []honesty.Verdict
		want     []int
	}{
		{[]honesty.Verdict{no, open, yes, yes}, []int{2, 3}},
		{[]honesty.Verdict{no, yes, open}, []int{1}},
		{[]honesty.Verdict{no, open, open}, []int{2}},
		{[]honesty.Verdict{open, open, no}, []int{1}},
		{[]honesty.Verdict{no, no}, []int{1}},
	} {
		r := &run{}
		for i, v := range c.verdicts {
			r.shown = append(r.shown, shown{candidate{line: i}, &judge.Verdict{Honest: v}})
		}
		var got []int
		for _, s := range r.finalists() {
			got = append(got, s.line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: candidates %v are judged again, want %v", c.verdicts, got, c.want)
		}
	}
}
