package chains

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/num/statistic"
	"likc/testdata/reference"
)

type answers struct {
	Answers map[string]map[string]any
}

// readAnswers returns the figures that R's posterior computed for each file of draws.
func readAnswers(t *testing.T) map[string]map[string]any {
	var r answers
	if err := json.Unmarshal(reference.Read(t, "diagnostics/answers.json"), &r); err != nil {
		t.Fatal(err)
	}
	return r.Answers
}

func readColumns(t *testing.T, name string) *Draws {
	t.Helper()
	d, err := ReadChainColumns(bytes.NewReader(reference.Read(t, "diagnostics/"+name+".csv")), name, "x")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// number reads an answer; R's NA and NaN are NaN.
func number(t *testing.T, v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		if v == "NA" || v == "NaN" {
			return math.NaN()
		}
	}
	t.Fatalf("answer %v is no number", v)
	return 0
}

func agree(got, want float64) bool {
	if math.IsNaN(want) || math.IsNaN(got) {
		return math.IsNaN(want) && math.IsNaN(got)
	}
	return math.Abs(got-want) <= 1e-6*math.Abs(want)
}

// summaryOf summarises one parameter; x holds one slice for each chain.
func summaryOf(name string, x [][]float64) Summary {
	d := &Draws{Names: []string{name}}
	for _, column := range x {
		d.Chains = append(d.Chains, Chain{Trace: Trace{Params: [][]float64{column}}})
	}
	return d.Summarise()[0]
}

func figures(x [][]float64) map[string]float64 {
	s := summaryOf("x", x)
	return map[string]float64{
		"rhat": s.Rhat, "rhat_basic_split": basicRhat(split(x)), "rhat_basic_nosplit": basicRhat(x),
		"ess_bulk": s.ESSBulk, "ess_tail": s.ESSTail, "ess_mean": MeanESS(x), "ess_sd": SDESS(x),
		"ess_q05": QuantileESS(x, 0.05), "ess_q50": QuantileESS(x, 0.5), "ess_q95": QuantileESS(x, 0.95),
		"mcse_mean": s.MCSEMean, "mcse_sd": s.MCSESD,
		"mean": s.Mean, "sd": s.SD, "q05": s.Q5, "median": s.Q50, "q95": s.Q95,
	}
}

// TestFiguresAgreeWithR compares every figure with R's posterior package.
func TestFiguresAgreeWithR(t *testing.T) {
	for name, answers := range readAnswers(t) {
		d := readColumns(t, name)
		x := d.Param(0)
		if float64(len(x)) != answers["chains"] || float64(len(x[0])) != answers["draws"] {
			t.Fatalf("%s: read %d chains of %d draws", name, len(x), len(x[0]))
		}
		got, compared := figures(x), 0
		for key, want := range answers {
			switch {
			case key == "ebfmi_by_chain":
				for i, v := range want.([]any) {
					if e := EBFMI(x[i]); !agree(e, number(t, v)) {
						t.Errorf("%s: E-BFMI of chain %d = %v, want %v", name, i+1, e, v)
					}
				}
			case key == "ess_sd_posterior_1_4_0_absdev": // superseded by ess_sd
				continue
			case slices.Contains([]string{"chains", "draws", "mcse_q05", "mcse_median", "mcse_q95"}, key): // no figures of a summary
				continue
			default:
				value, known := got[key]
				if !known {
					t.Errorf("%s: %s is not computed", name, key)
				} else if !agree(value, number(t, want)) {
					t.Errorf("%s: %s = %.15g, want %v", name, key, value, want)
				}
				compared++
			}
		}
		if compared != len(got) {
			t.Errorf("%s: compared %d of %d figures", name, compared, len(got))
		}
	}
}

func TestUndefinedFiguresAreNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, x := range map[string][][]float64{
		"none":      nil,
		"empty":     {{}, {}},
		"one draw":  {{1}},
		"two draws": {{1, 2}},
		"NaN":       {{1, 2, nan, 4, 5, 6, 7, 8}},
		"Inf":       {{1, 2, inf, 4, 5, 6, 7, 8}},
		"constant":  {{3, 3, 3, 3, 3, 3, 3, 3}, {3, 3, 3, 3, 3, 3, 3, 3}},
	} {
		s := summaryOf(name, x)
		for _, v := range []float64{s.Rhat, s.ESSBulk, s.ESSTail, s.MCSEMean, s.MCSESD} {
			if !math.IsNaN(v) {
				t.Errorf("%s: %+v has a figure where none is defined", name, s)
			}
		}
	}
}

func TestQuantileIsTypeSeven(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.9: 6.8, 1: 8} {
		if got := statistic.Quantile(x, p); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("Quantile(%v) = %v, want %v", p, got, want)
		}
	}
}

func TestLenIgnoresEmptyChainsAndCutsToTheShortest(t *testing.T) {
	d := &Draws{Names: []string{"x"}, Chains: []Chain{
		{Trace: Trace{Params: [][]float64{{1, 2, 3}}}},
		{Trace: Trace{Params: [][]float64{{}}}},
		{Trace: Trace{Params: [][]float64{{4, 5}}}},
	}}
	if x := d.Param(0); len(x) != 2 || len(x[0]) != 2 || len(x[1]) != 2 {
		t.Errorf("Param(0) = %v", x)
	}
}

