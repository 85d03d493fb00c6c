package regress_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/search/evolve"
	"likc/search/evolve/regress"

	"gonum.org/v1/gonum/mat"
)

var xy = []string{"x", "y"}

// linear is the loss of a target over x and y, evenly in [0.5, 3].
func linear(t testing.TB, target string, n int, link regress.Link) (*regress.Linear, [][]float64, []float64) {
	column, y := rows(t, target, xy, n, func(r *rand.Rand, _ string) float64 { return 0.5 + 2.5*r.Float64() })
	l, err := regress.NewLinear(xy, column, y, link)
	if err != nil {
		t.Fatal(err)
	}
	return l, column, y
}

// remainder solves the least squares on its own: by Householder's transformations.
func remainder(design *mat.Dense, y []float64) float64 {
	var b mat.VecDense
	if err := b.SolveVec(design, mat.NewVecDense(len(y), y)); err != nil {
		panic(err)
	}
	var fitted mat.VecDense
	fitted.MulVec(design, &b)
	mean, sum, total := 0.0, 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for i, v := range y {
		sum += (v - fitted.AtVec(i)) * (v - fitted.AtVec(i))
		total += (v - mean) * (v - mean)
	}
	return sum / total
}

// Each term has a coefficient of its own, and there is a constant.
func TestLinearScoreIsLeastSquares(t *testing.T) {
	l, column, y := linear(t, "exp(x) * y", 50, regress.Identity)
	design := mat.NewDense(50, 4, nil)
	for i, x := range column[0] {
		design.SetRow(i, []float64{1, x * x, column[1][i] * x, math.Log(column[1][i])})
	}
	terms := make([]float64, 2)
	loss := l.NewScorer().Score(parse(t, "x^2 - y*x + log(y)", xy), math.Inf(1), terms)
	if want := remainder(design, y); math.Abs(loss-want) > 1e-12 || math.Abs(1-loss-terms[1]) > 1e-15 {
		t.Errorf("loss %v, want %v; terms %v", loss, want, terms)
	}
	if loss := l.NewScorer().Score(parse(t, "x + log(x - x)", xy), math.Inf(1), terms); !math.IsInf(loss, 1) {
		t.Errorf("loss %v of -Inf", loss)
	}
}

// Terms beyond a third of the rows have no coefficients of their own.
func TestLinearDoesNotInterpolate(t *testing.T) {
	l, _, _ := linear(t, "exp(x) / y", 9, regress.Identity)
	loss := l.NewScorer().Score(parse(t, "x + y + x*y + x^2 + y^2 + x^2*y + y^2*x + log(x) + log(y)", xy), math.Inf(1), make([]float64, 2))
	if loss < 1e-6 {
		t.Errorf("loss %v with ten coefficients over nine rows", loss)
	}
}

func TestLinearFingerprintIsOfTheSpan(t *testing.T) {
	l, _, _ := linear(t, "x * y", 100, regress.Identity)
	s, symbols := l.NewScorer(), l.Symbols()
	print := func(text string) uint64 {
		h, finite := s.Fingerprint(parse(t, text, symbols[:2]))
		if !finite {
			t.Fatalf("%s is not finite", text)
		}
		return h
	}
	for _, c := range [][2]string{{"x", "x + x"}, {"x + y", "x - y - x"}, {"x*y + y", "y - (x*y - y)"}} {
		if print(c[0]) != print(c[1]) {
			t.Errorf("%s and %s have different fingerprints", c[0], c[1])
		}
	}
	if print("x") == print("y") || print("x + y") == print("x") || print("x * (y + x)") == print("x*y + x^2") {
		t.Error("different spans have one fingerprint")
	}
}

