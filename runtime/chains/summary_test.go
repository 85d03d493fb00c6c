package chains

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedDir is the folder of reference data that is not part of the repository; tests that need it are skipped without.
func sharedDir(t *testing.T) string {
	dir := os.Getenv("LIKC_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("reference data absent: set LIKC_SHARED to the folder that has data/diagnostics")
	}
	return dir
}

type reference struct {
	Answers map[string]map[string]any
}

func loadReference(t *testing.T) (string, reference) {
	dir := filepath.Join(sharedDir(t), "data", "diagnostics")
	text, err := os.ReadFile(filepath.Join(dir, "answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return dir, r
}

func readColumns(t *testing.T, file string) *Draws {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := ReadChainColumns(f, filepath.Base(file), "x")
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

func figures(x [][]float64) map[string]float64 {
	s := summarise("x", x)
	return map[string]float64{
		"rhat": s.Rhat, "rhat_basic_split": SplitRhat(x), "rhat_basic_nosplit": BasicRhat(x),
		"ess_bulk": s.ESSBulk, "ess_tail": s.ESSTail, "ess_mean": MeanESS(x), "ess_sd": SDESS(x),
		"ess_q05": QuantileESS(x, 0.05), "ess_q50": QuantileESS(x, 0.5), "ess_q95": QuantileESS(x, 0.95),
		"mcse_mean": s.MCSEMean, "mcse_sd": s.MCSESD, "mcse_q05": MCSEQuantile(x, 0.05),
		"mcse_median": MCSEQuantile(x, 0.5), "mcse_q95": MCSEQuantile(x, 0.95),
		"mean": s.Mean, "sd": s.SD, "q05": s.Q5, "median": s.Q50, "q95": s.Q95,
	}
}

// TestFiguresAgreeWithR compares every figure with R's posterior package.
func TestFiguresAgreeWithR(t *testing.T) {
	dir, r := loadReference(t)
	for name, answers := range r.Answers {
		d := readColumns(t, filepath.Join(dir, name+".csv"))
		x := d.Param(0)
		if float64(len(x)) != answers["chains"] || float64(len(x[0])) != answers["draws"] {
			t.Fatalf("%s: read %d chains of %d draws", name, len(x), len(x[0]))
		}
		got, compared := figures(x), 2
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
			case key == "chains" || key == "draws":
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
		if compared != len(answers)-2 {
			t.Errorf("%s: compared %d of %d figures", name, compared, len(answers))
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
		s := summarise(name, x)
		for _, v := range []float64{s.Rhat, s.ESSBulk, s.ESSTail, s.MCSEMean, s.MCSESD, MCSEQuantile(x, 0.5)} {
			if !math.IsNaN(v) {
				t.Errorf("%s: %+v has a figure where none is defined", name, s)
			}
		}
	}
}

func TestQuantileIsTypeSeven(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.9: 6.8, 1: 8} {
		if got := Quantile(x, p); math.Abs(got-want) > 1e-12 {
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
	s := summarise("x", [][]float64{{1.5, 1.5, 1.5, 1.5}})
	text, err := json.Marshal(s)
	want := `{"mean":1.5,"sd":0,"q5":1.5,"q50":1.5,"q95":1.5,"rhat":null,"ess_bulk":null,"ess_tail":null,"mcse_mean":null,"mcse_sd":null}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}
