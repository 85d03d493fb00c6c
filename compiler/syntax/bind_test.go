package syntax

import (
	"io"
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// TestBindIsPrinted: lapses and a binding function are printed as they were read, `use` copies them, and models that differ only in them are
// not equal.
func TestBindIsPrinted(t *testing.T) {
	text := `model own { trial x; param lapse in [1, 9] param hidden in [0, 1] loglik = lapse*x + hidden normalise lapse 0.05 until 12
  bind { input log(lapse); input hidden/2 shift hidden { -0.25 0 2; 1e-9 0 0 } tilt { 0.5 1 2; } } } model same { use own }`
	models, err := Read("f.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		if m.Lapse == nil || m.Lapse.Probability != 0.05 || m.Lapse.Until != 12 {
			t.Errorf("%s: lapses are %v", m.Name, m.Lapse)
		}
		if b := m.Binding; b == nil || len(b.Inputs) != 2 || b.Inputs[0].String() != "log(lapse)" || b.Shifts[0].Param != "hidden" ||
			b.Shifts[0].Terms[0].Coefficient != -0.25 || b.Shifts[0].Terms[0].Degrees[1] != 2 || b.Shifts[0].Terms[1].Coefficient != 1e-9 ||
			b.Tilt[0].Degrees[0] != 1 || b.Coefficients() != 3 {
			t.Errorf("%s: the binding is %+v", m.Name, b)
		}
		again, err := Read("f.lik", strings.NewReader(Format(m)))
		if err != nil || !again[0].Equal(m) {
			t.Errorf("%s: printed and read again it is another model, or none: %v", m.Name, err)
		}
	}
	other := *models[0]
	other.Lapse = &expr.Lapse{Probability: 2, Until: 1}
	if err := Print(io.Discard, &other); err == nil || err.Error() != `print model "own": lapse 2 until 1` {
		t.Errorf("a probability of 2: %v", err)
	}
	other = *models[0]
	other.Binding = &expr.Binding{Shifts: []expr.BindingShift{{Param: "hidden", Terms: []expr.BindingTerm{{Coefficient: math.NaN()}}}}}
	if err := Print(io.Discard, &other); err == nil || err.Error() != `print model "own": bind has the number NaN` {
		t.Errorf("a coefficient that is no number: %v", err)
	}
	other = *models[0]
	if other.Lapse = nil; other.Equal(models[0]) {
		t.Error("a model without lapses equals one with lapses")
	}
	other = *models[0]
	if other.Binding = nil; other.Equal(models[0]) {
		t.Error("a model that is not bound equals one that is")
	}
}
