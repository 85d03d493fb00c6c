package folder

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
	"likc/runtime/model/catalog"
	"likc/runtime/model/stopsignal"
)

// sessionTheta holds parameters of the stop-signal task.
var sessionTheta = []float64{0.45, 0.06, 0.12, 0.18, 0.04, 0.05, 0.08, 0.02}

// sessionDelays are the delays of the stop signal in all sessions of this file.
var sessionDelays = []float64{0.1, 0.25, 0.4}

// ofSession simulates a session at the parameters `observed`, and saves a fit whose draws are all theta. It returns the session
// and the fit's folder.
func ofSession(t *testing.T, theta, observed []float64, trials int) (stopsignal.Session, string) {
	t.Helper()
	m, err := catalog.Open(stopsignal.Name)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := fit.NewSpec(m, fit.Wishes{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(filepath.Join(t.TempDir(), "out"), Settings{Spec: spec, Predictive: 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	s := stopsignal.Simulate(rand.New(rand.NewPCG(3, 4)), observed, stopsignal.Design{Trials: trials, Signals: 0.5, Delays: sessionDelays})
	rt, ssd := make([]float64, trials), make([]float64, trials)
	for i := range rt { // codes the columns as the model binds them
		if rt[i] = s.RT[i]; math.IsNaN(rt[i]) {
			rt[i] = m.Missing["rt"]
		}
		if ssd[i] = s.Delay[i]; math.IsNaN(ssd[i]) {
			ssd[i] = m.Missing["ssd"]
		}
	}
	d := drawsNear(m.ParamNames(), theta, 0)
	r := &fit.Result{Subject: fit.Subject{Columns: [][]float64{rt, ssd}, Choice: s.Choice}, Draws: d}
	r.Summary = &fit.Summary{Format: fit.Format, Model: m.Name, Params: d.Summarise()}
	r.Study = unbound(t, spec, &r.Subject)
	if err := f.Save(t.Context(), r, 1); err != nil || r.Figures != nil {
		t.Fatal(err, r.Figures)
	}
	if !entriesOf(t, f.hidden.Path)["signals.svg"] {
		t.Error("no signals.svg")
	}
	return s, f.hidden.Path
}

// compared reads a column of signals.csv, by statistic and delay.
func compared(t *testing.T, dir, column string) map[[2]string]float64 {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, signalsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of := map[[2]string]float64{}
	for _, row := range rows[1:] {
		for j, name := range rows[0] {
			if name == column {
				x, err := strconv.ParseFloat(row[j], 64)
				if err != nil {
					t.Error(err)
				}
				of[[2]string{row[0], row[1]}] = x
			}
		}
	}
	return of
}

// shares returns the shares of trials with a response, and the numbers of trials, by delay. Trials without a signal have the
// delay NA.
func shares(delay []float64, responded func(i int) bool) (share, trials map[string]float64) {
	share, trials = map[string]float64{}, map[string]float64{}
	for i, d := range delay {
		trials[short(d)]++
		if responded(i) {
			share[short(d)]++
		}
	}
	for d := range share {
		share[d] /= trials[d]
	}
	return share, trials
}

// At the true parameters, the predicted shares of responses equal those of a large simulated session.
func TestPredictedSharesAreSimulatedOnes(t *testing.T) {
	const trials = 2000
	s, dir := ofSession(t, sessionTheta, sessionTheta, trials)
	many := stopsignal.Simulate(rand.New(rand.NewPCG(9, 10)), sessionTheta, stopsignal.Design{Trials: 400_000, Signals: 0.75, Delays: sessionDelays})
	want, _ := shares(many.Delay, func(i int) bool { return many.Choice[i] == stopsignal.Response })
	_, n := shares(s.Delay, func(int) bool { return false })
	table := compared(t, dir, "mean")
	rows, err := parquet.ReadFile[predictedTrial](filepath.Join(dir, predictiveTable+".parquet"))
	if err != nil || len(rows) != 20*trials {
		t.Fatalf("%d rows, %v: want %d", len(rows), err, 20*trials)
	}
	var delay []float64
	for _, row := range rows {
		if row.Choice == 1 && !(row.RT > 0) || row.Choice != 1 && row.RT != 0 { // null is read as 0
			t.Fatalf("choice %d with the response time %v", row.Choice, row.RT)
		}
		delay = append(delay, s.Delay[row.Trial-1])
	}
	written, _ := shares(delay, func(i int) bool { return rows[i].Choice == 1 })
	for d, w := range want {
		inTable := table[[2]string{"response", d}]
		if d == "NA" {
			inTable = 1 - table[[2]string{"go_omissions", d}]
		}
		// 4 standard errors of the prediction; 1e-5 is the variance from 100,000 simulated trials
		for name, x := range map[string]struct{ got, sessions float64 }{"signals.csv": {inTable, signalDraws}, "predictive.parquet": {written[d], 20}} {
			if tolerance := 4 * math.Sqrt(w*(1-w)*(1/(x.sessions*n[d])+1e-5)); !(math.Abs(x.got-w) <= tolerance) {
				t.Errorf("%s, delay %s: a share of %v, want %v ± %v", name, d, x.got, w, tolerance)
			}
		}
	}
}

// A fit whose stop process is 0.1 s too slow predicts too many responses to signals. Its predictions for trials without a signal
// are right.
func TestMisfitHasSmallP(t *testing.T) {
	late := append([]float64(nil), sessionTheta...)
	late[3] += 0.1
	_, dir := ofSession(t, late, sessionTheta, 1000)
	p := compared(t, dir, "p")
	for _, d := range []string{"0.1", "0.25", "0.4"} {
		if got := p[[2]string{"response", d}]; !(got < 0.02) {
			t.Errorf("delay %s: p = %v, want a misfit", d, got)
		}
	}
	for _, name := range []string{"go_omissions", "go_rt_10", "go_rt_50", "go_rt_90"} {
		if got, ok := p[[2]string{name, "NA"}]; !ok || !(got > 0.02) {
			t.Errorf("%s: p = %v, want no misfit", name, got)
		}
	}
}
