package regress_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/search/evolve"
	"likc/search/evolve/regress"
	"likc/search/tree"
)

// parse reads a tree over symbols.
func parse(t testing.TB, text string, symbols []string) tree.Tree {
	x, err := tree.FromExpr(value(t, text, symbols), symbols)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// value reads an expression over symbols.
func value(t testing.TB, text string, symbols []string) *expr.Expr {
	header := &expr.Model{Name: "test"}
	for _, name := range symbols {
		header.Params = append(header.Params, expr.Param{Name: name, Lower: 0, Upper: 1})
	}
	m, err := syntax.ParseExpr(text, header)
	if err != nil {
		t.Fatal(err)
	}
	return m.LogLik
}

// table draws n rows, evenly in [low, high], and the target from an expression.
func table(t testing.TB, target string, symbols []string, low, high float64, n int) *regress.Loss {
	column, y := rows(t, target, symbols, n, func(r *rand.Rand, _ string) float64 { return low + (high-low)*r.Float64() })
	l, err := regress.New(symbols, column, y)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// rows draws the columns of symbols, and the target from an expression.
func rows(t testing.TB, target string, symbols []string, n int, draw func(r *rand.Rand, symbol string) float64) (column [][]float64, y []float64) {
	r := rand.New(rand.NewPCG(11, 12))
	tape := expr.NewTape(symbols, value(t, target, symbols))
	column = make([][]float64, len(symbols))
	for range n {
		var x []float64
		for i, symbol := range symbols {
			v := draw(r, symbol)
			column[i] = append(column[i], v)
			x = append(x, v)
		}
		f, _ := tape.Eval(nil, x)
		y = append(y, f[0])
	}
	return column, y
}

func TestScoreIsTheDefinition(t *testing.T) {
	x, y := []float64{1, 2, 3, 4}, []float64{2, 3, 5, 10} // variance 9.5; residuals of x + 1: 0, 0, -1, -5... below
	l, err := regress.New([]string{"x"}, [][]float64{x}, y)
	if err != nil {
		t.Fatal(err)
	}
	terms := make([]float64, 2)
	loss := l.NewScorer().Score(parse(t, "x + x", []string{"x"}), math.Inf(1), terms)
	// residuals 0, 1, 1, -2: mean square 1.5; the target's mean is 5, its variance (9+4+0+25)/4 = 9.5
	if math.Abs(terms[0]-1.5) > 1e-15 || math.Abs(loss-1.5/9.5) > 1e-15 || math.Abs(terms[1]-8/9.5) > 1e-15 {
		t.Errorf("loss %v, terms %v", loss, terms)
	}
	if loss := l.NewScorer().Score(parse(t, "log(x - x)", []string{"x"}), math.Inf(1), terms); !math.IsInf(loss, 1) {
		t.Errorf("loss %v of -Inf", loss)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		symbols []string
		column  [][]float64
		target  []float64
		want    string
	}{
		"columns":  {[]string{"x", "y"}, [][]float64{{1, 2}}, []float64{1, 2}, "1 columns for 2 symbols"},
		"rows":     {[]string{"x"}, [][]float64{{1, 2, 3}}, []float64{1, 2}, "3 rows, the target 2"},
		"NaN":      {[]string{"x"}, [][]float64{{1, math.NaN()}}, []float64{1, 2}, "row 2"},
		"constant": {[]string{"x"}, [][]float64{{1, 2}}, []float64{3, 3}, "constant"},
		"empty":    {[]string{"x"}, [][]float64{{}}, nil, "0 rows"},
	} {
		if _, err := regress.New(c.symbols, c.column, c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestFingerprintSeesValues(t *testing.T) {
	symbols := []string{"x", "y"}
	s := table(t, "x * y", symbols, 1, 2, 100).NewScorer()
	print := func(text string) uint64 {
		h, finite := s.Fingerprint(parse(t, text, symbols))
		if !finite {
			t.Fatalf("%s is not finite", text)
		}
		return h
	}
	if print("x * y / x") != print("y") || print("(x + y)^2") != print("x*x + (x*y + y*x) + y*y") {
		t.Error("equal expressions have different fingerprints")
	}
	if print("x") == print("y") || print("x * 1.0000001") == print("x") {
		t.Error("different expressions have one fingerprint")
	}
	if _, finite := s.Fingerprint(parse(t, "log(x - y - x)", symbols)); finite {
		t.Error("the logarithm of a negative number is finite")
	}
}

// The constants that made the data are found from others, also through exp, log and division.
func TestFitFindsConstants(t *testing.T) {
	symbols := []string{"x", "y"}
	for _, c := range []struct{ target, start string }{
		{"2.5 * x + 0.7", "1 * x + 1"},
		{"2.5 * x^2 / (y + 1.3)", "1 * x^2 / (y + 1)"},
		{"3.1 * exp(-0.6 * x) + 0.2 * y", "1 * exp(-0.2 * x) + 1 * y"},
		{"log(x + 4.5) * y", "log(x + 1) * y"},
		{"sqrt(x * 3.3 + 0.5) - y * 0.25", "sqrt(x * 1 + 1) - y * 1"},
	} {
		l := table(t, c.target, symbols, 0.5, 3, 200)
		fitter := l.NewScorer().(evolve.Fitter)
		x := parse(t, c.start, symbols)
		want := parse(t, c.target, symbols)
		for range 5 {
			fitter.FitConstants(&x)
		}
		for k, v := range x.Values {
			if math.Abs(v-want.Values[k]) > 1e-6 {
				t.Errorf("%s: constants %v, want %v", c.target, x.Values, want.Values)
				break
			}
		}
	}
}

// A fit never makes an expression worse, and says whether it is better.
func TestFitNeverWorsens(t *testing.T) {
	symbols := []string{"x", "y"}
	l := table(t, "x * exp(y) - log(x)", symbols, 0.5, 3, 100)
	s := l.NewScorer()
	set := tree.Searchable(2)
	set.Constants = true
	r, terms, better := rand.New(rand.NewPCG(2, 2)), make([]float64, 2), 0
	for range 300 {
		var x tree.Tree
		set.Random(r, &x, 1+r.IntN(25))
		before := s.Score(x, math.Inf(1), terms)
		values := append([]float64(nil), x.Values...)
		improved := s.(evolve.Fitter).FitConstants(&x)
		after := s.Score(x, math.Inf(1), terms)
		switch {
		case improved && !(after < before):
			t.Errorf("%v: the loss went from %v to %v", x.Expr(symbols), before, after)
		case !improved && !(tree.Tree{Codes: x.Codes, Values: values}).Equal(x):
			t.Errorf("%v: constants changed without gain", x.Expr(symbols))
		case improved:
			better++
		}
	}
	if better < 50 {
		t.Errorf("only %d of 300 were improved", better)
	}
}

// A search with fitted constants finds a law with constants.
func TestSearchWithConstants(t *testing.T) {
	s, _ := evolve.Preset("likc")
	target := 1e-12
	s.Constants, s.Target, s.Budget, s.MaxSize, s.Threads = evolve.Fitted, &target, 200000, 20, 2
	search, err := evolve.New(table(t, "2.5 * x^2 / (y + 1.3)", []string{"x", "y"}, 0.5, 3, 100), s)
	if err != nil {
		t.Fatal(err)
	}
	if reason := search.Run(context.Background(), nil); reason != evolve.Reached {
		front := search.Front()
		t.Errorf("%s: %v", reason, front[len(front)-1])
	}
}
