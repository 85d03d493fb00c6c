package hierarchy

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
)

// designed returns a study of ddm with the columns of [simulated] and three more: a factor between subjects (old), a numeric code
// and an item.
func designed(t *testing.T, formulas ...string) *Study {
	t.Helper()
	m, b, d := simulated(t, "ddm", 6, 24)
	var old, item []string
	var code []float64
	for row := range d.Table.Rows {
		old = append(old, []string{"no", "yes"}[row/24%2])
		item, code = append(item, "i"+strconv.Itoa(row%4)), append(code, float64(1+row/2%3))
	}
	d.Table.Columns = append(d.Table.Columns, formula.DataColumn{Name: "old", Labels: old}, formula.DataColumn{Name: "item", Labels: item},
		formula.DataColumn{Name: "code", Numeric: code})
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

// fewDraws returns 50 draws a chain of all coefficients, around small numbers.
func fewDraws(s *Study) *chains.Draws {
	means, sds := map[string]float64{}, map[string]float64{}
	for i, name := range s.Names() {
		means[name], sds[name] = 0.1*float64(i%7)-0.3, 0.02
	}
	d := fakeDraws(s.Names(), means, sds)
	for c := range d.Chains {
		for j, x := range d.Chains[c].Params {
			d.Chains[c].Params[j] = x[:50]
		}
	}
	return d
}

// The mean of a parameter in a participant's cell equals the mean of the values with which predictions simulate the cell's rows.
func TestCellsAreThoseOfRows(t *testing.T) {
	for _, formulas := range [][]string{
		{"v ~ 0 + cond + (0 + cond | subject)", "a ~ old * cond + (1 + cond || subject)", "t ~ cond + (1 | subject)"},
		{"t ~ 1 + cond + (1 | subject:cond)"},
		{"v ~ C(code) + cond:old + (1 | subject)", "z ~ 1 + (C(code) | subject)"},
		{"a ~ 1 + (1 | old/subject)"},
	} {
		s := designed(t, formulas...)
		d := fewDraws(s)
		cells, err := s.Cells(d)
		if err != nil {
			t.Fatal(err)
		}
		rows, theta := s.Rows(), make([]float64, 4)
		for row := range s.Trials() {
			for i, p := range s.params {
				found := slices.IndexFunc(cells, func(c Cell) bool {
					return c.Param == p.Name && c.By != "" && !c.Shared && s.isIn(&c, row) && s.isLast(p, c.By)
				})
				if found < 0 {
					if len(p.groupsIn(s)) > 0 {
						t.Fatalf("%v: no cell of %s in row %d", formulas, p.Name, row+1)
					}
					continue
				}
				mean := 0.0
				for c := range d.Chains {
					for k := range d.Len() {
						rows.Draw(d, c, k)
						rows.Theta(row, theta)
						mean += theta[i] / float64(len(d.Chains)*d.Len())
					}
				}
				if got := cells[found].Mean; !(math.Abs(got-mean) < 1e-9) {
					t.Fatalf("%v: %s in row %d is %v, in its cell %s of %s %v", formulas, p.Name, row+1, mean, cells[found].String(), cells[found].Level, got)
				}
			}
			if row > 30 {
				break
			}
		}
	}
}

func (l *linear) groupsIn(s *Study) (all []*group) {
	for _, g := range s.groups {
		if g.param == l.index {
			all = append(all, g)
		}
	}
	return all
}

// isLast reports whether a grouping is the finest of a parameter.
func (s *Study) isLast(l *linear, by string) bool {
	groups := l.groupsIn(s)
	return groups[len(groups)-1].by == by
}

// isIn reports whether a row has the values of a cell.
func (s *Study) isIn(c *Cell, row int) bool {
	for _, column := range s.data.Table.Columns {
		text := c.Text(column.Name)
		if own := column.Labels; text != "" && own != nil && own[row] != text {
			return false
		} else if own == nil && text != "" && textOf(column.Numeric[row]) != text {
			return false
		}
	}
	return true
}

// With a logarithm as link, the mean over the participants who have a cell differs from the typical participant. Both have the
// values that the coefficients give. Numeric columns are at their means and one standard deviation from them.
func TestCellsOfTypicalAndMean(t *testing.T) {
	s := designed(t, "t ~ 0 + old + x + (1 | subject)", "a ~ code")
	means, sds := map[string]float64{"t_old[no]": -1, "t_old[yes]": -1.5, "t_x": 0.1, "a_Intercept": 0.2, "a_code": 0.3, "z": 0.5}, map[string]float64{}
	for _, name := range s.Names() {
		sds[name] = 1e-9
	}
	for k := range 6 {
		means[fmt.Sprintf("t_1|subject[%d]", k)] = 0.4*float64(k) - 1
	}
	d := fakeDraws(s.Names(), means, sds)
	cells, err := s.Cells(d)
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := moments(s.data.Table.Columns[0].Numeric)
	at := func(old int, x float64) (typical, levels float64) {
		eta := -1 - 0.5*float64(old) + 0.1*x
		for k := old; k < 6; k += 2 {
			levels += math.Exp(eta+0.4*float64(k)-1) / 3
		}
		return math.Exp(eta), levels
	}
	for i, label := range []string{"no", "yes"} {
		for aside, x := range map[string]float64{"": mean, "x - 1 sd": mean - sd, "x + 1 sd": mean + sd} {
			k := slices.IndexFunc(cells, func(c Cell) bool { return c.Param == "t" && c.By == "" && c.Text("old") == label && c.At == aside })
			typical, levels := at(i, x)
			if k < 0 || !(math.Abs(cells[k].Mean-typical) < 1e-6 && math.Abs(cells[k].Levels.Mean-levels) < 1e-6) {
				t.Errorf("old=%s, %q: want %v and %v of %+v", label, aside, typical, levels, cells[max(k, 0)])
			}
		}
	}
	record := s.Record()
	for i := range cells {
		if x, err := record.CellDraws(&cells[i], d); err != nil || !(math.Abs(chains.Mean(x)-cells[i].Mean) < 1e-12) {
			t.Errorf("draws of %+v: %v, %v", cells[i], chains.Mean(x), err)
		}
	}
	for _, c := range cells {
		if c.Param == "a" && !c.Shared && c.Levels != nil {
			t.Errorf("a has no participants: %+v", c)
		}
		if c.Param == "t" && c.Level == "3" && c.Text("old") != "yes" {
			t.Errorf("subject 3 has no such cell: %+v", c)
		}
	}
	// Contrasts are computed as the command does: from the record in the fit's folder.
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	record = &Record{}
	if err := json.Unmarshal(text, record); err != nil {
		t.Fatal(err)
	}
	c, err := formula.ParseContrast("t[old=no] - t[old=yes]")
	if err != nil {
		t.Fatal(err)
	}
	typical, err := record.Contrast(c, d)
	if err != nil {
		t.Fatal(err)
	}
	levels, err := record.ContrastOfLevels(c, d)
	if err != nil {
		t.Fatal(err)
	}
	no, noLevels := at(0, mean)
	yes, yesLevels := at(1, mean)
	if got := chains.Mean(typical); !(math.Abs(got-(no-yes)) < 1e-6) {
		t.Errorf("typical: %v, want %v", got, no-yes)
	}
	if got := chains.Mean(levels); !(math.Abs(got-(noLevels-yesLevels)) < 1e-6) {
		t.Errorf("mean of levels: %v, want %v", got, noLevels-yesLevels)
	}
}

// The name of a cell writes a number with enough digits to distinguish it from the column's mean.
func TestDigitsOfCell(t *testing.T) {
	for _, c := range []struct {
		x, mean float64
		want    string
	}{{0.216712, 0.5, "v[x=0.2167]"}, {1.7000286e9, 1.700018e9, "v[x=1.7000286e+09]"}, {2003.72, 2009.5, "v[x=2003.7]"}, {0, 0.5, "v[x=0]"}} {
		cell := Cell{Param: "v", moved: "x", digits: digitsApart(c.x, c.mean), Values: []Value{{"x", textOf(c.x), ofNumber}}}
		if got := cell.String(); got != c.want {
			t.Errorf("%v, whose mean is %v: %s, want %s", c.x, c.mean, got, c.want)
		}
	}
}

// All contrasts can be computed where only some participants saw a condition: levels without data have the offset 0.
func TestContrastOfEmptyCell(t *testing.T) {
	m, b, data := simulated(t, "ddm", 6, 24)
	var old, phase []string
	for row := range data.Table.Rows {
		old, phase = append(old, []string{"no", "yes"}[row/24%2]), append(phase, "first")
		if row/24%2 == 0 && row%2 == 1 {
			phase[row] = "second"
		}
	}
	data.Table.Columns = append(data.Table.Columns, formula.DataColumn{Name: "old", Labels: old}, formula.DataColumn{Name: "phase", Labels: phase})
	spec, err := ParseFormulas(m, []string{"v ~ old + phase + (1 | subject) + (1 | subject:phase)"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m, b, spec, data)
	if err != nil {
		t.Fatal(err)
	}
	means, sds := map[string]float64{"v_old[yes]": 1, "v_phase[second]": 2}, map[string]float64{}
	for k := range 6 {
		means[fmt.Sprintf("v_1|subject[%d]", k)] = float64(k)
		means[fmt.Sprintf("v_1|subject:phase[%d:second]", k)] = 30
	}
	for _, name := range s.Names() {
		sds[name] = 1e-9
	}
	c, err := formula.ParseContrast("v[old=yes, phase=second]")
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Record().ContrastOfLevels(c, fakeDraws(s.Names(), means, sds))
	if err != nil {
		t.Fatal(err)
	}
	// The mean is over all six participants, whose offsets have the mean 2.5. Three of them, with old=no, saw the second phase
	// and have a further offset of 30 there.
	if got := chains.Mean(x); !(math.Abs(got-(1+2+2.5+15)) < 1e-6) {
		t.Errorf("%v, want 20.5", got)
	}
}

// A logit that ends at each participant's fastest trial has the same end in cells and in contrasts.
func TestFastestLogit(t *testing.T) {
	m, b, data := simulated(t, "ddm", 5, 20)
	spec, err := Preset("cavanagh-full", m, "subject")
	if err != nil {
		t.Fatal(err)
	}
	v := spec.Params["v"]
	v.Outside = nil
	spec.Params["v"] = v
	delete(spec.Priors, "v_theta")
	s, err := New(m, b, spec, data)
	if err != nil {
		t.Fatal(err)
	}
	d := fakeDraws(s.Names(), map[string]float64{"t_Intercept": 0.7}, map[string]float64{"t_Intercept": 1e-9, "t_1|subject[2]": 1e-9})
	cells, err := s.Cells(d)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for level, rows := range membersOf(s.groups[0]) {
		high := math.Inf(1)
		for _, row := range rows {
			high = min(high, data.Columns[0][row])
		}
		mean += high / 5 / (1 + math.Exp(-0.7))
		if level != 2 {
			continue
		}
		i := slices.IndexFunc(cells, func(c Cell) bool { return c.Param == "t" && c.Level == "2" })
		if want := high / (1 + math.Exp(-0.7)); !(math.Abs(cells[i].Mean-want) < 1e-6) || !(math.Abs(cells[i].High-high) < 1e-6) {
			t.Errorf("%+v, want %v below %v", cells[i], want, high)
		}
	}
	c, err := formula.ParseContrast("t")
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Record().Contrast(c, d)
	if err != nil || !(math.Abs(chains.Mean(x)-mean) < 1e-6) {
		t.Errorf("%v, %v, want %v: the mean of those at each participant's end", chains.Mean(x), err, mean)
	}
}

// An older record has only the mean of a logit's ends over the levels. It is refused, because values cannot be converted with it.
func TestRecordRefusesOldEnds(t *testing.T) {
	s := designed(t, "a ~ cond", "t ~ cond")
	d, r := fewDraws(s), s.Record()
	r.Params[3].Link, r.Params[3].Low, r.Params[3].High = Logit, 0, 0.43
	r.Refuse(func(param string) float64 { return map[string]float64{"a": 2.5, "t": 2}[param] })
	for text, want := range map[string]string{"a[cond=easy]": "", "t[cond=easy]": "t: its logit ended at the fastest trial of each cell"} {
		c, err := formula.ParseContrast(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Contrast(c, d); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Default links do not depend on the data. The default links of onsets (log) have no upper end.
func TestDefaultLink(t *testing.T) {
	for _, c := range []struct {
		model, param string
		want         Link
	}{
		{"ddm", "v", Identity}, {"ddm", "a", Logit}, {"ddm", "z", Logit}, {"ddm", "t", Log}, {"ddm_sdv", "t", Log}, {"full_ddm", "t", Logit},
		{"lba2", "t", Log}, {"lba2", "A", Logit}, {"lnr2", "t", Log}, {"rdm2", "t", Log}, {"shifted_wald", "t", Log}, {"stop_signal", "mu_go", Logit},
		{"expr2", "t", Logit}, {"found60_calibrated", "t", Logit}, {"../../../testdata/teacher/spline", "t", Logit},
	} {
		m, err := catalog.Open(c.model)
		if err != nil {
			t.Fatal(err)
		}
		if got := DefaultLink(m, m.ParamIndex(c.param)); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.param, c.model, got, c.want)
		}
	}
	var ends [2]bound.Inverse
	for i := range ends {
		m, b, d := simulated(t, "expr2", 5, 20)
		for k := range d.Columns[0] {
			d.Columns[0][k] += 0.3 * float64(i)
		}
		s, err := New(m, b, Spec{Params: map[string]Regression{"t": regression(t, "t ~ x")}}, d)
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = s.params[3].inverses[0]
	}
	if ends[0] != ends[1] || ends[0] != bound.NewInverse(Logit, 0, 2) {
		t.Errorf("%v: the link of t depends on the data", ends)
	}
}
