package folder

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// openStore is a Python program that opens a store with xarray. It prints a summary of each coefficient by ArviZ, elpd, the
// number of divergences, and some sizes and labels.
const openStore = `import sys, warnings
warnings.simplefilter("ignore")
import arviz, xarray
tree = xarray.open_datatree(sys.argv[1], engine="zarr")
fit = arviz.InferenceData.from_datatree(tree) if hasattr(arviz, "InferenceData") else tree
rows = arviz.summary(fit, round_to="none")
for name, row in rows.iterrows():
    print(name, *(row[c] for c in ("mean", "sd", "r_hat", "ess_bulk", "ess_tail")), sep="\t")
loo = arviz.loo(fit, var_name="response")
print("elpd", loo.elpd_loo if hasattr(loo, "elpd_loo") else loo.elpd, sep="\t")
stats = tree["sample_stats"].dataset
print("divergent", int(stats["diverging"].sum()), sep="\t")
print("trials", tree["observed_data"].dataset["rt"].size, sep="\t")
print("levels", *tree["posterior"].dataset["a_1|who"].coords["who__factor_dim"].values, sep="\t")
print("labels", *tree["constant_data"].dataset["cond"].values[:1], sep="\t")
`

// TestStoreInPython: from draws.zarr, ArviZ computes the same figures as likc computed from the draws.
func TestStoreInPython(t *testing.T) {
	python := cmp.Or(os.Getenv("LIKC_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import arviz, xarray, zarr").Run(); err != nil {
		t.Skipf("%s has no modules arviz, xarray and zarr: set LIKC_PYTHON to one that has", python)
	}
	d := design{model: "ddm", formulas: []string{"a ~ 1 + (1 | who)", "v ~ 0 + cond"}, levels: []string{"p1", "p2", "p 3"}, trials: 40,
		theta: func(level, c int) []float64 { return []float64{1 + float64(c), 1 + 0.2*float64(level), 0.5, 0.3} }}
	dir, _ := d.fitted(t)
	out, err := exec.Command(python, "-c", openStore, filepath.Join(dir, zarrFolder)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		got[fields[0]] = fields[1:]
	}
	saved, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := saved.Subjects[0]
	for _, p := range s.Params {
		near := func(what, text string, want float64) {
			if x, err := strconv.ParseFloat(text, 64); err != nil || !(math.Abs(x-want) <= 1e-9*math.Abs(want)) {
				t.Errorf("%s of %s: %s in ArviZ, %v here", what, p.Name, text, want)
			}
		}
		row := got[p.Name]
		if len(row) != 5 {
			t.Errorf("%s: no row of ArviZ's, but %q", p.Name, row)
			continue
		}
		near("mean", row[0], p.Mean)
		near("sd", row[1], p.SD)
		near("R-hat", row[2], p.Rhat)
		near("bulk ESS", row[3], p.ESSBulk)
		near("tail ESS", row[4], p.ESSTail)
	}
	// ArviZ estimates the relative sample size of a trial's density from the parameters, likc from the density itself.
	if x, err := strconv.ParseFloat(got["elpd"][0], 64); err != nil || !(math.Abs(x-float64(s.LOO.ELPD)) < 0.01*float64(s.LOO.SE)) {
		t.Errorf("elpd is %v in ArviZ, %v here", got["elpd"], s.LOO.ELPD)
	}
	for what, want := range map[string]string{"divergent": fmt.Sprint(s.Divergences), "trials": "240", "levels": "p 3 p1 p2", "labels": "A"} {
		if text := strings.Join(got[what], " "); text != want {
			t.Errorf("%s: %q in the store, want %q", what, text, want)
		}
	}
}

// TestStoreIsWritten: a fit's folder contains the store with its groups, and another fit may replace the folder.
func TestStoreIsWritten(t *testing.T) {
	d := design{model: "ddm", trials: 30, theta: func(int, int) []float64 { return []float64{1, 1, 0.5, 0.3} }}
	dir, _ := d.fitted(t)
	for _, name := range []string{".zmetadata", "posterior/v/0.0", "sample_stats/diverging/0.0", "log_likelihood/response/0.0.0", "observed_data/rt/0"} {
		if _, err := os.Stat(filepath.Join(dir, zarrFolder, name)); err != nil {
			t.Error(err)
		}
	}
	if err := Check(dir); err != nil {
		t.Error(err)
	}
}
