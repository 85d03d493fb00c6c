package gate

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/search/teacher"
)

const testdata = "../../../testdata/teacher"

// TestCommittedAdmitted: the committed teachers pass, and the default one is at least as good as the paper's.
func TestCommittedAdmitted(t *testing.T) {
	for _, kind := range []string{"spline", "flow"} {
		dir := filepath.Join(testdata, kind)
		if err := Admit(dir); err != nil {
			t.Fatal(err)
		}
		o, err := teacher.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decode(o.Gate)
		if err != nil {
			t.Fatal(err)
		}
		for name, most := range map[string]float64{"ece": 0.041, "predictive_ks": 0.092, "choice_mae": 0.017, "mass_median": 0.005} {
			if f, ok := r.Figure(name); !ok || f.Value == nil || *f.Value > most {
				t.Errorf("%s: %v, want at most %v", kind, f, most)
			}
		}
		for name, least := range map[string]float64{"choice_r": 0.996, "cross_r": 0.982, "exact_r": 0.997} {
			if f, ok := r.Figure(name); !ok || f.Value == nil || *f.Value < least {
				t.Errorf("%s: %v, want at least %v", kind, f, least)
			}
		}
	}
}

// TestCommittedAgain: examined again, the default teacher has the figures of its report.
func TestCommittedAgain(t *testing.T) {
	o, err := teacher.Open(filepath.Join(testdata, "spline"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Decode(o.Gate)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Examine(context.Background(), Of(o), gateBank(t, 100, 1000), nil, kept.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if e.Bank != kept.Bank || e.Teacher != kept.Teacher {
		t.Errorf("bank %s, teacher %s, the report has %s and %s", e.Bank, e.Teacher, kept.Bank, kept.Teacher)
	}
	for _, f := range e.Figures {
		if was, ok := kept.Figure(f.Name); f.Value != nil && (!ok || was.Value == nil || math.Abs(*f.Value-*was.Value) > 1e-3) {
			t.Errorf("%v, the report has %v", f, was)
		}
	}
	if plots, err := e.Plots(o.Stages); err != nil || len(plots) != 3 {
		t.Errorf("%d plots, %v", len(plots), err)
	}
}

// TestRefused: a teacher is refused without a report, with another's report, and with one that does not pass.
func TestRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teacher")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(testdata, "spline"))); err != nil {
		t.Fatal(err)
	}
	o, err := teacher.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(change func(*Report), want string) {
		t.Helper()
		r, err := Decode(o.Gate)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := teacher.Examined(dir, text); err != nil {
			t.Fatal(err)
		}
		if err := Admit(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	refused(func(r *Report) { r.Teacher = strings.Repeat("0", 64) }, "the report of other weights")
	refused(func(r *Report) {
		r.Figures[0], r.Pass = below("ece", 0.3, MostECE, ""), false
	}, "does not pass its gate: ece 0.3, want below 0.1")
	refused(func(r *Report) { r.Figures[0] = below("ece", 0.3, MostECE, "") }, "pass does not follow")
	o.Gate = nil
	if _, err := Admitted(dir, o); err == nil || !strings.Contains(err.Error(), "has not been examined") {
		t.Errorf("%v", err)
	}
}
