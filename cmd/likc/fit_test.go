package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"likc/search/bank"
)

func sourceOf(t *testing.T, text string) source {
	t.Helper()
	models, err := syntax.Read("test.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return source{Model: models[0], File: "test.lik", Text: text}
}

// What the support makes of the data, for conditions of every form.
func TestParametersAreCappedByTheSupport(t *testing.T) {
	rt, choice := []float64{0.9, 0.5, 0.7}, []float64{1, -1, 1}
	for _, c := range []struct {
		name, params, support, lower string
		want                         float64
	}{
		{"the fastest trial", "param t in [0, 2]", "support t < rt", "t = t", 0.5},
		{"a range that ends below", "param t in [0, 0.4]", "support t < rt", "t = t", 0.4},
		{"a function of the trial", "param t in [0, 2]", "support t < rt/2 + 0.1", "t = t", 0.35},
		{"no condition", "param t in [0, 2]", "", "t = t", 2},
		{"a condition on two parameters", "param t in [0, 2]  param a in [1, 2]", "support t < rt*a", "a = a", 2},
		{"a constant", "param t in [0, 2]", "support t < 1.5", "t = t", 1.5},
		{"another at the lower boundary", "param t in [0, 2]", "support t < rt", "t = t/2", 0.7},
	} {
		src := sourceOf(t, "model m {\n trial rt\n choice c\n "+c.params+"\n "+c.support+"\n lower { "+c.lower+" }\n loglik = log(1 + rt + t^2)\n}\n")
		params, err := src.Parameters(nil, [][]float64{rt}, choice)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := params[0].Upper; math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: t ends at %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSubjectFoldersAreDistinctAndSafe(t *testing.T) {
	labels := []string{"0", "a/b", "a b", "..", ".", "a%2Fb", "ü", "s1", "S1", strings.Repeat("x", 300), strings.Repeat("x", 299), strings.Repeat("ü", 100)}
	seen := map[string]string{}
	for i, name := range subjectFolders(labels) {
		if strings.ContainsAny(name, "/\\ .") || len(name) > 200 {
			t.Errorf("%q gives the folder %q", labels[i], name)
		}
		folded := strings.ToLower(name)
		if other, twice := seen[folded]; twice {
			t.Errorf("%q and %q both give %q on some file systems", labels[i], other, name)
		}
		seen[folded] = labels[i]
	}
	if seen["subject_0"] != "0" {
		t.Error("a plain label has a hash in its folder's name")
	}
}

// Exact ddm on a subject without a minority response, where a and z blur along a curved ridge: the default settings hardly
// diverge.
func TestSubjectWithoutMinorityResponses(t *testing.T) {
	src, err := exactModel()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bank.Open("../../testdata/banks/test-60")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(b.Subjects, func(s bank.Subject) bool { return s.ID == 26 })
	if i < 0 {
		t.Fatal("the bank has no subject 26")
	}
	columns, choice := [][]float64{b.Subjects[i].RT}, b.Subjects[i].Choice
	lik, err := bind("", src, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	defer lik.Close()
	params, err := src.Parameters(nil, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	post, err := posterior.New(lik, params)
	if err != nil {
		t.Fatal(err)
	}
	s := nuts.DefaultSettings()
	s.Seed, s.Stream = 2, nuts.StreamOf("26")
	r, err := nuts.Sample(context.Background(), func(int) nuts.Target { return post.Target() }, s)
	if err != nil {
		t.Fatal(err)
	}
	post.ConstrainDraws(r.Draws)
	if n := r.Draws.Divergences(); n > 8 { // 0 to 2 in three seeds, and 33 to 78 with steps that aim at 0.8
		t.Errorf("%d divergences", n)
	}
	for _, p := range r.Draws.Summarise() {
		if !(p.Rhat < 1.03) {
			t.Errorf("%s: R-hat %v", p.Name, p.Rhat)
		}
	}
}
