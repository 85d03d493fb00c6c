package formula

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// study returns a table with six trials of three participants.
func study() Table {
	return Table{Rows: 6, Columns: []DataColumn{
		{Name: "subj_idx", Numeric: []float64{10, 10, 2, 2, 3, 3}},
		{Name: "theta", Numeric: []float64{1, 2, 3, 4, 5, 9}},
		{Name: "conf", Labels: []string{"LC", "HC", "MC", "LC", "HC", "MC"}},
		{Name: "stim", Labels: []string{"WL", "LL", "WL", "WL", "LL", "LL"}},
		{Name: "site", Labels: []string{"b", "b", "a", "a", "b", "b"}},
		{Name: "age", Numeric: []float64{20, 20, 30, 30, 40, 40}},
		{Name: "flat", Numeric: []float64{7, 7, 7, 7, 7, 7}},
		{Name: "zero", Numeric: []float64{0, 0, 0, 0, 0, 0}},
		{Name: "one", Labels: []string{"A", "A", "A", "A", "A", "A"}},
		{Name: "gap", Numeric: []float64{1, 2, math.NaN(), 4, 5, 6}},
		{Name: "hole", Labels: []string{"A", "B", "A", "", "A", "B"}},
		{Name: "huge", Numeric: []float64{1e300, -1e300, 1e300, 2e300, 3e300, 1}},
		{Name: "colon", Labels: []string{"a:b", "c", "c", "c", "c", "c"}},
	}}
}

