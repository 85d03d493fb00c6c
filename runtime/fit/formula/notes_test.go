package formula

import (
	"slices"
	"strings"
	"testing"
)

// There is one remark for a column of codes, and for a column of numbers with leading zeros, and none for other columns.
func TestNotes(t *testing.T) {
	table := Table{Rows: 4, Columns: []DataColumn{
		{Name: "cond", Numeric: []float64{1, 2, 3, 2}}, {Name: "zero", Numeric: []float64{0, 1, 2, 0}}, {Name: "two", Numeric: []float64{1, 2, 1, 2}},
		{Name: "dummy", Numeric: []float64{0, 1, 1, 0}}, {Name: "sum", Numeric: []float64{-1, 1, 1, -1}}, {Name: "gap", Numeric: []float64{1, 2, 4, 4}},
		{Name: "x", Numeric: []float64{1, 2.5, 3, 2}}, {Name: "trial", Numeric: []float64{1, 5, 11, 40}}, {Name: "same", Numeric: []float64{1, 1, 1, 1}},
		{Name: "padded", Labels: []string{"02", "01", "11", "01"}}, {Name: "stim", Labels: []string{"a", "b", "a", "b"}},
	}}
	for text, want := range map[string][]string{
		"v ~ cond + cond:x":                  {`column "cond" has the values 1, 2, 3 and is taken for a number; write C(cond) for levels`},
		"v ~ zero*two":                       {`column "zero" has the values 0, 1, 2 and`, `column "two" has the values 1, 2 and`},
		"v ~ 1 + (cond | stim)":              {`column "cond" has the values 1, 2, 3 and`},
		"v ~ padded":                         {`column "padded" is taken for labels, because it has numbers with leading zeros, as "01"; write I(padded) for numbers`},
		"v ~ C(cond) + C(padded)":            nil,
		"v ~ scale(cond) + I(2*cond)":        nil,
		"v ~ dummy + sum + gap":              nil,
		"v ~ x + trial + same":               nil,
		"v ~ stim + (1 | cond) + (1|padded)": nil,
	} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Notes(table); !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Codes with leading zeros are different levels if their texts differ. In arithmetic they are numbers.
func TestPaddedCodes(t *testing.T) {
	table := Table{Rows: 4, Columns: []DataColumn{{Name: "id", Labels: []string{"01", "1", "2", "01"}}, {Name: "x", Numeric: []float64{1, 2, 3, 5}}},
		RowNumbers: []int{2, 5, 6, 9}}
	f, err := Parse("v ~ I(2*id) + (1 | id)")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Build(f, table)
	if err != nil || !slices.Equal(d.Groups[0].Levels, []string{"01", "1", "2"}) || !slices.Equal(d.Common[1].Columns[0].Values, []float64{2, 2, 4, 2}) {
		t.Errorf("%+v, %v", d, err)
	}
	table.Columns[1].Numeric[2] = 0
	checkBuildError(t, "v ~ I(1/x)", table, "formula:1:7: 1 / x is +Inf in row 6, expected a finite number")
}

// Whole numbers that name groups keep all their digits.
func TestLabelsOfWholeNumbers(t *testing.T) {
	f, err := Parse("v ~ 1 + (1 | day)")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Build(f, Table{Rows: 3, Columns: []DataColumn{{Name: "day", Numeric: []float64{20231015, 20231016, 7}}}})
	if err != nil || !slices.Equal(d.Groups[0].Levels, []string{"7", "20231015", "20231016"}) {
		t.Errorf("%+v, %v", d, err)
	}
}
