package hierarchy

import (
	"testing"

	"likc/runtime/model/posterior"
)

// TestOtherForm checks that the form to try is the one that the groups of the named coefficients do not have.
func TestOtherForm(t *testing.T) {
	s := &Study{}
	for _, name := range []string{"v_Intercept", "v_1|id_sigma", "v_1|id[1]", "v_1|id[2]"} {
		s.coords = append(s.coords, posterior.Parameter{Name: name})
	}
	g := &group{effects: []effect{{mean: 0, spread: 1}}, first: 2, shares: make([]float64, 2)}
	s.groups = []*group{g}
	for _, c := range []struct {
		share float64
		name  string
		want  Form
	}{{0.4, "v_1|id_sigma", NonCentred}, {1, "v_1|id[2]", NonCentred}, {0, "v_1|id[1]", Centred}, {1, "v_Intercept", ""}} {
		g.setShares(c.share)
		if got := s.OtherForm([]string{c.name}); got != c.want {
			t.Errorf("%s with shares of %v: %q, want %q", c.name, c.share, got, c.want)
		}
	}
}
