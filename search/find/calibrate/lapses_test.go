package calibrate

import (
	"context"
	"os"
	"testing"

	"likc/compiler/expr"
)

// A model without lapses is prepared with very rare lapses, and finished without. If the model has lapses, they do not change.
func TestWithoutLapses(t *testing.T) {
	from := open(t, "wald").Model
	s := Default()
	m, mixed := prepared(from, s)
	if out := finished(m, &expr.Binding{}, mixed); out.Lapse == nil || *out.Lapse != s.Lapse {
		t.Errorf("lapses %v, want those of the settings", out.Lapse)
	}
	s.Lapse.Probability = 0
	m, mixed = prepared(from, s)
	if want := (expr.Lapse{Probability: leastLapse, Until: s.Lapse.Until}); *m.Lapse != want {
		t.Errorf("prepared with lapses %v, want %v", *m.Lapse, want)
	}
	if out := finished(m, &expr.Binding{}, mixed); out.Lapse != nil || m.Lapse == nil {
		t.Errorf("lapses %v of a model without", out.Lapse)
	}
	own := *from
	own.Lapse = &expr.Lapse{Probability: 0.1, Until: 9}
	if m, mixed = prepared(&own, s); *finished(m, &expr.Binding{}, mixed).Lapse != *own.Lapse {
		t.Errorf("lapses %v of a model's own", m.Lapse)
	}
}

// The binding function of a model without lapses is computed with leastLapse.
func TestRunWithoutLapses(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	from, teacher := open(t, "wald"), open(t, "ddm")
	s := Default()
	s.Points, s.Degree, s.Lapse.Probability = 200, 2, leastLapse
	few, _, err := Run(context.Background(), from.Model, teacher, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Lapse.Probability = 0
	none, report, err := Run(context.Background(), from.Model, teacher, s)
	if err != nil {
		t.Fatal(err)
	}
	if few.Lapse = nil; report.Mixed || !none.Equal(few) {
		t.Errorf("the model without lapses differs by more than them")
	}
}
