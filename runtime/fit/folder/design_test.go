package folder

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
)

// design is a study to simulate, and the formulas with which it is fitted.
type design struct {
	model    string
	formulas []string
	levels   []string // labels of the participants; nil for one person
	trials   int      // number of trials of each participant and condition
	theta    func(level, condition int) []float64
}

// conditions are the conditions of every design. Each design also has a column x of noise.
var conditions = []string{"A", "B"}

// fitted simulates a design, fits it, and saves it as likc fit does.
func (d *design) fitted(t *testing.T) (dir string, r *fit.Result) {
	t.Helper()
	m, err := catalog.Open(d.model)
	if err != nil {
		t.Fatal(err)
	}
	data := d.simulate(t, m)
	spec, err := fit.NewSpec(m, fit.Wishes{Formulas: d.formulas})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	study, err := fit.Check(spec, []fit.Subject{data})
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "out")
	settings := fit.Settings{Sampler: nuts.DefaultSettings(), LOO: true}
	settings.Sampler.NumChains, settings.Sampler.NumWarmup, settings.Sampler.NumSamples, settings.Sampler.Seed = 2, 250, 300, 3
	settings.Record = spec.Record(fit.Record{}, settings, study)
	f, err := New(dir, Settings{Spec: spec, NoFigures: true, Zarr: true, LogLik: true, Key: settings.Record.Key()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	settings.Save = f.Save
	settings.Keep = f.Keeper
	r = fit.Run(t.Context(), spec, b, []fit.Subject{data}, settings)[0]
	if r.Err != nil || r.Unsaved != nil {
		t.Fatal(r.Err, r.Unsaved)
	}
	if _, err := f.Publish([]*fit.Result{r}); err != nil {
		t.Fatal(err)
	}
	return dir, r
}

func (d *design) simulate(t *testing.T, m *catalog.Model) fit.Subject {
	t.Helper()
	simulate, err := fit.SimulatorOf(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(17, 18))
	data, who, cond, x := fit.Subject{Columns: [][]float64{nil}}, []string(nil), []string(nil), []float64(nil)
	for level := range max(1, len(d.levels)) {
		for c, label := range conditions {
			rt, choice := make([]float64, d.trials), make([]float64, d.trials)
			if err := simulate.Trials(context.Background(), rng, d.theta(level, c), rt, choice); err != nil {
				t.Fatal(err)
			}
			data.Columns[0], data.Choice = append(data.Columns[0], rt...), append(data.Choice, choice...)
			for range rt {
				cond, x = append(cond, label), append(x, rng.NormFloat64())
				if d.levels != nil {
					who = append(who, d.levels[level])
				}
			}
		}
	}
	data.Table = formula.Table{Columns: []formula.DataColumn{{Name: "cond", Labels: cond}, {Name: "x", Numeric: x}}}
	if who != nil {
		data.Table.Columns = append(data.Table.Columns, formula.DataColumn{Name: "who", Labels: who})
	}
	return data
}

// contrast returns the mean and the standard deviation that likc contrast prints.
func contrast(t *testing.T, dir, text string) (mean, sd float64) {
	t.Helper()
	r, err := OpenRegression(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := formula.ParseContrast(text)
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Contrast(c, r.Draws)
	if err != nil {
		t.Fatal(err)
	}
	return chains.Mean(x), chains.SD(x)
}

// rowsOf reads the rows of a table in which the columns of `where` have the given values.
func rowsOf(t *testing.T, path string, where map[string]string) (all []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row, is := map[string]string{}, true
		for k, name := range lines[0] {
			row[name] = line[k]
		}
		for name, want := range where {
			is = is && row[name] == want
		}
		if is {
			all = append(all, row)
		}
	}
	return all
}

// numberIn reads a field of a table.
func numberIn(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// near reports an error if a number is more than four posterior standard deviations from the truth, or if that standard deviation
// exceeds mostSD.
func near(t *testing.T, what string, got, sd, truth, mostSD float64) {
	t.Helper()
	if !(math.Abs(got-truth) < 4*sd) || !(sd < mostSD) {
		t.Errorf("%s: %.4f ± %.4f, and the truth is %.4f", what, got, sd, truth)
	}
}

// Two conditions have non-decision times of .45 and .30 s. The difference and both cells are found, in contrasts and in
// cells.csv.
func TestOnsetByCondition(t *testing.T) {
	a, onset := []float64{1, 0.7}, []float64{0.45, 0.3}
	d := design{model: "ddm", formulas: []string{"a ~ 0 + cond", "t ~ 0 + cond"}, trials: 400,
		theta: func(_, c int) []float64 { return []float64{1.5, a[c], 0.5, onset[c]} }}
	dir, _ := d.fitted(t)
	mean, sd := contrast(t, dir, "t[cond=A] - t[cond=B]")
	near(t, "t[cond=A] - t[cond=B]", mean, sd, 0.15, 0.02)
	difference := 0.0
	for c, label := range conditions {
		for param, truth := range map[string][]float64{"a": a, "t": onset} {
			rows := rowsOf(t, filepath.Join(dir, "cells.csv"), map[string]string{"param": param, "cond": label})
			if len(rows) != 1 {
				t.Fatal(rows)
			}
			near(t, param+" where cond="+label, numberIn(t, rows[0]["mean"]), numberIn(t, rows[0]["sd"]), truth[c], 0.05)
			if param == "t" {
				difference += numberIn(t, rows[0]["mean"]) * float64(1-2*c)
			}
		}
	}
	if !(math.Abs(difference-mean) < 1e-9) {
		t.Errorf("cells.csv says %v, the contrast %v", difference, mean)
	}
}

// A column of noise changes no parameter, and cross-validation does not prefer the model with it.
func TestNoiseOnOnset(t *testing.T) {
	truth := []float64{1.5, 1, 0.5, 0.45}
	d := design{model: "ddm", trials: 120, theta: func(int, int) []float64 { return truth }}
	elpd := map[string]float64{}
	for _, f := range []string{"t ~ 1", "t ~ x", "t ~ 1 + (1 | who)"} {
		if d.formulas = []string{f}; f == "t ~ 1 + (1 | who)" {
			d.levels, d.trials = []string{"p", "q", "r", "s"}, 30
		}
		dir, r := d.fitted(t)
		elpd[f] = float64(r.Summary.LOO.ELPD)
		for i, param := range []string{"v", "a", "z", "t"} {
			mean, sd := contrast(t, dir, param)
			near(t, f+": "+param, mean, sd, truth[i], []float64{0.4, 0.15, 0.1, 0.1}[i])
		}
	}
	if more := elpd["t ~ x"] - elpd["t ~ 1"]; !(math.Abs(more) < 6) {
		t.Errorf("elpd of t ~ x is %.1f above that of t ~ 1", more)
	}
}

// A study's non-decision time varies by person and condition. cells.csv and groups.csv have the right values.
func TestOnsetOfParticipants(t *testing.T) {
	people := []string{"01", "02", "10", "11", "12", "x"}
	spread := []float64{-0.35, 0.1, 0.25, -0.1, 0, 0.2}
	onset := func(level, c int) float64 { return []float64{0.4, 0.3}[c] * math.Exp(spread[level]) }
	d := design{model: "ddm", formulas: []string{"v ~ 0 + cond", "t ~ 0 + cond + (1 | who)"}, trials: 100, levels: people,
		theta: func(level, c int) []float64 { return []float64{[]float64{1.7, -1.9}[c], 1, 0.5, onset(level, c)} }}
	dir, _ := d.fitted(t)
	for c, label := range conditions {
		mean := 0.0
		for level, who := range people {
			mean += onset(level, c) / float64(len(people))
			for _, file := range []string{"cells.csv", "groups.csv"} {
				rows := rowsOf(t, filepath.Join(dir, file), map[string]string{"param": "t", "cond": label, "who": who})
				if len(rows) != 1 {
					t.Fatalf("%s: %v", file, rows)
				}
				near(t, file+": t of "+who+" where cond="+label, numberIn(t, rows[0]["mean"]), numberIn(t, rows[0]["sd"]), onset(level, c), 0.04)
			}
		}
		rows := rowsOf(t, filepath.Join(dir, "cells.csv"), map[string]string{"param": "t", "cond": label, "who": ""})
		if len(rows) != 1 {
			t.Fatal(rows)
		}
		near(t, "mean of t over people where cond="+label, numberIn(t, rows[0]["levels_mean"]), numberIn(t, rows[0]["levels_sd"]), mean, 0.02)
		for _, row := range rowsOf(t, filepath.Join(dir, "groups.csv"), map[string]string{"param": "v", "cond": label}) {
			near(t, "v of "+row["who"], numberIn(t, row["mean"]), numberIn(t, row["sd"]), []float64{1.7, -1.9}[c], 0.2)
		}
	}
	if rows := rowsOf(t, filepath.Join(dir, "groups.csv"), map[string]string{"param": "v", "cond": ""}); len(rows) > 0 {
		t.Errorf("drifts averaged over conditions: %v", rows)
	}
}