// What is written out is the target, under each link and on other points.
func TestLinearExpr(t *testing.T) {
	for _, c := range []struct {
		link         regress.Link
		target, tree string
		size         int
	}{
		{regress.Identity, "1.5 * x^2 - y/3 + 2", "x^2 + y", 12},
		{regress.Identity, "x^2", "x^2 + y", 2},
		{regress.Identity, "0.123456 * x", "x - y", 3},
		{regress.Log, "2 * x^2 * x * sqrt(y)", "log(x) + log(y)", 8},
		{regress.Log, "exp(x) / y", "x - log(y)", 5},
		{regress.Reciprocal, "1 / (x + 2*y)", "x - y", 6},
		{regress.Square, "sqrt(x^2 + y^2/4)", "x^2 - y^2", 8},
	} {
		l, _, _ := linear(t, c.target, 60, c.link)
		e := l.Expr(parse(t, c.tree, xy))
		if e.Size() > c.size {
			t.Errorf("%s: written %v: %d nodes, want at most %d", c.target, e, e.Size(), c.size)
		}
		tape := expr.NewTape(xy, e, value(t, c.target, xy))
		for _, at := range [][]float64{{0.1, 7}, {5, 0.2}, {4, 4}} {
			if f, _ := tape.Eval(nil, at); !(math.Abs(f[0]-f[1]) <= 1e-9*math.Abs(f[1])) {
				t.Errorf("%s: written %v: %v at %v, want %v", c.target, e, f[0], at, f[1])
			}
		}
		if left := l.Remainder(parse(t, c.tree, xy)); !(left < 1e-24) {
			t.Errorf("%s: %v of the variance is left", c.target, left)
		}
	}
}

func TestLinksRefuse(t *testing.T) {
	column := [][]float64{{1, 2, 3, 4}}
	for link := regress.Log; link <= regress.Square; link++ {
		_, err := regress.NewLinear([]string{"x"}, column, []float64{1, 2, 0, 4}, link)
		if err == nil || !strings.Contains(err.Error(), "row 3: link "+link.String()) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := regress.NewLinear([]string{"x"}, column, []float64{1, 2, 0, 4}, regress.Identity); err != nil {
		t.Error(err)
	}
}

func TestLinearNoMemory(t *testing.T) {
	l, _, _ := linear(t, "x * y", 200, regress.Identity)
	s, x, terms := l.NewScorer(), parse(t, "x^2 - y*x + log(y) + exp(x)", xy), make([]float64, 2)
	if n := testing.AllocsPerRun(100, func() { s.Score(x, math.Inf(1), terms); s.Fingerprint(x) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Constants inside of terms are fitted while the coefficients follow.
func TestLinearFit(t *testing.T) {
	for _, c := range []struct{ target, start string }{
		{"3.1 * exp(-0.6 * x) + 0.2 * y - 1", "exp(-0.2 * x) + y"},
		{"7 * log(x + 4.5) - 2 * x / (y + 0.3)", "log(x + 1) - x / (y + 1)"},
	} {
		l, _, _ := linear(t, c.target, 200, regress.Identity)
		x := parse(t, c.start, xy)
		for range 5 {
			l.NewScorer().(evolve.Fitter).FitConstants(&x)
		}
		if left := l.Remainder(x); left > 1e-16 {
			t.Errorf("%s: constants %v leave %v", c.target, x.Values, left)
		}
	}
}

// The restarts find a law with constants inside, and how many threads there are does not matter.
func TestSearchRestarts(t *testing.T) {
	s, _ := evolve.Preset("likc")
	target := 1e-12
	s.Constants, s.Target, s.Budget, s.MaxSize, s.Required = evolve.Fitted, &target, 300000, 20, []string{}
	column, y := rows(t, "2.5 * x^2 / (y + 1.3) - 3*x", xy, 100, func(r *rand.Rand, _ string) float64 { return 0.5 + 2.5*r.Float64() })
	var found [2]*regress.Found
	for i := range found {
		var err error
		s.Threads = i + 1
		if found[i], err = regress.Search(context.Background(), xy, column, y, s); err != nil {
			t.Fatal(err)
		}
	}
	if front := found[0].Front; found[0].Reason != evolve.Reached || front[len(front)-1].Loss > 1e-9 {
		t.Errorf("%s: %v", found[0].Reason, front[len(front)-1])
	}
	if !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("one thread finds %v, two %v", found[0], found[1])
	}
}

func TestSearchEnds(t *testing.T) {
	s, _ := evolve.Preset("likc")
	s.Budget, s.MaxSize, s.Threads = 7000, 12, 1
	column, y := rows(t, "exp(x) / log(y + 4)", xy, 30, func(r *rand.Rand, _ string) float64 { return 0.5 + r.Float64() })
	found, err := regress.Search(context.Background(), xy, column, y, s)
	if err != nil || found.Full != 7000 || found.Reason != evolve.Spent {
		t.Errorf("%+v, %v", found, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if found, err = regress.Search(done, xy, column, y, s); err != nil || found.Searches != 1 || found.Reason != evolve.Interrupted {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err = regress.Search(done, xy, column, y[:3], s); err == nil {
		t.Error("columns of different lengths were taken")
	}
}
