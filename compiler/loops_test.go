package compiler

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// ends is a model with integrals over infinite intervals, with limits that depend on trials, and with limits that depend only on
// parameters. It also has a reflection at the lower boundary.
const ends = `model ends {
  trial  rt
  choice c
  param m in [-1, 1]
  param s in [0.5, 2]
  param t in [0, 0.3]
  support t < rt
  lower { m = -m }
  let norm = integral(u in [-infinity, infinity]: exp(-u^2/(2*s^2) - (u - m)^2/8))
  let tail = integral(u in [m, infinity]: exp(-u*s - c*u^2/99 - u^2))
  let past = integral(u in [0, (rt - t)/2, rt - t]: exp(-u*s)*if(u < m, 2, 2))
  let alone = integral(u in [0, 1]: exp(-u*rt^2/9))
  loglik = -(rt - m)^2/(2*s^2) - log(norm) + log(tail) + log(past) + s*log(alone)
}`

// TestLoops: a program whose integrals are loops gives the value and gradient of the program that has them written out.
func TestLoops(t *testing.T) {
	for _, m := range []*expr.Model{endsModel(t), builtin(t, "stop_signal").Model} {
		sums, loops := compiledForm(t, m, false), compiledForm(t, m, true)
		if len(sums.Tables) > 0 || len(loops.Tables) == 0 || 4*len(loops.Values) > len(sums.Values) {
			t.Errorf("%s: %d tables and %d values, without loops %d and %d", m.Name, len(loops.Tables), len(loops.Values), len(sums.Tables), len(sums.Values))
		}
		columns, choice := emit.SimulateTrials(m, 200, rand.New(rand.NewPCG(3, 1)))
		a, errA := ir.Bind(sums, columns, choice)
		b, errB := ir.Bind(loops, columns, choice)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 10 {
			var theta []float64
			for _, p := range m.Params {
				theta = append(theta, p.Lower+(p.Upper-p.Lower)*(0.1+0.8*rng.Float64()))
			}
			want, got := make([]float64, b.Dim()+1), make([]float64, b.Dim()+1)
			want[0], got[0] = a.LogLikGrad(theta, want[1:]), b.LogLikGrad(theta, got[1:])
			for j := range want {
				if !(math.Abs(got[j]-want[j]) <= 1e-9*math.Abs(want[j])) && got[j] != want[j] {
					t.Errorf("%s at %v: result %d is %v, want %v", m.Name, theta, j, got[j], want[j])
				}
			}
		}
	}
}

// endsModel returns the model ends.
func endsModel(t *testing.T) *expr.Model {
	t.Helper()
	models, err := syntax.Read("ends.lik", strings.NewReader(ends))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// compiledForm compiles a model, with its integrals as loops or written out as sums.
func compiledForm(t *testing.T, m *expr.Model, loops bool) *ir.Program {
	t.Helper()
	u, err := Compile(m, Options{Loops: loops, Check: loops})
	if err != nil {
		t.Fatal(err)
	}
	return u.Program
}

// TestNothingToIntegrate: integrals of 0, and from a number to itself, are 0.
func TestNothingToIntegrate(t *testing.T) {
	models, err := syntax.Read("nothing.lik", strings.NewReader(`model nothing {
  trial rt
  param a in [0.3, 0.9]
  loglik = -a*rt + integral(u in [0, 1]: 0) + integral(u in [1, 1]: u) + integral(u in [0, 1]: 0*u*rt) + integral(u in [a, a]: u)
}`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ir.Bind(compiledForm(t, models[0], true), [][]float64{{0.25}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.LogLik([]float64{0.5}); got != -0.125 {
		t.Errorf("got %v, want -0.125", got)
	}
}

// TestLoopsOfAnotherDensity: a log density that was changed after its integrals became sums is not printed with the loops of the old one.
func TestLoopsOfAnotherDensity(t *testing.T) {
	m := *endsModel(t)
	m.LogLik = expr.New(expr.Neg, m.LogLik)
	if p := compiledForm(t, &m, true); len(p.Tables) > 0 {
		t.Errorf("%d tables", len(p.Tables))
	}
}