func TestJoinRefusesOtherParameters(t *testing.T) {
	a := &Draws{Names: []string{"x", "y"}, Chains: []Chain{{ID: 1}}}
	b := &Draws{Names: []string{"x", "z"}, Chains: []Chain{{ID: 1}}}
	if _, err := Join(a, b); err == nil || !strings.Contains(err.Error(), `"z" where "y"`) {
		t.Errorf("err = %v", err)
	}
	both, err := Join(a, a)
	if err != nil || both.Chains[0].ID != 1 || both.Chains[1].ID != 2 {
		t.Errorf("Join = %+v, %v", both, err)
	}
}

func TestUndefinedFiguresAreNullInJSON(t *testing.T) {
	s := summaryOf("x", [][]float64{{1.5, 1.5, 1.5, 1.5}})
	text, err := json.Marshal(s)
	want := `{"mean":1.5,"sd":0,"q5":1.5,"q50":1.5,"q95":1.5,"rhat":null,"ess_bulk":null,"ess_tail":null,"mcse_mean":null,"mcse_sd":null}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestUndefinedFiguresHaveReasons(t *testing.T) {
	long := make([]float64, 200)
	for k := range long {
		long[k] = math.Sin(float64(k * k))
	}
	flat := make([]float64, 200)
	for want, x := range map[string][][]float64{
		"":                           {long, long},
		"constant":                   {flat, flat},
		"fewer than 6 draws a chain": {{1, 2, 3, 4, 5}, {2, 3, 1, 4, 2}},
		"draws that are not finite":  {append([]float64{math.NaN()}, long...), append([]float64{1}, long...)},
		"almost constant":            {slices.Concat(flat[:100], []float64{1}, flat[:100])}, // the half chains leave out the middle draw
	} {
		d := &Draws{Names: []string{"x"}}
		for i, c := range x {
			d.Chains = append(d.Chains, Chain{ID: i + 1, Trace: Trace{Params: [][]float64{c}}})
		}
		if got := d.Summarise()[0]; got.Undefined != want {
			t.Errorf("%q, want %q: %+v", got.Undefined, want, got)
		}
		if text := d.Diagnose(d.Summarise()).String(); strings.Contains(text, "NaN") || want != "" && !strings.Contains(text, want) && !strings.Contains(text, "constant") {
			t.Errorf("%q: the diagnosis says\n%s", want, text)
		}
	}
}

// An interrupted summary has its means, and gives "interrupted" as the reason why other figures are undefined.
func TestSummariesEndWithTheirContext(t *testing.T) {
	d := &Draws{Names: []string{"x"}, Chains: []Chain{{ID: 1, Trace: Trace{Params: [][]float64{{1, 2, 3, 4, 5, 6, 8, 7}}}}}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := d.SummariseContext(ctx)[0]
	if s.Mean != 4.5 || !math.IsNaN(s.Rhat) || !math.IsNaN(s.Q5) || s.Undefined != "interrupted" {
		t.Errorf("%+v", s)
	}
}

func TestAbsurdRhatsHaveNoDigits(t *testing.T) {
	for x, want := range map[float64]string{1.0049: "1.005", 1e9: ">1000", math.Inf(1): ">1000", 999.9: "999.900"} {
		if got := RhatText(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
	if RhatText(math.NaN()) != "undefined" {
		t.Error("NaN has no word")
	}
}

// All figures of chains with unequal lengths are computed from the common draws: a divergence beyond the common length does not count.
func TestCommonDraws(t *testing.T) {
	long := Trace{Params: [][]float64{{1, 2, 3, 4}}, Divergent: []bool{false, true, false, true}}
	short := Trace{Params: [][]float64{{5, 6}}, Divergent: []bool{true, false}}
	d := &Draws{Names: []string{"x"}, Chains: []Chain{{ID: 1, Trace: long}, {ID: 2}, {ID: 3, Trace: short}}}
	c := d.Common()
	if len(c.Chains) != 2 || c.Chains[0].Len() != 2 || c.Chains[1].ID != 3 || c.Divergences() != 2 {
		t.Errorf("%+v, %d divergences", c.Chains, c.Divergences())
	}
	if d.Chains[0].Len() != 4 || d.Divergences() != 3 {
		t.Error("the draws themselves were changed")
	}
}

// A finding names the first 20 parameters and counts further ones, so that ten thousand participants do not give ten thousand lines.
func TestFindingsAreShort(t *testing.T) {
	for n, last := range map[int]string{mostNamed: "  p20 (1.500)\n", mostNamed + 1: "  and 1 more\n", 10_000: "  and 9980 more\n"} {
		var all []Summary
		for i := range n {
			all = append(all, Summary{Name: fmt.Sprint("p", i+1), Mean: 1, SD: 1, Rhat: 1.5})
		}
		if text := checkRhat(all).Text; !strings.Contains(text, last) || strings.Count(text, "(1.500)") != min(n, mostNamed) {
			t.Errorf("%d parameters: %s", n, text)
		}
	}
}

// TestFewDrawsOfASavedFit: the smallest effective sample size follows from the chains, because a saved summary does not repeat their number.
func TestFewDrawsOfASavedFit(t *testing.T) {
	saved := []Summary{{Name: "v", Rhat: 1, ESSBulk: 1183, ESSTail: 361}}
	for count, ok := range map[int]bool{3: true, 4: false} {
		d := Draws{Names: []string{"v"}, Chains: newChains(count)}
		if got := d.Diagnose(saved); got.OK() != ok {
			t.Errorf("%d chains: %v", count, got)
		}
	}
}
