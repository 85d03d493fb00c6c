package folder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/omission"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// lapsing is a design whose data have 12 % lapses, uniform from 0 to 8 s.
type lapsing struct {
	formula  string  // "" for none
	deadline float64 // deadline in seconds; 0 for none
	respond  float64 // the only choice that is to respond; 0 for both
	fixed    bool    // whether the probability of a lapse is fixed at its true value
}

const lapseShare = 0.12

// data simulates trials without the code that predicts them. Trials of condition "b" have the drift 0.6, all others 1.2.
func (l lapsing) data(t *testing.T, n int) fit.Subject {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	s := fit.Subject{Columns: [][]float64{nil}, Go: l.respond}
	for i := range n {
		drift, name := 1.2, "a"
		if l.formula != "" && i%2 == 1 {
			drift, name = 0.6, "b"
		}
		rt, choice := []float64{0}, []float64{0}
		if err := ssm.DDM.Simulate(rng, []float64{drift, 1.1, 0.5, 0.35}, ssm.ExactScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		if rng.Float64() < lapseShare {
			rt[0], choice[0] = 8*rng.Float64(), float64(2*rng.IntN(2)-1)
		}
		if l.deadline > 0 {
			s.Deadlines = append(s.Deadlines, l.deadline)
			if rt[0] > l.deadline || choice[0] == -l.respond {
				rt[0], choice[0] = l.deadline, trials.Omitted
			}
		}
		s.Columns[0], s.Choice, s.Conditions = append(s.Columns[0], rt[0]), append(s.Choice, choice[0]), append(s.Conditions, name)
	}
	return s
}

// drawn returns a folder for the data, and a result whose draws are near the truth.
func (l lapsing) drawn(t *testing.T, of fit.Subject) (*Folder, *fit.Result) {
	t.Helper()
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	base, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { base.Close() })
	if l.deadline > 0 {
		if base, err = base.With(omission.Deadline{Respond: l.respond}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := base.With(lapse.Lapses{Times: lapse.Window{High: 8}, GoNoGo: l.respond != 0})
	if err != nil {
		t.Fatal(err)
	}
	wishes, truth := fit.Wishes{}, map[string]float64{"v": 1.2, "v_cond[a]": 1.2, "v_cond[b]": 0.6, "a": 1.1, "z": 0.5, "t": 0.35, lapse.Param: lapseShare}
	if l.fixed {
		wishes.Fixed = []string{fmt.Sprintf("%s=%v", lapse.Param, lapseShare)}
	}
	if l.formula != "" {
		wishes.Formulas, of.Table = []string{l.formula}, formula.Table{Columns: []formula.DataColumn{{Name: "cond", Labels: of.Conditions}}}
	}
	spec, err := fit.NewSpec(b.Model, wishes)
	if err != nil {
		t.Fatal(err)
	}
	simulate, err := fit.SimulatorOf(spec.Model, b)
	if err != nil {
		t.Fatal(err)
	}
	r := &fit.Result{Subject: of, Summary: &fit.Summary{Model: m.Name}, Study: unbound(t, spec, &of)}
	names := r.Study.Names()
	values := make([]float64, len(names))
	for j, name := range names {
		value, ok := truth[name]
		if !ok {
			t.Fatalf("no true %s", name)
		}
		values[j] = value
	}
	r.Draws = drawsNear(names, values, 0.001)
	f, err := New(filepath.Join(t.TempDir(), "out"), Settings{Spec: spec, Simulator: simulate, Predictive: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	return f, r
}

// sharesIn returns shares of the trials: with a response before 0.3 s, after 1.4 s, at the lower boundary, and without a
// response.
func sharesIn(rt, choice []float64) (all [4]float64) {
	for i, x := range rt {
		none := choice[i] == trials.Omitted || choice[i] == 0
		for k, is := range []bool{!none && x < 0.3, !none && x > 1.4, !none && choice[i] == -1, none} {
			if is {
				all[k] += 1 / float64(len(rt))
			}
		}
	}
	return all
}

// written returns the trials of a file of predictions. An omission has the choice 0.
func written(t *testing.T, f *Folder) (rt, choice []float64) {
	t.Helper()
	rows, err := parquet.ReadFile[predictedTrial](filepath.Join(f.hidden.Path, predictiveTable+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		rt, choice = append(rt, row.RT), append(choice, float64(row.Choice))
	}
	return rt, choice
}

// Predictions of the right model have as many lapses as the data. The check reports no misfit, and shares of predicted trials
// equal those of the data within 4 standard errors. Draws are near the true parameters, so that only the prediction can be wrong.
func TestPredictionsHaveLapses(t *testing.T) {
	for name, l := range map[string]lapsing{"flat": {}, "fixed": {fixed: true}, "formula": {formula: "v ~ 0 + cond"}, "deadline": {deadline: 2.5},
		"go/no-go": {deadline: 2.5, respond: 1}, "formula with a deadline": {formula: "v ~ 0 + cond", deadline: 2.5}} {
		t.Run(name, func(t *testing.T) {
			const n = 2000
			of := l.data(t, n)
			f, r := l.drawn(t, of)
			f.checkPredictions(t.Context(), r, f.predictOnce(t.Context(), r))
			if c := r.Summary.PredictiveCheck; c == nil || c.Misfit || len(r.Summary.Warnings) > 0 || c.Trials != n && c.Trials != n/2 {
				t.Errorf("the right model: %+v, %v", c, r.Summary.Warnings)
			}
			if err := f.writePredictive(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			want, got := sharesIn(of.Columns[0], of.Choice), sharesIn(written(t, f))
			for k, what := range []string{"responses before 0.3 s", "after 1.4 s", "of the lower boundary", "omissions"} {
				se := math.Sqrt(got[k] * (1 - got[k]) * (1 + 1.0/float64(f.Predictive)) / n)
				if math.Abs(got[k]-want[k]) > 4*se {
					t.Errorf("%s: %.4f predicted, %.4f observed, standard error %.4f", what, got[k], want[k], se)
				}
			}
		})
	}
}

// A wrong share of omissions is a misfit, also in a single condition where conditions have different deadlines.
func TestWrongOmissions(t *testing.T) {
	l := lapsing{deadline: 2.5, respond: 1}
	of := l.data(t, 2000)
	for i := range of.Conditions {
		if of.Conditions[i] = "early"; i%2 == 1 {
			of.Conditions[i] = "late"
			continue
		}
		of.Deadlines[i] = 0.9
		if of.Columns[0][i] > 0.9 || of.Choice[i] == trials.Omitted {
			of.Columns[0][i], of.Choice[i] = 0.9, trials.Omitted
		}
	}
	check := func() *fit.PredictiveCheck {
		f, r := l.drawn(t, of)
		f.checkPredictions(t.Context(), r, f.predictOnce(t.Context(), r))
		return r.Summary.PredictiveCheck
	}
	if c := check(); c == nil || c.Misfit || c.Sets != 3 {
		t.Errorf("right deadlines: %+v", c)
	}
	for i, choice := range of.Choice { // removes one in five responses of a condition
		if of.Conditions[i] == "late" && choice != trials.Omitted && i%5 == 0 {
			of.Columns[0][i], of.Choice[i] = of.Deadlines[i], trials.Omitted
		}
	}
	c := check()
	if c == nil || !c.Misfit || c.Condition != "late" || c.Worst == nil || !c.Worst.Omission || c.Worst.Observed < c.Worst.Predicted {
		t.Fatalf("responses are lost: %+v", c)
	}
	if want := "farthest off are trials without a response: "; !strings.Contains(c.String(), want) {
		t.Errorf("%q does not say %q", c, want)
	}
}
