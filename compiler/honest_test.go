package compiler

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// compileText compiles one model and binds it and its oracle to response times.
func compileText(t *testing.T, text string, rt []float64) (*Unit, *ir.Bound, *Tree) {
	t.Helper()
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	u, err := Compile(models[0], Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	bound, tree := bindBoth(t, u, rt)
	return u, bound, tree
}

// bindBoth binds response times to the compiled program and to the model as written.
func bindBoth(t *testing.T, u *Unit, rt []float64) (*ir.Bound, *Tree) {
	t.Helper()
	bound, err := ir.Bind(u.Program, [][]float64{rt}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := BindTree(u.Model, [][]float64{rt}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bound, tree
}

// TestUndefinedIsNeverHidden: where the model as written is NaN, the compiled program is NaN too, even if the simplifier could
// cancel the undefined term.
func TestUndefinedIsNeverHidden(t *testing.T) {
	tests := []struct {
		loglik string
		at     float64 // value of the parameter m
		nan    bool
	}{
		{"0*log(m - rt)", 1, true},
		{"0*log(m - rt)", 9, false},
		{"sqrt(m)^2 - rt", -1, true},
		{"sqrt(m)^2 - rt", 1, false},
		{"m/m + rt", 0, true},
		{"m/m + rt", 2, false},
		{"exp(log(m)) - rt", -2, true},
		{"(log(m - rt) + 1)^2 - log(m - rt)^2 - 2*log(m - rt)", 1, true},
		{"(log(m - rt) + 1)^2 - log(m - rt)^2 - 2*log(m - rt)", 9, false},
		{"log(m) - log(m) + rt*m", -1, true},
	}
	for _, test := range tests {
		_, bound, tree := compileText(t, "model m { trial rt param m in [-3, 10] loglik = "+test.loglik+" }", []float64{0.5, 2, 3})
		theta := []float64{test.at}
		if got := tree.LogLik(theta); math.IsNaN(got) != test.nan {
			t.Fatalf("%s at %v: the oracle gives %v", test.loglik, test.at, got)
		}
		if got := bound.LogLik(theta); math.IsNaN(got) != test.nan {
			t.Errorf("%s at %v: %v", test.loglik, test.at, got)
		}
	}
}

// TestSeparationIsGated: the sum is not multiplied out if that would lose digits on data that are likely under the model.
func TestSeparationIsGated(t *testing.T) {
	tests := []struct {
		name, text string
		rt         []float64
		theta      []float64
		accepted   bool
	}{
		{"a fourth power far from 0", "param m in [0, 3] param s in [0.01, 2] loglik = -((rt - m)/s)^4", []float64{3.01, 3.012, 2.99}, []float64{3, 0.01}, false},
		{"a normal with a wide range", "param m in [0, 3] param s in [0.1, 2] loglik = -log(s) - ((rt - m)/s)^2/2", []float64{1.5, 1.6, 1.7}, []float64{1.6, 0.1}, true},
		{"an exponential that overflows when multiplied out", "param k in [0, 1000] param j in [0, 1] loglik = -j*rt - exp(k - rt)", []float64{750, 760}, []float64{760, 1}, false},
	}
	for _, test := range tests {
		u, bound, tree := compileText(t, "model m { trial rt "+test.text+" }", test.rt)
		if u.Separation.Accepted != test.accepted {
			t.Errorf("%s: accepted is %v (%s)", test.name, u.Separation.Accepted, u.Separation.Reason)
		}
		want, got := make([]float64, 3), make([]float64, 3)
		want[0], got[0] = tree.LogLikGrad(test.theta, want[1:]), bound.LogLikGrad(test.theta, got[1:])
		terms := tree.Terms(test.theta)
		for j := range want {
			if !(math.Abs(got[j]-want[j]) <= 1e-12*terms[j]) {
				t.Errorf("%s: output %d is %v, want %v", test.name, j, got[j], want[j])
			}
		}
	}
}
