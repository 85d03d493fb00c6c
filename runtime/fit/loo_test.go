package fit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// short returns settings of a short fit with PSIS-LOO.
func short() Settings {
	s := Settings{Sampler: nuts.DefaultSettings(), LOO: true}
	s.Sampler.NumChains, s.Sampler.NumWarmup, s.Sampler.NumSamples = 2, 300, 500
	return s
}

// PSIS-LOO of a lognormal model agrees with a result that needs no draws: the sum of the log predictive densities of each trial
// given the others. Under the normal model's conjugate posterior these are Student's t with n-2 degrees of freedom.
func TestLOOOfLognormal(t *testing.T) {
	m, b := open(t, "lognormal")
	subject := subjects(t, m, "1")[0]
	r := Run(t.Context(), specOf(t, m, Wishes{}), b, []Subject{subject}, short())[0]
	if r.Err != nil || r.Summary.LOO == nil || len(r.LOO.Trials) != subject.Trials() {
		t.Fatalf("%v, %+v", r.Err, r.Summary.Prediction)
	}
	want := studentLOO(subject.Columns[m.TimeColumn()])
	if got := float64(r.Summary.LOO.ELPD); !(math.Abs(got-want) < 0.3) { // priors and Monte Carlo: p is 2, its error below 0.1
		t.Errorf("elpd %v, without draws %v", got, want)
	}
	if got, loo := float64(r.Summary.WAIC.ELPD), float64(r.Summary.LOO.ELPD); !(math.Abs(got-loo) < 0.1) {
		t.Errorf("WAIC %v, PSIS-LOO %v", got, loo)
	}
}

// studentLOO returns Σ log p(x | all other trials) of lognormal trials under the prior 1/sd.
func studentLOO(x []float64) (sum float64) {
	n := float64(len(x) - 1)
	total, squares := 0.0, 0.0
	for _, v := range x {
		total, squares = total+math.Log(v), squares+math.Log(v)*math.Log(v)
	}
	for _, v := range x {
		y := math.Log(v)
		mean := (total - y) / n
		df := n - 1
		scale := math.Sqrt((squares - y*y - n*mean*mean) / df * (1 + 1/n))
		top, _ := math.Lgamma((df + 1) / 2)
		bottom, _ := math.Lgamma(df / 2)
		z := (y - mean) / scale
		sum += top - bottom - math.Log(df*math.Pi)/2 - math.Log(scale) - (df+1)/2*math.Log1p(z*z/df) - y
	}
	return sum
}

// An expression that does not integrate to 1 has no PSIS-LOO, and the summary gives the reason. An expression that does has
// PSIS-LOO, whether it declares a simulator or not.
func TestNoLOOWithoutDensity(t *testing.T) {
	const wald = `model own { trial rt choice c param d in [0.5, 2] param v in [1, 3] param t in [0, 0.3] %s support t < rt lower { d = d }
		loglik = log(d) - 0.5*log(2*3.141592653589793*(rt-t)^3) - (d-v*(rt-t))^2/(2*(rt-t)) %s }`
	for text, want := range map[string]string{
		fmt.Sprintf(wald, "", "- log(2)"):                                            "",
		fmt.Sprintf(wald, "simulator ddm { v = v a = d z = 0.5 t = t }", "- log(2)"): "",
		fmt.Sprintf(wald, "", ""):                                                    "own is no density, so what it says of a new trial is not a log density: it is not normalised: it integrates to 2 over time",
	} {
		m, err := catalog.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bound.Open(m, bound.Ready)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		r := Run(t.Context(), specOf(t, m, Wishes{}), b, subjects(t, m, "1"), short())[0]
		if p := r.Summary.Prediction; r.Err != nil || (p.LOO == nil) != (want != "") || (p.WAIC == nil) != (want != "") || !strings.HasPrefix(p.Missing, want) {
			t.Errorf("%s: %v, %+v; want %q", text, r.Err, p, want)
		}
	}
}

