package compiler

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// exGaussian is a model whose response time is the sum of a normal and an exponential variable.
const exGaussian = `model exgaussian {
  trial rt
  param mu in [0, 2]
  param sigma in [0.001, 0.5]
  param tau in [0.001, 2]
  let z = (rt - mu)/sigma - sigma/tau
  loglik = -log(tau) + (sigma/tau)^2/2 - (rt - mu)/tau + log_normcdf(z)
}`

// TestExGaussian compares value and gradient with 60-digit arithmetic over the whole of the ranges, where Φ itself underflows.
// The tolerance is 1e-13 times the largest term of the sum in the model's formula. For the value this is (sigma/tau)^2/2, for a
// derivative the term with the hazard.
func TestExGaussian(t *testing.T) {
	f, err := os.Open("testdata/exgaussian.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	u, _, _ := compileText(t, exGaussian, []float64{1})
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var row []float64
		for _, word := range strings.Fields(lines.Text()) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, x)
		}
		rows++
		rt, theta, want := row[0], row[1:4], row[4:8]
		mu, sigma, tau := theta[0], theta[1], theta[2]
		z := (rt-mu)/sigma - sigma/tau
		big := z*z + (sigma/tau)*(sigma/tau) + math.Abs(rt-mu)/tau + 1
		scale := []float64{big, big / sigma, big / sigma, big / tau}
		bound, tree := bindBoth(t, u, []float64{rt})
		for name, lik := range map[string]interface {
			LogLikGrad(theta, grad []float64) float64
		}{"tree": tree, "program": bound} {
			got := make([]float64, 4)
			got[0] = lik.LogLikGrad(theta, got[1:])
			for j := range want {
				if !(math.Abs(got[j]-want[j]) <= 1e-13*scale[j]) {
					t.Errorf("%s at rt %v, %v: output %d is %v, want %v", name, rt, theta, j, got[j], want[j])
				}
			}
		}
	}
	if rows != 81 {
		t.Errorf("%d rows were compared, want 81", rows)
	}
}

// TestBranchNotTaken: an undefined expression in the branch that is not taken changes neither the value nor the gradient. A
// requirement that a simplification rule drops inside a branch is not imposed outside that branch.
func TestBranchNotTaken(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		loglik     string
		m          float64
		value, der float64
	}{
		{"if(m < 0, 2*m, sqrt(m)*rt)", -1, -2, 2},
		{"if(m < 0, 2*m, sqrt(m)*rt)", 4, 4, 0.5},
		{"if(0 <= m, sqrt(m)^2 * rt, 3*m)", -1, -3, 3},
		{"if(m <= 0, m, log(m)/m)", 0, 0, 1},
		{"rt*if(rt < m and m < 3, log(m - rt), m)", 1, 2, 2},
		{"rt*if(rt < m and m < 3, log(m - rt), m)", 2.5, 2 * math.Log(0.5), 4},
		{"if(m < 1 or 3 < m, exp(exp(exp(exp(m^2)))) - exp(exp(exp(exp(m^2)))), m)", 2, 2, 1},
		{"if(m < 1 or 3 < m, 5, if(m < 2, log(m - 2), -m))", 2.5, -2.5, -1},
		{"if(m < 1, 1/(m - m), m) + if(1 <= m, m, 1/(m - m))", 2, 4, 2},
		{"sqrt(m)^2 + if(m < 0, m, sqrt(m))", -1, math.NaN(), math.NaN()},
		{"log(if(m < 0, 0, m)) + m", -1, -inf, math.NaN()},
	}
	for _, test := range tests {
		_, bound, tree := compileText(t, "model m { trial rt param m in [-3, 10] loglik = "+test.loglik+" }", []float64{2})
		for name, lik := range map[string]interface {
			LogLikGrad(theta, grad []float64) float64
		}{"tree": tree, "program": bound} {
			grad := []float64{7}
			v := lik.LogLikGrad([]float64{test.m}, grad)
			close := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-13 || math.IsNaN(a) && math.IsNaN(b) }
			if !close(v, test.value) || !math.IsNaN(test.der) && !close(grad[0], test.der) {
				t.Errorf("%s: %s at %v: %v, %v; want %v, %v", name, test.loglik, test.m, v, grad[0], test.value, test.der)
			}
		}
	}
}
