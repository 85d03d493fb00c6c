package fit

import (
	"math"
	"os"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/lapse"
	"likc/runtime/model/ssm"
)

// withLapses fits ddm with lapses, fixed or with a prior, to trials.
func withLapses(t *testing.T, w Wishes, rt, choice []float64) *Result {
	t.Helper()
	_, b := open(t, "ddm")
	x, err := b.With(lapse.Lapses{Times: lapse.Window{High: 6}})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(x.Model, w)
	if err != nil {
		t.Fatal(err)
	}
	s := nuts.DefaultSettings()
	r := Run(t.Context(), spec, x, []Subject{{Columns: [][]float64{rt}, Choice: choice}}, Settings{Sampler: s})[0]
	if !r.IsComplete() {
		t.Fatal(r.Err)
	}
	return r
}

// One response of 0.05 s among 298 moves t and a by less than 0.3 posterior standard deviations if lapses are part of the model,
// with a fixed probability or an estimated one. The response gets a high probability of being a lapse.
func TestOneOutlierMovesNothing(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("16,000 draws; set LIKC_LONG=1")
	}
	const n = 298
	rt, choice := make([]float64, n+1), make([]float64, n+1)
	if err := ssm.DDM.Simulate(ssm.NewRand(3, 0), []float64{0.8, 1.1, 0.5, 0.3}, ssm.ExactScheme(), rt[:n], choice[:n]); err != nil {
		t.Fatal(err)
	}
	rt[n], choice[n] = 0.05, 1
	for name, w := range map[string]Wishes{"fixed": {Fixed: []string{lapse.Param + "=0.05"}}, "estimated": {Priors: []string{lapse.Param + "=beta(1,20)"}}} {
		without, with := withLapses(t, w, rt[:n], choice[:n]), withLapses(t, w, rt, choice)
		for j, p := range with.Summary.Params {
			before := without.Summary.Params[j]
			shift := (float64(p.Mean) - float64(before.Mean)) / float64(before.SD)
			t.Logf("%s: %s moves by %.3f sd", name, p.Name, shift)
			if (p.Name == "t" || p.Name == "a") && !(math.Abs(shift) < 0.3) {
				t.Errorf("%s: %s moves by %.3f sd", name, p.Name, shift)
			}
		}
		if p := with.Lapses[n]; p < 0.999 {
			t.Errorf("%s: the probability that it is a lapse is %v", name, p)
		}
	}
}
