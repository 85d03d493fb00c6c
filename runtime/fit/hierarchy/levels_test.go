package hierarchy

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/num/chains"
)

// withColumns returns a study of ddm with the columns of [simulated] and further columns, without the rows for which drop returns
// true.
func withColumns(t *testing.T, formulas []string, drop func(subject, cond string) bool, further func(row int, subject string) []formula.DataColumn) *Study {
	t.Helper()
	m, b, all := simulated(t, "ddm", 6, 24)
	x, cond, subject := all.Table.Columns[0].Numeric, all.Table.Columns[1].Labels, all.Table.Columns[2].Labels
	d := Data{Columns: [][]float64{nil}, Table: formula.Table{Columns: []formula.DataColumn{{Name: "x"}, {Name: "cond"}, {Name: "subject"}}}}
	for row := range all.Choice {
		if drop(subject[row], cond[row]) {
			continue
		}
		c := d.Table.Columns
		c[0].Numeric, c[1].Labels, c[2].Labels = append(c[0].Numeric, x[row]), append(c[1].Labels, cond[row]), append(c[2].Labels, subject[row])
		for i, own := range further(row, subject[row]) {
			if len(c) == 3+i {
				c = append(c, formula.DataColumn{Name: own.Name})
			}
			c[3+i].Numeric, c[3+i].Labels = append(c[3+i].Numeric, own.Numeric...), append(c[3+i].Labels, own.Labels...)
		}
		d.Table.Columns = c
		d.Columns[0], d.Choice = append(d.Columns[0], all.Columns[0][row]), append(d.Choice, all.Choice[row])
		d.Table.Rows++
	}
	spec, err := ParseFormulas(m, formulas)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func noRow(string, string) bool { return false }

// sideAndOld returns two columns of one row: side, a stimulus coded -1 and 1 (1 in 18 of 24 trials), and old, which differs
// between participants.
func sideAndOld(row int, subject string) []formula.DataColumn {
	x := 1.0
	if row/2%4 == 0 {
		x = -1
	}
	old := "no"
	if subject >= "4" {
		old = "yes"
	}
	return []formula.DataColumn{{Name: "side", Numeric: []float64{x}}, {Name: "old", Labels: []string{old}}}
}

// exactDraws returns draws of coefficients that hardly vary around their means; the default mean is 0.
func exactDraws(s *Study, means map[string]float64) *chains.Draws {
	sds := map[string]float64{}
	for _, name := range s.Names() {
		sds[name] = 1e-9
	}
	return fakeDraws(s.Names(), means, sds)
}

// contrastMeans returns the means of a contrast for the typical level, and over the levels; NaN if there are no levels.
func contrastMeans(t *testing.T, r *Record, text string, d *chains.Draws) (typical, levels float64) {
	t.Helper()
	c, err := formula.ParseContrast(text)
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Contrast(c, d)
	if err != nil {
		t.Fatal(err)
	}
	of, err := r.ContrastOfLevels(c, d)
	if err != nil {
		t.Fatal(err)
	}
	if typical, levels = chains.Mean(x), math.NaN(); of != nil {
		levels = chains.Mean(of)
	}
	return typical, levels
}

// A column of two numbers is a factor: no cell, participant, shrinkage or effect is at the mean of the two, where there is no
// trial.
func TestTwoNumbersAreAFactor(t *testing.T) {
	s := withColumns(t, []string{"v ~ 0 + side:cond + (0 + side | subject)", "a ~ side"}, noRow, sideAndOld)
	d, r := exactDraws(s, map[string]float64{"v_side:cond[easy]": 1.5, "v_side:cond[hard]": 0.5, "z": 0.5, "t": 0.2}), s.Record()
	cells, err := s.Cells(d)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"v[cond=easy, side=-1]": -1.5, "v[cond=easy, side=1]": 1.5, "v[cond=hard, side=-1]": -0.5, "v[cond=hard, side=1]": 0.5}
	for _, c := range cells {
		if c.Param != "v" {
			continue
		}
		if text := c.Text("side"); text != "-1" && text != "1" || c.At != "" || len(c.AtMean()) > 0 {
			t.Errorf("a cell at side %s, %q: %+v", text, c.At, c)
		}
		if x, known := want[c.String()]; !known || !(math.Abs(c.Mean-x) < 1e-6) {
			t.Errorf("%s of %q: %v, want %v", c.String(), c.Level, c.Mean, x)
		}
	}
	shrunk, err := s.Shrinkage(t.Context(), d)
	if err != nil || len(shrunk) != len(want) {
		t.Fatalf("%d cells of shrinkage, %v, want %d", len(shrunk), err, len(want))
	}
	for _, one := range shrunk {
		if _, known := want[one.Param+one.Factors]; !known {
			t.Errorf("shrinkage of %s%s", one.Param, one.Factors)
		}
	}
	effects, err := r.Effects(d)
	if err != nil {
		t.Fatal(err)
	}
	var drawn []string
	for _, e := range effects {
		drawn = append(drawn, fmt.Sprintf("%s by %s at %v: %.1f to %.1f", e.Param, e.Column, e.Labels, chains.Mean(e.Draws[0]), chains.Mean(e.Draws[1])))
	}
	if !slices.Contains(drawn, "v[side=1] by cond at [easy hard]: 1.5 to 0.5") || !slices.Contains(drawn, "v[side=-1] by cond at [easy hard]: -1.5 to -0.5") ||
		!slices.Contains(drawn, "v by side at [-1 1]: -1.0 to 1.0") || slices.ContainsFunc(effects, func(e Effect) bool { return e.Param == "v" && e.Column == "cond" }) {
		t.Errorf("%q", drawn)
	}
}

