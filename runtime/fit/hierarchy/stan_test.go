package hierarchy

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/testdata/reference"
)

// cavanagh returns the data of Cavanagh's study of 14 participants, with the columns that the presets name.
func cavanagh(t *testing.T) Data {
	t.Helper()
	file := bytes.NewReader(reference.Read(t, "cavanagh_theta_nn.csv"))
	table, err := trials.ReadCSV("cavanagh", file, trials.Options{Trials: []string{"rt"}, Choice: "c", Extra: []string{"subj_idx", "theta"}})
	if err != nil {
		t.Fatal(err)
	}
	return DataOf(table)
}

// correlated returns the data with correlated effects that testdata/stan/hierarchy/correlated-data.R simulates.
func correlated(t *testing.T) Data {
	t.Helper()
	zipped, err := os.ReadFile("../../../testdata/stan/hierarchy/correlated-data.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	file, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	table, err := trials.ReadCSV("correlated", file, trials.Options{Trials: []string{"rt"}, Choice: "c", Extra: []string{"subj_idx", "stim", "load"}})
	if err != nil {
		t.Fatal(err)
	}
	return DataOf(table)
}

// fitPreset returns draws of a preset on Cavanagh's data.
func fitPreset(t *testing.T, model, name string, s nuts.Settings) *chains.Draws {
	t.Helper()
	m, b := boundtest.Open(t, model)
	spec, err := Preset(name, m, "subj_idx")
	if err != nil {
		t.Fatal(err)
	}
	return fitSpec(t, m, b, spec, cavanagh(t), s)
}

// fitSpec returns draws of a regression.
func fitSpec(t *testing.T, m *catalog.Model, b *bound.Prepared, spec Spec, d Data, s nuts.Settings) *chains.Draws {
	t.Helper()
	study, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	p, err := study.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Sample(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r.Draws
}

// stanRow holds the posterior moments of a parameter that testdata/stan/hierarchy/run.R computed, with their Monte Carlo errors.
type stanRow struct{ mean, sd, mcseMean, mcseSD float64 }

func stanRows(t *testing.T, name string) map[string]stanRow {
	t.Helper()
	f, err := os.Open("../../../testdata/stan/hierarchy/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]stanRow{}
	for _, line := range lines[1:] {
		var x [4]float64
		for i := range x {
			if x[i], err = strconv.ParseFloat(strings.TrimSpace(line[i+1]), 64); err != nil {
				t.Fatal(err)
			}
		}
		all[strings.TrimSpace(line[0])] = stanRow{x[0], x[1], x[2], x[3]}
	}
	return all
}

// checkAgainstStan compares means and standard deviations of some draws with Stan's, within four Monte Carlo errors of both. The error of
// Stan's standard deviation is at least that of as many draws here: rstan 2.21 takes the effective number of x² for it, which far from zero
// is that of x, more than twice that of squared deviations. Over 150 offsets and three seeds, differences were 1.3 such errors (root mean square).
func checkAgainstStan(t *testing.T, name string, x [][]float64, want stanRow) {
	t.Helper()
	mean, sd := chains.Mean(x), chains.SD(x)
	if e := math.Hypot(chains.MCSEMean(x), want.mcseMean); !(math.Abs(mean-want.mean) <= 4*e) {
		t.Errorf("%s: mean %.5f, Stan %.5f: %.1f standard errors", name, mean, want.mean, (mean-want.mean)/e)
	}
	if e := math.Hypot(chains.MCSESD(x), max(want.mcseSD, chains.MCSESD(x))); !(math.Abs(sd-want.sd) <= 4*e) {
		t.Errorf("%s: sd %.5f, Stan %.5f: %.1f standard errors", name, sd, want.sd, (sd-want.sd)/e)
	}
	if want.sd == 0 {
		t.Fatalf("%s is not in Stan's output", name)
	}
	if rhat, ess := chains.Rhat(x), chains.BulkESS(x); !(rhat < 1.01) || !(ess >= 400) {
		t.Errorf("%s: R-hat %.4f, bulk ESS %.0f", name, rhat, ess)
	}
}

// sums adds two parameters draw by draw.
func sums(x, y [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for c := range x {
		out[c] = make([]float64, len(x[c]))
		for k := range x[c] {
			out[c][k] = x[c][k] + y[c][k]
		}
	}
	return out
}

// The paper's simple model with the exact density has the same posterior as in Stan, which uses its own wiener density; see
// testdata/stan/hierarchy/README.md.
func TestPresetAgainstStan(t *testing.T) {
	s := nuts.DefaultSettings()
	s.NumWarmup, s.Seed = 500, 4
	want, d := stanRows(t, "simple"), fitPreset(t, "ddm", "cavanagh-simple", s)
	param := func(name string) [][]float64 { return d.Param(d.Index(name)) }
	for stan, ours := range map[string]string{"v_Intercept": "v_Intercept", "v_theta": "v_theta", "v_sigma": "v_1|subj_idx_sigma", "a": "a", "z": "z", "t": "t"} {
		checkAgainstStan(t, ours, param(ours), want[stan])
	}
	for j := range 14 {
		name := "v_1|subj_idx[" + strconv.Itoa(j) + "]"
		checkAgainstStan(t, name, sums(param("v_Intercept"), param(name)), want["v_subject["+strconv.Itoa(j+1)+"]"])
	}
}

// The full model, in which every parameter varies by participant, has the same posterior as in Stan.
func TestFullAgainstStan(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("ten seconds of draws: LIKC_LONG=1")
	}
	s := nuts.DefaultSettings()
	s.NumWarmup, s.Seed = 500, 4
	want, d := stanRows(t, "full"), fitPreset(t, "ddm", "cavanagh-full", s)
	param := func(name string) [][]float64 { return d.Param(d.Index(name)) }
	checkAgainstStan(t, "v_theta", param("v_theta"), want["v_theta"])
	for i, name := range []string{"v", "a", "z", "t"} {
		at := "[" + strconv.Itoa(i+1) + "]"
		checkAgainstStan(t, name+"_Intercept", param(name+"_Intercept"), want["mu"+at])
		checkAgainstStan(t, name+" spread", param(name+"_1|subj_idx_sigma"), want["sigma"+at])
		for j := range 14 {
			level := name + "_1|subj_idx[" + strconv.Itoa(j) + "]"
			x, of := sums(param(name+"_Intercept"), param(level)), name+"_level"
			if name == "z" {
				x, of = mapped(x, func(eta float64) float64 { return 0.1 + 0.8/(1+math.Exp(-eta)) }), "z"
			}
			checkAgainstStan(t, level, x, want[of+"["+strconv.Itoa(j+1)+"]"])
		}
	}
}

// Correlated effects of 50 participants have the same posterior as in Stan, whose program has the paper's priors and uses
// the LKJ density of the Cholesky factor.
func TestCorrelatedAgainstStan(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("half a minute of draws: LIKC_LONG=1")
	}
	m, b := boundtest.Open(t, "ddm")
	spec := Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + stim + load + (1 + stim + load | subj_idx)")}}
	if err := spec.SetPriorSet(PaperPriors, nil); err != nil {
		t.Fatal(err)
	}
	s := nuts.DefaultSettings()
	s.NumWarmup, s.Seed = 500, 4
	want, d := stanRows(t, "correlated"), fitSpec(t, m, b, spec, correlated(t), s)
	param := func(name string) [][]float64 { return d.Param(d.Index(name)) }
	for stan, ours := range map[string]string{"a": "a", "z": "z", "t": "t",
		"cor[1]": "v_1|subj_idx:v_stim|subj_idx_cor", "cor[2]": "v_1|subj_idx:v_load|subj_idx_cor", "cor[3]": "v_stim|subj_idx:v_load|subj_idx_cor"} {
		checkAgainstStan(t, ours, param(ours), want[stan])
	}
	for k, name := range []string{"1", "stim", "load"} {
		mean, at := "v_"+name, strconv.Itoa(k+1)
		if name == "1" {
			mean = "v_Intercept"
		}
		checkAgainstStan(t, mean, param(mean), want["mu["+at+"]"])
		checkAgainstStan(t, name+" spread", param("v_"+name+"|subj_idx_sigma"), want["sigma["+at+"]"])
		for j := range 50 {
			level := "v_" + name + "|subj_idx[" + strconv.Itoa(j) + "]"
			checkAgainstStan(t, level, sums(param(mean), param(level)), want["b["+strconv.Itoa(j+1)+","+at+"]"])
		}
	}
}

// mapped applies f to all draws.
func mapped(x [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(x))
	for c := range x {
		for _, v := range x[c] {
			out[c] = append(out[c], f(v))
		}
	}
	return out
}
