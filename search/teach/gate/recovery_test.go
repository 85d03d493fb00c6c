package gate

import (
	"testing"

	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/search/study/bank"
)

// TestBegin: a climb starts where the fastest response has a density, if onsets differ between trials; other models start where they did.
func TestBegin(t *testing.T) {
	full, err := ssm.Lookup("full_ddm")
	if err != nil {
		t.Fatal(err)
	}
	var params []posterior.Parameter
	for _, p := range full.Params {
		params = append(params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	for _, first := range []float64{2, 0.3, 0.1, 0.02} {
		if t0 := latestShift(full, ranges(params), first); t0 != first+0.15 {
			t.Errorf("t is at most %v for a first response at %v s", t0, first)
		}
		start := []float64{1, 1, 0.5, first + 0.1, 1, 0.2, 0.1}
		startBeforeFirst(full, params, start, first)
		if !(full.Earliest(start) < first) || full.Check(start) != nil {
			t.Errorf("first response at %v s: starts at %v, whose earliest onset is %v", first, start, full.Earliest(start))
		}
	}
	start := []float64{1, 1, 0.5, 0.4}
	startBeforeFirst(ssm.DDM, nil, start, 0.1)
	if start[3] != 0.4 || latestShift(ssm.DDM, nil, 0.1) != 0.1 {
		t.Errorf("ddm starts at %v", start)
	}
}

func ranges(params []posterior.Parameter) []bank.Range {
	var all []bank.Range
	for _, p := range params {
		all = append(all, bank.Range{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	return all
}
