package judge

import (
	"testing"

	"likc/runtime/model/catalog"
	"likc/search/study/bank"
)

// A model that lacks a choice of the bank is refused, and the message names both models.
func TestCheckChoices(t *testing.T) {
	const empty = "the bank has no subject" // the error that follows if choices are accepted
	for _, c := range []struct{ model, process, want string }{
		{"lnr2", "lnr3", "the choices of lnr2 are [0 1], and those of lnr3, from which the bank is simulated, [0 1 2]"},
		{"wald", "lnr2", "the choices of wald are [1 -1], and those of lnr2, from which the bank is simulated, [0 1]"},
		{"lnr3", "lnr3", empty},
		{"lnr3", "lnr2", empty}, // the third choice never occurs
		{"wald", "ddm", empty},
	} {
		m, err := catalog.Open(c.model)
		if err != nil {
			t.Fatal(err)
		}
		err = Check([]Entry{{Name: c.model, Model: m}}, &bank.Bank{Settings: bank.Settings{Model: c.process}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s on a bank of %s: %v, want %q", c.model, c.process, err, c.want)
		}
	}
}

// The rarest choice of a race is found among all its choices, including one that no trial has.
func TestRarest(t *testing.T) {
	for _, c := range []struct {
		process string
		choice  []float64
		want    int
	}{
		{"ddm", []float64{1, 1, -1, 1}, 1},
		{"ddm", []float64{1, 1}, 0},
		{"lnr3", []float64{0, 0, 1, 1, 1, 2, 2}, 2},
		{"lnr3", []float64{0, 0, 1, 1}, 0},
		{"shifted_wald", nil, 0},
	} {
		if got := rarest(c.choice, codes(&bank.Bank{Settings: bank.Settings{Model: c.process}})); got != c.want {
			t.Errorf("%s %v: %d, want %d", c.process, c.choice, got, c.want)
		}
	}
}