func mustBuild(t *testing.T, text string, table Table) *Design {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Build(f, table)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// show writes each column of the terms as a line with its name and its numbers.
func show(terms []DesignTerm) string {
	var b strings.Builder
	for _, t := range terms {
		for _, c := range t.Columns {
			fmt.Fprintln(&b, c.Name, c.Values)
		}
	}
	return b.String()
}

// TestBuild compares design matrices with ones that were computed by hand.
func TestBuild(t *testing.T) {
	cases := []struct{ text, want string }{
		{"z ~ 1", "z [1 1 1 1 1 1]\n"},
		{"v ~ theta", "v_Intercept [1 1 1 1 1 1]\nv_theta [1 2 3 4 5 9]\n"},
		{"v ~ 0 + theta", "v_theta [1 2 3 4 5 9]\n"},
		{"v ~ center(theta)", "v_Intercept [1 1 1 1 1 1]\nv_center(theta) [-3 -2 -1 0 1 5]\n"},
		{"v ~ C(conf)", "v_Intercept [1 1 1 1 1 1]\nv_C(conf)[LC] [1 0 0 1 0 0]\nv_C(conf)[MC] [0 0 1 0 0 1]\n"},
		{`v ~ C(conf, reference="MC")`, "v_Intercept [1 1 1 1 1 1]\n" +
			`v_C(conf, Treatment(reference="MC"))[HC] [0 1 0 0 1 0]` + "\n" +
			`v_C(conf, Treatment(reference="MC"))[LC] [1 0 0 1 0 0]` + "\n"},
		{"v ~ 0 + conf", "v_conf[HC] [0 1 0 0 1 0]\nv_conf[LC] [1 0 0 1 0 0]\nv_conf[MC] [0 0 1 0 0 1]\n"},
		{"v ~ C(subj_idx)", "v_Intercept [1 1 1 1 1 1]\nv_C(subj_idx)[3] [0 0 0 0 1 1]\nv_C(subj_idx)[10] [1 1 0 0 0 0]\n"},
		{"v ~ 0 + stim:site", "v_stim:site[LL, a] [0 0 0 0 0 0]\n"},
		{"v ~ theta*stim", "v_Intercept [1 1 1 1 1 1]\nv_theta [1 2 3 4 5 9]\nv_stim[WL] [1 0 1 1 0 0]\nv_theta:stim[WL] [1 0 3 4 0 0]\n"},
		{"v ~ 0 + theta:stim", "v_theta:stim[LL] [0 2 0 0 5 9]\nv_theta:stim[WL] [1 0 3 4 0 0]\n"},
		{"v ~ I(theta^2 - age/10)", "v_Intercept [1 1 1 1 1 1]\nv_I(theta^2 - age / 10) [-1 2 6 13 21 77]\n"},
		{"v ~ theta + I(huge*5e7)", "v_Intercept [1 1 1 1 1 1]\nv_theta [1 2 3 4 5 9]\nv_I(huge * 5e+07) [5e+307 -5e+307 5e+307 1e+308 1.5e+308 5e+07]\n"},
		{"v ~ stim:theta + theta", "v_Intercept [1 1 1 1 1 1]\nv_theta [1 2 3 4 5 9]\nv_stim:theta[WL] [1 0 3 4 0 0]\n"},
	}
	for _, c := range cases {
		f, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Build(f, study())
		if strings.Contains(c.text, "site") { // the data lack a combination of levels
			if want := "formula:1:9: v_stim:site[LL, a] is 0 in every row, expected data that tell its coefficient"; err == nil || err.Error() != want {
				t.Errorf("%s\n got %v\nwant %s", c.text, err, want)
			}
		} else if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if diff := cmp.Diff(c.want, show(d.Common)); diff != "" {
			t.Errorf("%s\n%s", c.text, diff)
		}
	}
}

// scale divides by the standard deviation with divisor n. For 1, 2, 3, 4, 5, 9 it is √(40/6).
func TestScale(t *testing.T) {
	d := mustBuild(t, "v ~ scale(theta)", study())
	for i, centered := range []float64{-3, -2, -1, 0, 1, 5} {
		want := centered / math.Sqrt(40.0/6)
		if got := d.Common[1].Columns[0].Values[i]; !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
}

// An effect that is constant within groups is allowed if the term has no intercept by group. -0 and 0 are the same label.
func TestWithinGroups(t *testing.T) {
	table := study()
	table.Columns = append(table.Columns, DataColumn{Name: "sign", Numeric: []float64{0, 1, math.Copysign(0, -1), 1, 1, 0}})
	d := mustBuild(t, "v ~ C(sign) + (0 + age | subj_idx)", table)
	got := show(d.Common[1:]) + show(d.Groups[0].Terms)
	if want := "v_C(sign)[1] [0 1 0 1 1 0]\nv_age|subj_idx [20 20 30 30 40 40]\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestReferenceOfData(t *testing.T) {
	table := study()
	table.Columns[2].Reference = "LC"
	d := mustBuild(t, "v ~ conf", table)
	if got, want := show(d.Common[1:]), "v_conf[HC] [0 1 0 0 1 0]\nv_conf[MC] [0 0 1 0 0 1]\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestGroups(t *testing.T) {
	d := mustBuild(t, "v ~ 1 + theta + (1 + theta | subj_idx) + (0 + stim || site)", study())
	if len(d.Groups) != 2 {
		t.Fatalf("%d groups", len(d.Groups))
	}
	g := d.Groups[0]
	if g.By != "subj_idx" || !g.Correlated {
		t.Errorf("grouping %s, correlated %v", g.By, g.Correlated)
	}
	if diff := cmp.Diff([]string{"2", "3", "10"}, g.Levels); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{2, 2, 0, 0, 1, 1}, g.Index); diff != "" {
		t.Error(diff)
	}
	if got, want := show(g.Terms), "v_1|subj_idx [1 1 1 1 1 1]\nv_theta|subj_idx [1 2 3 4 5 9]\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	h := d.Groups[1]
	if h.Correlated {
		t.Error(`"||" is correlated`)
	}
	if got, want := show(h.Terms), "v_stim|site[LL] [0 1 0 0 1 1]\nv_stim|site[WL] [1 0 1 1 0 0]\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	names := []string{}
	for _, n := range []Name{g.Terms[0].Columns[0].Name, g.Terms[1].Columns[0].Name, h.Terms[0].Columns[1].Name} {
		names = append(names, n.Sigma().String(), n.At("3").String())
	}
	want := []string{"v_1|subj_idx_sigma", "v_1|subj_idx[3]", "v_theta|subj_idx_sigma", "v_theta|subj_idx[3]", "v_stim|site_sigma[WL]", "v_stim|site[3, WL]"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// Nested groups have the combinations that occur in the data, sorted by column.
func TestNestedGroups(t *testing.T) {
	d := mustBuild(t, "v ~ 1 + (1 | site/subj_idx)", study())
	if diff := cmp.Diff([]string{"a", "b"}, d.Groups[0].Levels); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a:2", "b:3", "b:10"}, d.Groups[1].Levels); diff != "" {
		t.Error(diff)
	}
	if got, want := show(d.Common)+show(d.Groups[1].Terms), "v_Intercept [1 1 1 1 1 1]\nv_1|site:subj_idx [1 1 1 1 1 1]\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestOffset(t *testing.T) {
	d := mustBuild(t, "v ~ 1 + offset(theta) + offset(-age)", study())
	if diff := cmp.Diff([]float64{-19, -18, -27, -26, -35, -31}, d.Offset); diff != "" {
		t.Error(diff)
	}
	if got := d.Common[0].Columns[0].Name.String(); got != "v_Intercept" {
		t.Errorf("the intercept beside an offset is called %s", got)
	}
}

// Transform codes new data as Build coded the earlier data, also if the coding was written to JSON and read. Here the new data
// are some rows of the earlier data, and keep their values.
func TestTransform(t *testing.T) {
	f, err := Parse("v ~ scale(theta)*C(conf) + center(age) + offset(theta) + (1 + scale(theta) | subj_idx)")
	if err != nil {
		t.Fatal(err)
	}
	table := study()
	table.Rows, table.Columns = 12, nil
	for _, c := range study().Columns[:6] { // each row twice, so that interactions have data
		c.Numeric, c.Labels = append(c.Numeric, c.Numeric...), append(c.Labels, c.Labels...)
		if c.Name == "theta" {
			copy(c.Numeric[6:], []float64{3, 3, 8, 1, 1, 2})
		}
		table.Columns = append(table.Columns, c)
	}
	all, err := Build(f, table)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all.Coding)
	if err != nil {
		t.Fatal(err)
	}
	var coding Coding
	if err := json.Unmarshal(text, &coding); err != nil {
		t.Fatal(err)
	}
	part := Table{Rows: 2}
	for _, c := range table.Columns {
		if c.Numeric != nil {
			c.Numeric = c.Numeric[4:6]
		} else {
			c.Labels = c.Labels[4:6]
		}
		part.Columns = append(part.Columns, c)
	}
	d, err := Transform(f, coding, part)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all.Common {
		for j, c := range all.Common[i].Columns {
			if diff := cmp.Diff(c.Values[4:6], d.Common[i].Columns[j].Values); diff != "" {
				t.Errorf("%s: %s", c.Name, diff)
			}
		}
	}
	if diff := cmp.Diff(all.Groups[0].Index[4:6], d.Groups[0].Index); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all.Offset[4:6], d.Offset); diff != "" {
		t.Error(diff)
	}
	part.Columns[0].Numeric = []float64{3, 99}
	if d, err = Transform(f, coding, part); err != nil || d.Groups[0].Index[1] != -1 {
		t.Errorf("a new participant: %v", err)
	}
	part.Columns[2].Labels = []string{"HC", "XC"}
	if _, err = Transform(f, coding, part); err == nil || err.Error() != `formula:1:18: column "conf" is "XC" in row 2, expected one of HC, LC, MC` {
		t.Errorf("a new level: %v", err)
	}
}

