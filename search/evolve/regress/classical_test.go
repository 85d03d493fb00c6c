package regress_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"likc/compiler/expr"
	"likc/search/evolve"
	"likc/search/evolve/regress"
)

// References: [uy2011] N. Q. Uy et al., Semantically-based crossover in genetic programming, Genet. Program. Evolvable Mach.
// 12, 2011. [udrescu2020] S.-M. Udrescu, M. Tegmark, AI Feynman, Science Advances 6, 2020.

// law is a target that {+ − × ÷ exp log √ ²} can express.
type law struct {
	name, text string
	symbols    []string
	low, high  float64
	rows       int
}

// nguyen are the benchmarks of [uy2011] that need neither sine nor cosine nor, beyond what x/x gives, a constant. Left out
// for their sines and cosines: 5, 6, 9, 10.
var nguyen = []law{
	{"nguyen 1", "x^2*x + x^2 + x", []string{"x"}, -1, 1, 20},
	{"nguyen 2", "x^2*x^2 + x^2*x + x^2 + x", []string{"x"}, -1, 1, 20},
	{"nguyen 3", "x^2*x^2*x + x^2*x^2 + x^2*x + x^2 + x", []string{"x"}, -1, 1, 20},
	{"nguyen 4", "x^2*x^2*x^2 + x^2*x^2*x + x^2*x^2 + x^2*x + x^2 + x", []string{"x"}, -1, 1, 20},
	{"nguyen 7", "log(x + 1) + log(x^2 + 1)", []string{"x"}, 0.01, 2, 20},
	{"nguyen 8", "sqrt(x)", []string{"x"}, 0.01, 4, 20},
	{"nguyen 11", "exp(y * log(x))", []string{"x", "y"}, 0.01, 1, 100},
	{"nguyen 12", "x^2*x^2 - x^2*x + y^2/2 - y", []string{"x", "y"}, 0.01, 1, 100},
}

// feynman are equations of [udrescu2020], by their number in the Feynman lectures, without constants that are neither
// ratios of the symbols nor small whole numbers.
var feynman = []law{
	{"I.8.14", "sqrt((x2 - x1)^2 + (y2 - y1)^2)", []string{"x1", "x2", "y1", "y2"}, 1, 5, 200},
	{"I.10.7", "m / sqrt(1 - v^2/c^2)", []string{"m", "v", "c"}, 1, 2, 200},
	{"I.11.19", "x1*y1 + x2*y2 + x3*y3", []string{"x1", "x2", "x3", "y1", "y2", "y3"}, 1, 5, 200},
	{"I.12.5", "q * E", []string{"q", "E"}, 1, 5, 200},
	{"I.13.12", "G*m1*m2*(1/r2 - 1/r1)", []string{"G", "m1", "m2", "r1", "r2"}, 1, 5, 200},
	{"I.14.3", "m*g*z", []string{"m", "g", "z"}, 1, 5, 200},
	{"I.15.3x", "(x - u*t) / sqrt(1 - u^2/c^2)", []string{"x", "u", "c", "t"}, 1, 2, 200},
	{"I.16.6", "(u + v) / (1 + u*v/c^2)", []string{"u", "v", "c"}, 1, 5, 200},
	{"I.18.4", "(m1*r1 + m2*r2) / (m1 + m2)", []string{"m1", "m2", "r1", "r2"}, 1, 5, 200},
	{"I.25.13", "q / C", []string{"q", "C"}, 1, 5, 200},
	{"I.27.6", "1 / (1/d1 + n/d2)", []string{"d1", "d2", "n"}, 1, 5, 200},
	{"I.34.1", "w / (1 - v/c)", []string{"c", "v", "w"}, 1, 2, 200},
	{"I.34.8", "q*v*B / p", []string{"q", "v", "B", "p"}, 1, 5, 200},
	{"I.34.14", "(1 + v/c) / sqrt(1 - v^2/c^2) * w", []string{"c", "v", "w"}, 1, 2, 200},
	{"I.43.16", "mu*q*V/d", []string{"mu", "q", "V", "d"}, 1, 5, 200},
	{"I.44.4", "n*k*T*log(V2/V1)", []string{"n", "k", "T", "V1", "V2"}, 1, 5, 200},
	{"I.47.23", "sqrt(g*p/r)", []string{"g", "p", "r"}, 1, 5, 200},
	{"I.48.2", "m*c^2 / sqrt(1 - v^2/c^2)", []string{"m", "v", "c"}, 1, 2, 200},
	{"II.8.31", "e*E^2/2", []string{"e", "E"}, 1, 5, 200},
	{"II.10.9", "s/e * (1/(1 + x))", []string{"s", "e", "x"}, 1, 5, 200},
	{"II.27.16", "e*c*E^2", []string{"e", "c", "E"}, 1, 5, 200},
	{"II.34.2", "q*v*r/2", []string{"q", "v", "r"}, 1, 5, 200},
	{"II.35.18", "n / (exp(m*B/(k*T)) + exp(-m*B/(k*T)))", []string{"n", "k", "T", "m", "B"}, 1, 3, 200},
	{"II.38.3", "Y*A*x/d", []string{"Y", "A", "x", "d"}, 1, 5, 200},
	{"II.38.14", "Y / (2*(1 + s))", []string{"Y", "s"}, 1, 5, 200},
	{"III.4.32", "1 / (exp(h*w/(k*T)) - 1)", []string{"h", "w", "k", "T"}, 1, 3, 200},
	{"III.10.19", "mu*sqrt(bx^2 + by^2 + bz^2)", []string{"mu", "bx", "by", "bz"}, 1, 5, 200},
	{"III.13.18", "2*E*d^2*k/h", []string{"E", "d", "k", "h"}, 1, 5, 200},
	{"III.14.14", "I*(exp(q*V/(k*T)) - 1)", []string{"I", "q", "V", "k", "T"}, 1, 2, 200},
}