// If a contrast does not set such a column, it averages over both numbers with equal weights, and a note names the column.
func TestContrastWithoutASide(t *testing.T) {
	s := withColumns(t, []string{"v ~ 1 + side * cond + x + old"}, noRow, sideAndOld)
	d := exactDraws(s, map[string]float64{"v_Intercept": 0.2, "v_side": 1.5, "v_side:cond[hard]": -1})
	r := s.Record()
	for text, want := range map[string]float64{"v[cond=easy]": 0.2, "v[cond=hard] - v[cond=easy]": 0, "v[cond=hard, side=1] - v[cond=easy, side=1]": -1, "v[cond=easy, side=0.5]": 0.95} {
		if got, _ := contrastMeans(t, r, text, d); !(math.Abs(got-want) < 1e-6) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	c, err := formula.ParseContrast("v[cond=easy]")
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := moments(s.data.Table.Columns[0].Numeric)
	want := []string{fmt.Sprintf("x: at its mean %.4g", mean), "side: mean of its values -1, 1, which hides an effect that reverses with side; set side=… to compare at one",
		"old: averaged over no and yes"}
	var got []string
	for _, u := range r.Unset(c) {
		got = append(got, u.String())
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// If some participants lack a condition, a difference between conditions is computed from participants who have both. A
// difference between groups of participants uses all of them.
func TestContrastWithinLevels(t *testing.T) {
	lacks := func(subject, cond string) bool {
		return cond == "hard" && (subject == "1" || subject == "2" || subject == "4")
	}
	s := withColumns(t, []string{"v ~ cond * old + (1 + cond | subject)", "a ~ 1 + (1 | subject)"}, lacks, sideAndOld)
	means := map[string]float64{"v_cond[hard]": -0.8}
	for k := range 6 {
		means[fmt.Sprintf("v_1|subject[%d]", k)] = float64(k * k)
		means[fmt.Sprintf("v_cond|subject[%d, hard]", k)] = 0.1 * float64(k)
	}
	d, r := exactDraws(s, means), s.Record()
	for _, c := range []struct {
		text string
		want float64
		over string
	}{
		// Each value of old has half of the weight: the participants 0 and 3 for no, 5 for yes.
		{"v[cond=hard] - v[cond=easy]", -0.8 + 0.15/2 + 0.5/2, "3 of 6 levels of subject, not the same ones in each cell, because none has all its cells"},
		{"v[cond=hard, old=no] - v[cond=easy, old=no]", -0.8 + 0.1*(0+3)/2, "2 of 6 levels of subject that have all its cells"},
		{"v[cond=easy, old=yes] - v[cond=easy, old=no]", (16+25)/2. - (0+1+4+9)/4., "6 of 6 levels of subject, not the same ones in each cell, because none has all its cells"},
		// This difference between participants uses those who have both conditions.
		{"v[cond=hard, old=yes] - v[cond=easy, old=yes] - v[cond=hard, old=no] + v[cond=easy, old=no]", 0.5 - 0.15,
			"3 of 6 levels of subject, not the same ones in each cell, because none has all its cells"},
		{"v[cond=easy, old=no]", (0 + 1 + 4 + 9) / 4., "4 of 6 levels of subject that have all its cells"},
		{"0 * a + v[cond=hard, old=yes]", 25 - 0.3, "1 of 6 levels of subject that have all its cells"},
		{"0 * a", 0, "all 6 levels of subject"},
	} {
		if _, got := contrastMeans(t, r, c.text, d); !(math.Abs(got-c.want) < 1e-6) {
			t.Errorf("%s is %v, want %v", c.text, got, c.want)
		}
		parsed, err := formula.ParseContrast(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if over, err := r.LevelsOf(parsed); err != nil || len(over) != 1 || over[0].String() != c.over {
			t.Errorf("%s is over %v, %v, want %s", c.text, over, err, c.over)
		}
	}
	cells, err := s.Cells(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if want := map[string]int{"v[cond=easy, old=no]": 4, "v[cond=hard, old=no]": 2, "v[cond=easy, old=yes]": 2, "v[cond=hard, old=yes]": 1, "a": 6}[c.String()]; c.By == "" && c.LevelsN != want {
			t.Errorf("%s: the mean is over %d, want %d", c.String(), c.LevelsN, want)
		}
	}
}