// badDesigns are formulas that do not fit the data of study, and the exact error of each.
var badDesigns = []struct{ text, want string }{
	{"v ~ thta", `1:5: no column "thta" in the data, expected one of subj_idx, theta, conf, stim, site, age, flat, zero, … (13 in all)`},
	{"v ~ 1 + (1 | subject)", `1:14: no column "subject" in the data, expected one of subj_idx, theta, conf, stim, site, age, flat, zero, … (13 in all)`},
	{"v ~ I(theta + x)", `1:15: no column "x" in the data, expected one of subj_idx, theta, conf, stim, site, age, flat, zero, … (13 in all)`},
	{"v ~ scale(conf)", `1:11: column "conf" holds labels such as "LC", expected numbers`},
	{"v ~ theta + gap", `1:13: column "gap" is NaN in row 3, expected a finite number`},
	{"v ~ C(gap)", `1:5: column "gap" is NaN in row 3, expected a finite number`},
	{"v ~ hole", `1:5: column "hole" is empty in row 4, expected a label`},
	{"v ~ 1 + (1 | hole)", `1:14: column "hole" is empty in row 4, expected a label`},
	{"v ~ one", `1:5: column "one" has only the level "A", expected at least two`},
	{"v ~ 0 + C(flat)", `1:9: column "flat" has only the level "7", expected at least two`},
	{`v ~ C(conf, reference="XC")`, `1:5: reference "XC" is not a level of column "conf", expected one of HC, LC, MC`},
	{"v ~ flat", `1:5: v_flat is the same in every row: it cannot be told from the intercept`},
	{"v ~ 0 + zero", `1:9: v_zero is 0 in every row, expected data that tell its coefficient`},
	{"v ~ center(flat)", `1:5: v_center(flat) is 0 in every row, expected data that tell its coefficient`},
	{"v ~ scale(flat)", `1:5: flat is the same in every row, expected values that vary`},
	{"v ~ theta + I(2*theta - 3)", `1:13: v_I(2 * theta - 3) is a combination of the columns before it: their coefficients cannot be told apart`},
	{"v ~ conf + C(conf)", `1:12: v_C(conf)[LC] is a combination of the columns before it: their coefficients cannot be told apart`},
	{"v ~ C(subj_idx) + age", `1:19: v_age is a combination of the columns before it: their coefficients cannot be told apart`},
	{"v ~ conf + C(subj_idx) + theta + I(theta^2)", `1:34: v_I(theta^2) is one column more than the data have rows`},
	{"v ~ 0 + I(theta/zero)", `1:11: theta / zero is +Inf in row 1, expected a finite number`},
	{"v ~ 0 + I(-(theta/zero))", `1:11: -(theta / zero) is -Inf in row 1, expected a finite number`},
	{"v ~ offset(age^theta^age)", `1:12: age^theta^age is +Inf in row 2, expected a finite number`},
	{"v ~ huge:huge2", `1:10: no column "huge2" in the data, expected one of subj_idx, theta, conf, stim, site, age, flat, zero, … (13 in all)`},
	{"v ~ I(huge/2):huge", `1:5: I(huge / 2):huge is +Inf in row 1, expected a finite number`},
	{"v ~ scale(huge)", `1:5: huge is too large for its standard deviation to be a float64`},
	{"v ~ 1 + (1 | one)", `1:14: grouping one has only one level, expected 2 to 100000`},
	{"v ~ 1 + (1 | gap)", `1:14: column "gap" is NaN in row 3, expected a finite number`},
	{"v ~ 1 + (1 + age | subj_idx)", `1:14: v_age|subj_idx does not vary within any level of subj_idx: it cannot be told from the intercept 1|subj_idx`},
	{"v ~ 1 + (1 | subj_idx) + (0 + age | subj_idx)", `1:31: v_age|subj_idx does not vary within any level of subj_idx: it cannot be told from the intercept 1|subj_idx`},
	{"v ~ 1 + (0 + zero | subj_idx)", `1:14: v_zero|subj_idx is 0 in every row, expected data that tell its coefficients`},
	{"v ~ 1 + (1 | colon:site)", `1:14: label "a:b" in row 1 has a colon, which joins the labels of several columns`},
}

