package compiler

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// TestFault: a trial is called outside the support only if a support condition fails. For every other fault the message names the
// subexpression that is not finite.
func TestFault(t *testing.T) {
	tests := []struct {
		loglik string
		m      float64
		row    int
		why    string
	}{
		{"support m < rt loglik = log(rt - m)", 1, 1, "it is outside the support (m < rt)"},
		{"support m < rt support 0 < m loglik = m*rt", -1, 0, "it is outside the support (0 < m)"},
		{"loglik = 2 + log(rt - m)", 1, 1, "inside the support its log density is undefined (NaN): log(rt - m) is undefined (NaN)"},
		{"loglik = -exp(rt*m)", 800, 0, "inside the support its log density is -Inf: exp(rt * m) is +Inf"},
		{"loglik = exp(rt*m) - exp(rt*m)", 800, 0, "inside the support its log density is undefined (NaN): exp(rt * m) is +Inf"},
		{"loglik = log(rt - m)", 2, 0, "inside the support its log density is -Inf: log(rt - m) is -Inf"},
		{"loglik = if(m < rt, log(m - rt)*0 + m, log(rt - m))", 1, 0, "inside the support its log density is undefined (NaN): log(m - rt) is undefined (NaN)"},
		{"loglik = if(rt < m, log(m - rt), log(m - rt))", 1, 0, "inside the support its log density is undefined (NaN): log(m - rt) is undefined (NaN)"},
		{"loglik = rt*m*1e305", 900, -1, "the log density of every trial is finite, but their sum overflows"},
	}
	for _, test := range tests {
		models, err := syntax.Read("m.lik", strings.NewReader("model m { trial rt param m in [-3, 1000] "+test.loglik+" }"))
		if err != nil {
			t.Fatal(err)
		}
		rt := []float64{2, 0.5, 1e-3}
		if test.row < 0 {
			rt = []float64{1e-2, 1e-2, 1, 1, 1, 1}
			test.m = 600
		}
		tree, err := BindTree(models[0], [][]float64{rt}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := tree.Fault([]float64{test.m})
		if !ok || f.Row != test.row || f.Why != test.why {
			t.Errorf("%s at %v: row %d: %s; want row %d: %s", test.loglik, test.m, f.Row, f.Why, test.row, test.why)
		}
		if f, ok := tree.Fault([]float64{1e-4}); ok && math.IsInf(tree.LogLik([]float64{1e-4}), 0) == false && !math.IsNaN(tree.LogLik([]float64{1e-4})) {
			t.Errorf("%s: a fault in a finite log-likelihood: %v", test.loglik, f)
		}
	}
}

// TestMinusInfinityHasNoGradient: a log-likelihood of -Inf has gradient 0, whatever its cause.
func TestMinusInfinityHasNoGradient(t *testing.T) {
	for _, loglik := range []string{"-exp(rt*m)", "-exp(m)", "log(rt - m)*m", "-exp(rt*m) - rt*m"} {
		models, err := syntax.Read("m.lik", strings.NewReader("model m { trial rt param m in [-3, 1000] param k in [0, 1] loglik = k*rt + "+loglik+" }"))
		if err != nil {
			t.Fatal(err)
		}
		u, err := Compile(models[0], Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		rt := []float64{800, 900}
		bound, err := ir.Bind(u.Program, [][]float64{rt}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := BindTree(u.Model, [][]float64{rt}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, lik := range map[string]interface {
			LogLikGrad(theta, grad []float64) float64
		}{"tree": tree, "program": bound} {
			grad := []float64{7, 7}
			if v := lik.LogLikGrad([]float64{800, 0.5}, grad); !math.IsInf(v, -1) || grad[0] != 0 || grad[1] != 0 {
				t.Errorf("%s: %s: %v with gradient %v, want -Inf with zeros", name, loglik, v, grad)
			}
		}
	}
}

// TestDensityFault: if a parameter outside its range makes every trial impossible, the fault names the parameter and not the first trial.
func TestDensityFault(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	params := []expr.Param{{Name: "drift", Lower: -3, Upper: 3}, {Name: "start", Lower: 0.1, Upper: 0.9}}
	tests := []struct {
		theta, density []float64
		want           Fault
	}{
		{[]float64{0, 1.2}, []float64{-inf, -inf}, Fault{-1, "start = 1.2 is outside its range [0.1, 0.9]"}},
		{[]float64{0, 0.95}, []float64{-1, -inf}, Fault{1, "it is outside the support"}},
		{[]float64{0, 0.5}, []float64{-inf, -inf}, Fault{0, "it is outside the support"}},
		{[]float64{nan, 0.5}, []float64{nan, nan}, Fault{-1, "drift = NaN is outside its range [-3, 3]"}},
		{[]float64{0, 0.5}, []float64{-1, nan}, Fault{1, "its log density is undefined (NaN)"}},
		{[]float64{0, 0.5}, []float64{-1e308, -1e308}, Fault{-1, "the log density of every trial is finite, but their sum overflows"}},
	}
	for _, test := range tests {
		got := DensityFault(params, test.theta, len(test.density), func(i int) float64 { return test.density[i] })
		if got != test.want {
			t.Errorf("%v, %v: %+v, want %+v", test.theta, test.density, got, test.want)
		}
	}
}
