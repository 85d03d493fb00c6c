package fit

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/testdata/reference"
)

// stanRow holds what Stan computed for one participant's parameter.
type stanRow struct {
	parameter                    string
	mean, sd, meanError, sdError float64
}

// readStan returns the rows of a file of testdata/stan, by participant.
func readStan(t *testing.T, file string) map[string][]stanRow {
	t.Helper()
	f, err := os.Open("../../testdata/stan/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]stanRow{}
	for _, row := range rows[1:] {
		var x [4]float64
		for i := range x {
			if x[i], err = strconv.ParseFloat(row[2+i], 64); err != nil {
				t.Fatal(err)
			}
		}
		all[row[0]] = append(all[row[0]], stanRow{row[1], x[0], x[1], x[2], x[3]})
	}
	return all
}

// Exact ddm has the posteriors of Stan's wiener: means and standard deviations agree within four Monte Carlo errors of both
// samplers together. Two participants are always compared; with LIKC_LONG, all fourteen.
func TestAgreesWithStan(t *testing.T) {
	compareWithStan(t, "ddm", "wiener/posteriors.csv", func(participant string) bool {
		return os.Getenv("LIKC_LONG") != "" || participant == "4" || participant == "11" // the participants with the smallest and the largest a
	})
}

// Exact full_ddm has the posterior that an independent program found by importance sampling.
func TestFullAgreesWithImportanceSampling(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("LIKC_LONG is not set")
	}
	compareWithStan(t, "full_ddm", "full_ddm/posterior.csv", func(participant string) bool { return participant == "1" })
}

// The teacher of full_ddm was trained on simulated trials only. It has the same posterior: means within a quarter of a standard
// deviation, standard deviations within a fifth. Chains of 600 draws add Monte Carlo errors of some .05 standard deviations.
func TestTeacherOfFullAgreesWithImportanceSampling(t *testing.T) {
	m, b := open(t, "../../testdata/teacher/full_ddm")
	settings := nuts.DefaultSettings()
	settings.NumChains, settings.NumWarmup, settings.NumSamples = 2, 400, 600
	r := Run(t.Context(), specOf(t, m, Wishes{}), b, cavanagh(t, m, func(participant string) bool { return participant == "1" }), Settings{Sampler: settings})
	if !r[0].IsComplete() {
		t.Fatal(r[0].Err)
	}
	for i, want := range readStan(t, "full_ddm/posterior.csv")["1"] {
		p := r[0].Summary.Params[i]
		t.Logf("%s: mean %.3f, %.3f standard deviations off; standard deviation %.3f times the other", p.Name, p.Mean, (p.Mean-want.mean)/want.sd, p.SD/want.sd)
		if p.Name != want.parameter || math.Abs(p.Mean-want.mean) > 0.25*want.sd || math.Abs(p.SD/want.sd-1) > 0.2 {
			t.Errorf("%s: mean %v and sd %v, importance sampling found %v and %v of %s", p.Name, p.Mean, p.SD, want.mean, want.sd, want.parameter)
		}
	}
}

// cavanagh returns the wanted participants of Cavanagh's data.
func cavanagh(t *testing.T, m *catalog.Model, wanted func(participant string) bool) (all []Subject) {
	t.Helper()
	const name = "cavanagh_theta_nn.csv"
	table, err := trials.ReadCSV(name, bytes.NewReader(reference.Read(t, name)), trials.Options{Trials: m.Trials, Choice: m.Choice, Grouped: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range table.Subjects {
		if wanted(s.Label) {
			columns, choice := table.Of(s)
			all = append(all, Subject{Label: s.Label, Columns: columns, Choice: choice})
		}
	}
	return all
}

// compareWithStan fits the wanted participants of Cavanagh's data with the default settings, and compares the posteriors with a
// file of Stan's.
func compareWithStan(t *testing.T, model, file string, wanted func(participant string) bool) {
	want := readStan(t, file)
	m, b := open(t, model)
	for _, r := range Run(t.Context(), specOf(t, m, Wishes{}), b, cavanagh(t, m, wanted), Settings{Sampler: nuts.DefaultSettings()}) {
		if !r.IsComplete() {
			t.Fatal(r.Err)
		}
		for i, p := range r.Summary.Params {
			stan := want[r.Label][i]
			if p.Name != stan.parameter {
				t.Fatalf("%s where Stan has %s", p.Name, stan.parameter)
			}
			if off := math.Abs(p.Mean-stan.mean) / math.Hypot(p.MCSEMean, stan.meanError); off > 4 {
				t.Errorf("participant %s, %s: mean %v, Stan's %v: %.1f errors apart", r.Label, p.Name, p.Mean, stan.mean, off)
			}
			if off := math.Abs(p.SD-stan.sd) / math.Hypot(p.MCSESD, stan.sdError); off > 4 {
				t.Errorf("participant %s, %s: sd %v, Stan's %v: %.1f errors apart", r.Label, p.Name, p.SD, stan.sd, off)
			}
		}
	}
}
