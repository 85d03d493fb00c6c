package trials

import (
	"slices"
	"strings"
	"testing"
)

// Columns that the model does not use hold the texts of the file, for the rows that are used.
func TestExtraColumns(t *testing.T) {
	text := "rt,choice,s,cond,x\n0.5,1,a,HC,1\n0.6,-1,b, LC ,2\n0.7,1,a,LC,3e-1\n"
	o := Options{Trials: []string{"rt"}, Choice: "choice", Only: "a", Subject: "s", Extra: []string{"cond", "x"}}
	table, err := ReadCSV("t.csv", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Extra[0].Texts; !slices.Equal(got, []string{"HC", "LC"}) {
		t.Errorf("cond %q", got)
	}
	if got, ok := table.Extra[1].Numbers(); !ok || !slices.Equal(got, []float64{1, 0.3}) {
		t.Errorf("x %v, %v", got, ok)
	}
	if _, ok := table.Extra[0].Numbers(); ok {
		t.Error("labels are taken for numbers")
	}
	for text, want := range map[string][]float64{"1 0.5 -3e2": {1, 0.5, -300}, "0 -0.5 +00": nil, "10 00 1": nil, "01 02 11": nil, "-07 1": nil,
		"1 NA 3": nil, "1  3": nil, "1 inf": nil, "1 b": nil} {
		e := Extra{Texts: strings.Split(text, " ")}
		if got, ok := e.Numbers(); ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	o.Extra = []string{"conf"}
	if _, err := ReadCSV("t.csv", strings.NewReader(text), o); err == nil || err.Error() != `t.csv: no column "conf": the columns are rt, choice, s, cond, x` {
		t.Errorf("error %v", err)
	}
}
