package report

import "testing"

func TestChoices(t *testing.T) {
	for _, c := range []struct {
		coding map[string]float64
		want   string
	}{
		{nil, ""},
		{map[string]float64{"1": 1, "-1": -1}, ""},
		{map[string]float64{"1": 1, "0": -1}, "upper boundary: 1, lower boundary: 0"},
		{map[string]float64{"word": 1, "nonword": -1, "name": 1}, "upper boundary: name or word, lower boundary: nonword"},
		{map[string]float64{"left": 0, "up": 1, "right": 2}, "choice 2: right, choice 1: up, choice 0: left"},
	} {
		f := &fitted{}
		f.Record.Data.Coding = c.coding
		if got := f.Choices(); got != c.want {
			t.Errorf("%v: %q, want %q", c.coding, got, c.want)
		}
	}
}