func TestResponsesSum(t *testing.T) {
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	sum := func(rt, choice []float64) string {
		return ResponsesSum(m, &Subject{Columns: [][]float64{rt}, Choice: choice})
	}
	one := sum([]float64{1, 2}, []float64{1, -1})
	if one != sum([]float64{1, 2}, []float64{1, -1}) {
		t.Error("equal responses have two sums")
	}
	for _, other := range []string{sum([]float64{2, 1}, []float64{1, -1}), sum([]float64{1, 2}, []float64{-1, 1}), sum([]float64{1, 2, 1}, []float64{-1})} {
		if other == one {
			t.Error("different responses have one sum")
		}
	}
}

// Log densities that are computed for blocks of trials equal those of single trials.
func TestRowwise(t *testing.T) {
	for name, theta := range map[string][][]float64{
		"ddm":       {{1, 1.2, 0.5, 0.1}, {-1, 0.8, 0.4, 0.05}, {1, 1, 0.5, 1}}, // at the last vector, trials of less than 1 s are impossible
		"lognormal": {{0.1, 0.5}, {-0.2, 0.7}},
	} {
		m, b := open(t, name)
		s := subjects(t, m, "1")[0]
		trials, err := b.Bind(kernel.Trials{Columns: s.Columns, Choice: s.Choice}, bound.Design{})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := bound.TrialDensity(m, s.Columns, s.Choice)
		if err != nil {
			t.Fatal(err)
		}
		for first := 0; first < s.Trials(); first += 300 {
			n := min(300, s.Trials()-first)
			got := make([][]float64, n)
			for i := range got {
				got[i] = make([]float64, len(theta))
			}
			trials.LogDensity(got, theta, first)
			for i := range got {
				for k := range theta {
					if g, w := got[i][k], alone(first+i, theta[k]); g != w && !(math.Abs(g-w) <= 1e-10*(1+math.Abs(w))) {
						t.Fatalf("%s, trial %d, parameters %v: %v, alone %v", name, first+i+1, theta[k], g, w)
					}
				}
			}
		}
	}
}

// Trials have the same sum for every model of the same responses, whatever codes the choices have, and different trials have
// different sums.
func TestTrialsSum(t *testing.T) {
	sum := func(model string, rt, choice []float64, texts ...string) string {
		var labels *trials.Labels
		if texts != nil {
			labels = trials.NewLabels(texts...)
		}
		m, err := catalog.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		return TrialsSum(m, &Subject{Columns: [][]float64{rt}, Choice: choice, Labels: labels})
	}
	times := []float64{1, 2, 3}
	one := sum("ddm", times, []float64{1, -1, trials.Omitted}, "right", "left", "")
	for what, same := range map[string]string{
		"a race":       sum("lba2", times, []float64{1, 0, trials.Omitted}, "right", "left", ""),
		"turned round": sum("rdm2", times, []float64{0, 1, trials.Omitted}, "right", "left", ""),
	} {
		if same != one {
			t.Errorf("%s: another sum", what)
		}
	}
	seen := map[string]string{one: "the first"}
	for what, other := range map[string]string{
		"other times":           sum("ddm", []float64{1, 3, 2}, []float64{1, -1, trials.Omitted}, "right", "left", ""),
		"other labels":          sum("ddm", times, []float64{1, -1, trials.Omitted}, "left", "right", ""),
		"no omission":           sum("ddm", times, []float64{1, -1, 1}, "right", "left", ""),
		"labels run together":   sum("ddm", times, []float64{1, -1, trials.Omitted}, "rightl", "eft", ""),
		"one response":          sum("lognormal", times, nil),
		"one response, omitted": sum("lognormal", times, []float64{0, 0, trials.Omitted}),
	} {
		if first, twice := seen[other]; twice {
			t.Errorf("%s: the sum of %s", what, first)
		}
		seen[other] = what
	}
	if sum("ddm", times, []float64{1, -1, 1}) != "" {
		t.Error("a sum of choices without labels")
	}
}
