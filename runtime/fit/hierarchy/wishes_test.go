package hierarchy

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/trials"
)

// A grouping has the same participants as --subject: a label with leading zeros differs from one without. Errors of formulas
// count rows as in the file.
func TestDataOf(t *testing.T) {
	const text = "id,rt,c,x\n01,1,1,5\n1,0.1,1,6\n02,1,-1,7\n1,1,1,0\n"
	table, err := trials.ReadCSV("d.csv", strings.NewReader(text),
		trials.Options{Trials: []string{"rt"}, Choice: "c", Extra: []string{"id", "x"}, Subject: "id", MinRT: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	build := func(text string) (*formula.Design, error) {
		f, err := formula.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return formula.Build(f, DataOf(table).Table)
	}
	d, err := build("v ~ 1 + (1 | id)")
	if err != nil || !slices.Equal(d.Groups[0].Levels, []string{"01", "1", "02"}) || len(table.Subjects) != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := build("v ~ I(1/x)"); err == nil || !strings.Contains(err.Error(), "is +Inf in row 4") {
		t.Errorf("%v: want row 4 of the file", err)
	}
}

// A contrast that sets a numeric column far outside the data gets a remark. A value near the ends, or a label, gets none.
func TestExtrapolates(t *testing.T) {
	r := &Record{Columns: []ColumnRecord{{Name: "block", Mean: 4.5, Low: 1, High: 8}, {Name: "cond", Labels: []string{"a", "b"}}}}
	for text, want := range map[string]string{
		"v[block=99]":                           "block = 99 lies outside the data, where block is 1 to 8: v there follows from the form of the formula alone",
		"v[block=-3,cond=a] - v[block=1]":       "block = -3 lies outside the data",
		"v[block=8.5] - v[block=1] + v[cond=a]": "",
		"v - a[age=3]":                          "",
	} {
		c, err := formula.ParseContrast(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Extrapolates(c), "; "); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// The name of a prior ends at the first equality sign that a prior follows, and has at least one letter.
func TestCutPrior(t *testing.T) {
	for text, want := range map[string]string{"a=normal(0,1)": "a", "v_cond[a=b]=normal(0,1)": "v_cond[a=b]", "=normal(0,1)": "", "a": "", "a=b": ""} {
		if name, _, err := cutPrior(text); name != want || (err == nil) != (want != "") {
			t.Errorf("%s: name %q, %v; want %q", text, name, err, want)
		}
	}
}

// A parameter is averaged over the labels of those columns alone that its formula names.
func TestAveragesOfOwnColumns(t *testing.T) {
	many := make([]string, mostAverages+1)
	for i := range many {
		many[i] = strconv.Itoa(i) + "x"
	}
	r := &Record{Columns: []ColumnRecord{{Name: "item", Labels: many}, {Name: "cond", Labels: []string{"a", "b"}}}}
	p := &ParamRecord{Name: "v", Formula: &DesignRecord{Text: "v ~ 1 + cond"}}
	tables, err := r.tables(p, &formula.Condition{Name: "v"})
	if err != nil || len(tables) != 2 || len(tables[0].Columns) != 1 || tables[0].Columns[0].Name != "cond" {
		t.Errorf("%+v, %v", tables, err)
	}
}
