package judge

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/num/finite"
)

// fitted returns a verdict with fits of the parameters v and a, or only of v.
func fitted(model string, v, a []float64) *Verdict {
	out := &Verdict{Model: model, Method: "map", Params: []Param{{Name: "v"}}}
	if a != nil {
		out.Params = []Param{{Name: "a"}, {Name: "v"}} // another order of parameters
	}
	for i := range v {
		f := Fit{Subject: i + 1, Truth: finite.Numbers([]float64{1}), Mean: finite.Numbers([]float64{v[i]})}
		if a != nil {
			f.Truth, f.Mean = finite.Numbers([]float64{2, 1}), finite.Numbers([]float64{a[i], v[i]})
		}
		out.Fits = append(out.Fits, f)
	}
	return out
}

// TestPairs compares parameters by name on the subjects that both could fit.
func TestPairs(t *testing.T) {
	one, two := fitted("one", []float64{1, 2, 3, 9}, []float64{4, 5, 7, 8}), fitted("two", []float64{2, 3, 4, 100}, []float64{7, 5, 4, 8})
	two.Fits[3].Error = "no start"
	three := fitted("three", []float64{1, 2, 4, 9}, nil)
	pairs, err := Pairs([]*Verdict{one, two, three}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != 3 || pairs[0].First != "one" || pairs[0].Second != "two" || pairs[0].Subjects != 3 || len(pairs[0].Params) != 2 {
		t.Fatalf("%+v", pairs)
	}
	near := func(x, want float64) bool { return math.Abs(x-want) < 1e-12 }
	a, v := pairs[0].Params[0], pairs[0].Params[1]
	// a: 4, 5, 7 and 7, 5, 4 have deviations -4/3, -1/3, 5/3 and 5/3, -1/3, -4/3
	if a.Name != "a" || !near(float64(a.R), -13.0/14) || !near(float64(a.Bias), 0) || !near(float64(a.RMSE), math.Sqrt(6)) {
		t.Errorf("%+v", a)
	}
	if v.Name != "v" || !near(float64(v.R), 1) || !near(float64(v.Bias), 1) || !near(float64(v.RMSE), 1) {
		t.Errorf("%+v", v)
	}
	if last := pairs[1]; last.First != "one" || last.Second != "three" || last.Subjects != 4 || len(last.Params) != 1 || !near(float64(last.Params[0].Bias), 0.25) {
		t.Errorf("%+v", last)
	}
	if some, err := Pairs([]*Verdict{one, two, three}, []string{"three", "one"}); err != nil || len(some) != 1 || some[0].First != "three" {
		t.Errorf("%+v, %v", some, err)
	}
	dir := t.TempDir()
	if err := DrawPairs(dir, pairs); err != nil {
		t.Fatal(err)
	}
	svg, _ := os.ReadFile(filepath.Join(dir, "pairs.svg"))
	for _, want := range []string{">three<", "a   r = -0.929", "v   r = 1.000"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the figure does not say %s", want)
		}
	}
}

// TestNoPairs: verdicts that cannot be compared are errors.
func TestNoPairs(t *testing.T) {
	one, bare, elsewhere := fitted("one", []float64{1, 2}, nil), fitted("bare", nil, nil), fitted("elsewhere", []float64{1, 2}, nil)
	elsewhere.Fits[0].Truth = []finite.Number{1.5}
	chains := fitted("chains", []float64{1, 2}, nil)
	chains.Method = "nuts"
	other := fitted("other", []float64{1, 2}, nil)
	other.Params[0].Name = "q"
	for _, c := range []struct {
		all   []*Verdict
		names []string
		want  string
	}{
		{[]*Verdict{one}, nil, "1 candidate, expected 2 to 10"},
		{[]*Verdict{one, bare}, nil, "bare: the verdict has no fits; judge again with --fits"},
		{[]*Verdict{one, elsewhere}, nil, "elsewhere: was judged on other subjects than one"},
		{[]*Verdict{one, chains}, nil, "chains: was judged by nuts, and one by map"},
		{[]*Verdict{one, other}, nil, "no two candidates have a parameter in common"},
		{[]*Verdict{one, elsewhere}, []string{"tow"}, "no verdict on tow; there are one, elsewhere"},
	} {
		if _, err := Pairs(c.all, c.names); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