func TestBadDesigns(t *testing.T) {
	for _, c := range badDesigns {
		checkBuildError(t, c.text, study(), "formula:"+c.want)
	}
	table := study()
	table.Columns[1].Numeric[3] = 0.25
	checkBuildError(t, "v ~ 1 + (1 | theta)", table, `formula:1:14: grouping "theta" is 0.25 in row 4, expected labels or whole numbers`)

	smudged := &table.Columns[1]
	for _, x := range smudged.Numeric {
		smudged.Labels = append(smudged.Labels, strconv.FormatFloat(x, 'g', -1, 64))
	}
	smudged.Numeric, smudged.Labels[2] = nil, "0.3O"
	checkBuildError(t, "v ~ theta", table, `formula:1:5: column "theta" holds numbers, but "0.3O" in row 3: mend that row, or write C(theta) if they are labels`)
	checkBuildError(t, "v ~ scale(theta)", table, `formula:1:11: column "theta" holds numbers, but "0.3O" in row 3`)
	smudged.Labels[0] = "0,1"
	checkBuildError(t, "v ~ theta", table, `formula:1:5: column "theta" holds numbers, but "0,1" in row 1: mend that row, or write C(theta) if they are labels`)
}

func checkBuildError(t *testing.T, text string, table Table, want string) {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(f, table); err == nil || err.Error() != want {
		t.Errorf("%s\n got %v\nwant %s", text, err, want)
	}
}