// larger names two symbols of which the first must be larger: it is moved up by 1.5 times the end of the range.
var larger = map[string][2]string{
	"I.10.7": {"c", "v"}, "I.15.3x": {"c", "u"}, "I.34.1": {"c", "v"}, "I.34.14": {"c", "v"}, "I.48.2": {"c", "v"},
}

// draw draws a value of a symbol in the law's range.
func (l *law) draw(r *rand.Rand, symbol string) float64 {
	return l.low + (l.high-l.low)*r.Float64() + l.shift(symbol)
}

// outside draws a value of a symbol beyond the law's range.
func (l *law) outside(r *rand.Rand, symbol string) float64 {
	x := l.high + (l.high-l.low)*r.Float64() + l.shift(symbol)
	if l.low < 0 && r.IntN(2) == 0 {
		return -x
	}
	return x
}

func (l *law) shift(symbol string) float64 {
	if larger[l.name][0] == symbol {
		return 1.5 * l.high
	}
	return 0
}

// holds reports whether e has the law's values on fresh points inside and outside of its range, to 1e-6 of each value; values
// below 1e-12 of their root mean square are rounding.
func (l *law) holds(t testing.TB, e *expr.Expr) bool {
	for _, draw := range []func(*rand.Rand, string) float64{l.draw, l.outside} {
		r, scale := rand.New(rand.NewPCG(21, 22)), 0.0
		tape := expr.NewTape(l.symbols, value(t, l.text, l.symbols), e)
		var pairs [][]float64
		for range fresh {
			var x []float64
			for _, symbol := range l.symbols {
				x = append(x, draw(r, symbol))
			}
			f, _ := tape.Eval(nil, x)
			pairs = append(pairs, f)
			scale += f[0] * f[0] / fresh
		}
		for _, f := range pairs {
			if !(math.Abs(f[1]-f[0]) <= 1e-6*math.Abs(f[0])+1e-12*math.Sqrt(scale)) {
				return false
			}
		}
	}
	return true
}

const fresh = 1000 // points that a recovered law is compared on, inside and outside

// search looks for the law until what it has leaves 1e-20 of the variance, or so many evaluations are spent, and returns what
// leaves least.
func (l *law) search(t testing.TB, budget int64) (*regress.Found, regress.Law) {
	s, err := evolve.Preset("likc")
	if err != nil {
		t.Fatal(err)
	}
	target := 1e-20
	s.Target, s.Threads, s.MaxSize, s.Budget, s.Required = &target, 2, 30, budget, []string{}
	column, y := rows(t, l.text, l.symbols, l.rows, l.draw)
	found, err := regress.Search(context.Background(), l.symbols, column, y, s)
	if err != nil {
		t.Fatal(err)
	}
	return found, found.Front[len(found.Front)-1]
}

// budget is the number of evaluations that a law may take: what two cores do in less than a minute.
const budget = 3500000

// Of the classical targets, at least nine in ten are recovered within what two cores evaluate in a minute.
func TestClassicalTargets(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	recovered, all := 0, 0
	for _, l := range append(nguyen, feynman...) {
		t.Run(l.name, func(t *testing.T) {
			start := seconds(t)
			found, best := l.search(t, budget)
			holds := l.holds(t, best.Expr)
			if all++; holds {
				recovered++
			}
			t.Logf("recovered %-5v %6.2f s of processor time, %8d evaluations of %8d, search %2d, size %2d, loss %.1e: %v",
				holds, seconds(t)-start, found.Full, found.Drawn, found.Searches, best.Size, best.Loss, best.Expr)
		})
	}
	if t.Logf("%d of %d", recovered, all); 10*recovered < 9*all {
		t.Errorf("%d of %d were recovered", recovered, all)
	}
}

// seconds is the processor time that the tests have taken so far, over all cores.
func seconds(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// The easy targets are recovered within few evaluations.
func TestEasyTargets(t *testing.T) {
	for _, l := range append(nguyen[:2:2], feynman[3], feynman[5], feynman[9], feynman[16]) {
		if _, best := l.search(t, 200000); !l.holds(t, best.Expr) {
			t.Errorf("%s: best is %v, loss %v", l.name, best.Expr, best.Loss)
		}
	}
}

func BenchmarkClassicalTargets(b *testing.B) {
	for _, l := range []law{nguyen[2], feynman[0], feynman[18]} {
		b.Run(l.name, func(b *testing.B) {
			for b.Loop() {
				l.search(b, budget)
			}
		})
	}
}
