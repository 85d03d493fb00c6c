package compiler

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/ir"
	"likc/compiler/syntax"

	"pgregory.net/rapid"
)

// TestRandomModels compiles random models. The result of every phase must agree with the model:
//
//	text ─parse─▶ model ─print─▶ text
//	               │ tree evaluation, derivatives by complex steps
//	               ▼
//	             program after every pass ─interpreter─▶ value + gradient
func TestRandomModels(t *testing.T) {
	t.Run("search", func(t *testing.T) { randomModels(t, exprtest.Searchable(), 50, 1000) })
	t.Run("table", func(t *testing.T) { randomModels(t, exprtest.Writable(), 30, 200) })
}

// randomModels draws models of at most size nodes from the operators, and checks them. In the long suite it draws count models, else a tenth of
// that number.
func randomModels(t *testing.T, ops []expr.Op, size, count int) {
	if os.Getenv("LIKC_LONG") == "" {
		count /= 10
	}
	defer flag.Set("rapid.checks", flag.Lookup("rapid.checks").Value.String())
	flag.Set("rapid.checks", strconv.Itoa(count))
	finite := 0
	rapid.Check(t, func(t *rapid.T) {
		m := exprtest.Model(ops, size).Draw(t, "model")
		roundTrip(t, m)
		o := Options{Check: true}
		if seed := rapid.Uint64Range(0, 99).Draw(t, "shuffle"); seed > 0 {
			o.shuffle = rand.New(rand.NewPCG(seed, 7))
		}
		u, err := Compile(m, o)
		if err != nil {
			t.Fatalf("%s\n%v", syntax.Format(m), err)
		}
		for _, s := range samples(NewTreeBinder(m), 3) {
			if compareWithTree(t, u, s) {
				finite++
			}
		}
	})
	t.Logf("%d samples were finite and compared", finite)
	if finite == 0 {
		t.Error("nothing was compared")
	}
}

// roundTrip prints a model, reads the text, and fails the test if the model that was read differs.
func roundTrip(t *rapid.T, m *expr.Model) {
	text := syntax.Format(m)
	again, err := syntax.Read("random.lik", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !again[0].Equal(m) {
		t.Fatalf("printed:\n%s\nread back:\n%s", text, syntax.Format(again[0]))
	}
}

// compareWithTree fails the test if program and tree differ, trial by trial and by blocks of trials, and reports whether their log-likelihoods are
// finite. The tolerance is relative to the sum of the absolute intermediate values of both.
func compareWithTree(t *rapid.T, u *Unit, s sample) bool {
	tree, err := BindTree(u.Model, s.columns, s.choice)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := ir.Bind(u.Program, s.columns, s.choice)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := ir.Bind(u.Program, s.columns, s.choice, ir.InBlocks())
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 1+tree.Dim())
	got := make([]float64, 1+tree.Dim())
	inBlocks := make([]float64, 1+tree.Dim())
	want[0] = tree.LogLikGrad(s.theta, want[1:])
	got[0] = bound.LogLikGrad(s.theta, got[1:])
	inBlocks[0] = blocks.LogLikGrad(s.theta, inBlocks[1:])
	scale := bound.Scale(s.theta) + tree.Scale(s.theta)
	if math.IsInf(scale, 0) || math.IsNaN(scale) {
		return false
	}
	for j := range want {
		if !finite(want[j]) || !finite(got[j]) {
			continue
		}
		if math.Abs(got[j]-want[j]) > 1e-9*scale || !(math.Abs(inBlocks[j]-want[j]) <= 1e-9*scale) {
			t.Fatalf("output %d: program %v, by blocks %v, tree %v, scale %v\ntheta %v\n%s\nsimplified %s\n%s",
				j, got[j], inBlocks[j], want[j], scale, s.theta, syntax.Format(u.Model), u.SimplifiedText(), u.Program)
		}
	}
	return finite(want[0]) && finite(got[0])
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