func TestBadTables(t *testing.T) {
	x := DataColumn{Name: "x", Numeric: []float64{1, 2}}
	cases := []struct {
		table Table
		want  string
	}{
		{Table{}, `formula:1:1: data have no rows`},
		{Table{Rows: 3, Columns: []DataColumn{x}}, `formula: column "x" of the data has 2 rows, expected 3`},
		{Table{Rows: 2, Columns: []DataColumn{x, x}}, `formula: column "x" is twice in the data`},
		{Table{Rows: 2, Columns: []DataColumn{{Name: "x", Numeric: x.Numeric, Labels: []string{"a", "b"}}}}, `formula: column "x" of the data has both numbers and labels`},
		{Table{Rows: 2, Columns: nil}, `formula:1:5: no column "x" in the data, which have none`},
	}
	for _, c := range cases {
		checkBuildError(t, "v ~ x", c.table, c.want)
	}
}

// Every limit of the data has its own error, and the data at the limit are used.
func TestDataLimits(t *testing.T) {
	const rows = 110_000
	number := func(modulus int) DataColumn {
		c := DataColumn{Name: fmt.Sprintf("n%d", modulus), Numeric: make([]float64, rows)}
		for i := range c.Numeric {
			c.Numeric[i] = float64(i % modulus)
		}
		return c
	}
	table := Table{Rows: rows, Columns: []DataColumn{number(2), number(3), number(40), number(300), number(301), number(MaxGroups), number(MaxGroups + 1)}}
	for _, text := range []string{"v ~ 1 + (1 | n100000)", "v ~ 1 + (0 + C(n300) | n2)"} {
		mustBuild(t, text, table)
	}
	checkBuildError(t, "v ~ 1 + (1 | n100001)", table, "formula:1:14: grouping n100001 has 100001 levels, expected 2 to 100000")
	checkBuildError(t, "v ~ C(n301)", table, `formula:1:5: column "n301" has 301 levels, expected at most 300`)
	checkBuildError(t, "v ~ C(n40):C(n300)", table, "formula:1:5: design has more than 300 columns")
	checkBuildError(t, "v ~ (0 + C(n300) | n2) + (0 + C(n300) | n3)", table, "formula:1:31: design has more than 50000000 numbers in 110000 rows")
}

// FuzzBuild: Build panics for no formula, and every number of a design is finite.
func FuzzBuild(f *testing.F) {
	for _, c := range badDesigns {
		f.Add(c.text)
	}
	f.Add("v ~ scale(theta)*stim + (1 + theta || site/subj_idx) + offset(age)")
	f.Fuzz(func(t *testing.T, text string) {
		formula, err := Parse(text)
		if err != nil {
			return
		}
		d, err := Build(formula, study())
		if err != nil {
			if e, ok := err.(*Error); !ok || strings.Contains(e.Msg, "\n") {
				t.Fatalf("%T %q", err, err)
			}
			return
		}
		if s := show(d.Common); strings.Contains(s, "Inf") || strings.Contains(s, "NaN") {
			t.Fatalf("%q: %s", text, s)
		}
		again, err := Transform(formula, d.Coding, study())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("%q: the same data are transformed otherwise:\n%s", text, diff)
		}
	})
}

// Levels are sorted as numbers only if all of them are numbers.
func TestOrderOfLevels(t *testing.T) {
	for want, labels := range map[string][]string{
		"2 9 10":   {"10", "2", "9", "2"},
		"10 9 x":   {"x", "9", "10"},
		"10 2 NaN": {"NaN", "2", "10"},
		"1 1.0 2":  {"2", "1.0", "1"},
	} {
		if got := strings.Join(levelsOf(labels), " "); got != want {
			t.Errorf("%q: %s, want %s", labels, got, want)
		}
	}
}
