package called

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"

	"pgregory.net/rapid"
)

// library makes the built-in processes callable.
var library = syntax.Library{Named: func(name string) (*expr.Model, error) {
	p, err := ssm.Lookup(name)
	if err != nil {
		return nil, nil
	}
	return catalog.HeaderOf(p), nil
}}

func read(t testing.TB, text string) *expr.Model {
	t.Helper()
	models, err := syntax.ReadWith("f.lik", strings.NewReader(text), library)
	if err != nil {
		t.Fatal(err)
	}
	return models[len(models)-1]
}

// learners are models with states of every kind: linear and independent of other states, linear and dependent on each other, and not linear.
var learners = map[string]string{
	"rl_ddm": `model rl_ddm { trial rt positive trial reward choice c
		param alpha in [0, 1] param k in [0, 10] param a in [0.3, 2.5] param t in [0, 1]
		state qa = 0.5 restart block  state qb = 0.5 restart block
		next { qa = if(0 < c, qa + alpha*(reward - qa), qa)  qb = if(0 < c, qb, qb + alpha*(reward - qb)) }
		loglik = ddm(v = k*(qa - qb), a = a, z = 0.5, t = t) }`,
	"kalman": `model kalman { trial rt positive trial reward choice c
		param q0 in [0, 1] param s0 in [0.1, 2] param w in [0, 1] param e in [0.1, 2] param k in [0, 5] param a in [0.3, 2.5]
		state m = q0 restart block state s = s0^2
		next { m = m + s/(s + e^2)*(reward - m)  s = s*(1 - s/(s + e^2)) + w }
		loglik = ddm(v = k*m, a = a*exp(-0.1*s), z = 0.5, t = 0.1*a) }`,
	"coupled": `model coupled { trial rt positive trial reward choice c
		param b in [0, 0.9] param g in [-0.5, 0.5] param a in [0.3, 2.5]
		state x = b state y = 0
		next { x = b*x + g*y + reward  y = if(c < 0, x, y) - g*reward }
		loglik = ddm(v = 0.3*x - 0.2*y, a, z = 0.5, t = 0.1) }`,
	"clipped": `model clipped { trial rt positive trial reward choice c
		param b in [0, 0.9] param g in [0.1, 2] param a in [0.3, 2.5]
		state x = b
		next { x = if(x < g, x + b*exp(-x), x*0.5) + 0.1*tanh(abs(x))*reward }
		loglik = ddm(v = x^2, a, z = 0.5, t = 0.1) }`,
	"psychometric": `model psychometric { trial rt positive trial coh choice c
		param k in [0.1, 10] param e in [0.2, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 1]
		loglik = ddm(v = k*sign(coh)*abs(coh)^e, a = a, z = 0.2 + 0.6*z, t = t) }`,
}

func data(r *rand.Rand, n, persons int) kernel.Trials {
	t := kernel.Trials{Columns: [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}, Choice: make([]float64, n), Person: make([]int32, n)}
	for i := range n {
		t.Columns[0][i] = 0.35 + r.ExpFloat64()*0.5
		t.Columns[1][i] = float64(r.IntN(3) - 1)
		t.Columns[2][i] = float64(i * 7 / n)
		t.Choice[i] = float64(2*r.IntN(2) - 1)
		t.Person[i] = int32(i * persons / n)
	}
	return t
}

// slowly returns the sum over rows and outputs of weights times the outputs. It evaluates the model's text trial by trial.
func slowly(m *expr.Model, out []*expr.Expr, t kernel.Trials, theta [][]complex128, weights [][]float64) complex128 {
	names := append(append(m.ParamNames(), m.Trials...), m.Choice)
	for _, s := range m.Called.States {
		names = append(names, s.Name)
	}
	var starts, nexts []*expr.Expr
	for _, s := range m.Called.States {
		starts, nexts = append(starts, s.Start), append(nexts, s.Next)
	}
	begin, step, args := expr.NewTape(names, starts...), expr.NewTape(names, nexts...), expr.NewTape(names, out...)
	states, last, total := map[int32][]complex128{}, map[int32]int{}, complex128(0)
	for i := range t.N() {
		var values []complex128
		for _, p := range theta {
			values = append(values, p[min(i, len(p)-1)])
		}
		for k := range m.Trials {
			values = append(values, complex(t.Columns[k][i], 0))
		}
		values = append(values, complex(t.Choice[i], 0))
		who := t.Person[i]
		before, seen := last[who]
		x := states[who]
		fresh := begin.EvalComplex(nil, append(values[:len(values):len(values)], make([]complex128, len(starts))...))
		if !seen {
			x = fresh
		}
		if seen {
			for k, s := range m.Called.States {
				for range s.Restart {
					if t.Columns[2][i] != t.Columns[2][before] {
						x[k] = fresh[k]
					}
				}
			}
		}
		values = append(values, x...)
		for k, y := range args.EvalComplex(nil, values) {
			total += complex(weights[k][i], 0) * y
		}
		if t.Choice[i] != trials.Omitted {
			x = step.EvalComplex(nil, values)
		}
		states[who], last[who] = x, i
	}
	return total
}

// TestGradients compares values and gradients with slowly, whose derivatives come from complex steps.
func TestGradients(t *testing.T) {
	for name, text := range learners {
		m := read(t, text)
		out := m.Called.Calls[0].Args
		for _, shape := range []string{"shared", "by row", "scattered", "missing", "one trial"} {
			t.Run(name+" "+shape, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				n := 700
				if shape == "one trial" {
					n = 1
				}
				d := data(r, n, 5)
				if shape == "scattered" {
					for i := range d.Person {
						d.Person[i] = int32(r.IntN(5))
					}
				}
				if shape == "missing" {
					for range n / 10 {
						i := r.IntN(n)
						if d.Choice[i] = trials.Omitted; m.Stateful() {
							d.Columns[1][i] = math.NaN()
						}
					}
				}
				checkGradients(t, r, m, out, d, shape != "shared" && shape != "one trial")
			})
		}
	}
}

func checkGradients(t interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}, r *rand.Rand, m *expr.Model, out []*expr.Expr, d kernel.Trials, byRow bool) {
	c := New(m, out)
	columns := d.Columns[:2]
	if len(m.Restarts()) > 0 {
		columns = d.Columns
	}
	n := d.N()
	bind, err := c.Bind(kernel.Trials{Columns: columns, Choice: d.Choice, Person: d.Person})
	if err != nil {
		t.Fatal(err)
	}
	clean := d
	clean.Columns = append([][]float64{}, d.Columns...)
	clean.Columns[1] = append([]float64{}, d.Columns[1]...)
	for i, x := range clean.Columns[1] {
		if math.IsNaN(x) {
			clean.Columns[1][i] = 1
		}
	}
	mapping := bind()
	points := 50
	if _, random := t.(*rapid.T); random {
		points = 2
	} else if n > 1 {
		points = 10
	}
	for point := range points {
		theta, wide := make([][]float64, len(m.Params)), make([][]complex128, len(m.Params))
		for j, p := range m.Params {
			size := 1
			if byRow && (point+j)%2 == 0 {
				size = n
			}
			for range size {
				x := p.Lower + (p.Upper-p.Lower)*(0.1+0.8*r.Float64())
				theta[j], wide[j] = append(theta[j], x), append(wide[j], complex(x, 0))
			}
		}
		weights, bars := make([][]float64, len(out)), make([][]float64, len(out))
		values := mapping.Forward(theta)
		got, scale := 0.0, 0.0
		for k := range out {
			for i := range n {
				weights[k] = append(weights[k], r.NormFloat64())
				x := kernel.At(values[k], i)
				got += weights[k][i] * x
				scale += math.Abs(weights[k][i] * x)
			}
			if bars[k] = weights[k]; len(values[k]) == 1 && point%3 == 0 {
				bars[k] = []float64{0}
				for _, x := range weights[k] {
					bars[k][0] += x
				}
			}
		}
		want := real(slowly(m, out, clean, wide, weights))
		if !(math.Abs(got-want) <= 1e-12*scale) {
			t.Fatalf("value %v, want %v", got, want)
		}
		grad := make([][]float64, len(theta))
		for j := range theta {
			grad[j] = make([]float64, len(theta[j]))
			grad[j][0] = 3 // Back must add to this number
		}
		mapping.Back(bars, grad)
		for j := range theta {
			for range min(3, len(theta[j])) {
				i := r.IntN(len(theta[j]))
				keep := wide[j][i]
				wide[j][i] += 1e-30i
				want := imag(slowly(m, out, clean, wide, weights)) / 1e-30
				wide[j][i] = keep
				g := grad[j][i]
				if i == 0 {
					g -= 3
				}
				if !(math.Abs(g-want) <= 1e-9*math.Max(scale, math.Abs(want))) {
					t.Errorf("point %d: ∂%s[%d] = %v, want %v", point, m.Params[j].Name, i, g, want)
				}
			}
		}
	}
}

// recurrences draws a random model whose states depend on each other, on columns and on parameters.
func recurrences(t *rapid.T) (m *expr.Model, out []*expr.Expr) {
	m = &expr.Model{Name: "random", Trials: []string{"rt", "x"}, Choice: "c", Called: &expr.Called{},
		Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0.1, Upper: 2}}}
	leaves := []*expr.Expr{expr.Var("p"), expr.Var("q"), expr.Num(0.5)}
	ops := []expr.Op{expr.Add, expr.Sub, expr.Mul, expr.Tanh, expr.Sigmoid, expr.Sin, expr.If}
	states := rapid.IntRange(1, 3).Draw(t, "states")
	for k := range states {
		s := expr.State{Name: fmt.Sprint("s", k), Start: exprtest.Over(leaves, ops, 5).Draw(t, "start")}
		if rapid.Bool().Draw(t, "restarts") {
			s.Restart = []string{"block"}
		}
		m.Called.States = append(m.Called.States, s)
	}
	leaves = append(leaves, expr.Var("x"), expr.Var("c"))
	for _, s := range m.Called.States {
		leaves = append(leaves, expr.Var(s.Name))
	}
	for k := range states {
		m.Called.States[k].Next = expr.New(expr.Tanh, exprtest.Over(leaves, ops, 12).Draw(t, "next"))
		if rapid.Bool().Draw(t, "linear") {
			s := expr.Var(m.Called.States[k].Name)
			m.Called.States[k].Next = expr.New(expr.Add, expr.New(expr.Mul, expr.Num(0.7), s), expr.Var("x"))
		}
	}
	leaves = slices.DeleteFunc(leaves, func(e *expr.Expr) bool { return e.Name == "c" }) // not the choice, which has no meaning in a trial without a response
	for range 3 {
		out = append(out, exprtest.Over(leaves, ops, 12).Draw(t, "out"))
	}
	return m, out
}

func checkRecurrences(t *rapid.T) {
	m, out := recurrences(t)
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	d := data(r, rapid.IntRange(1, 40).Draw(t, "trials"), 3)
	for i := range d.Choice {
		if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
			d.Choice[i] = trials.Omitted
		}
	}
	checkGradients(t, r, m, out, d, d.N() > 1)
}

func TestRandomRecurrences(t *testing.T) { rapid.Check(t, checkRecurrences) }

func FuzzRecurrences(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkRecurrences)) }

func TestDepends(t *testing.T) {
	m := read(t, learners["rl_ddm"])
	c := New(m, m.Called.Calls[0].Args)
	got := ""
	for k := range c.Out() {
		params, varies := c.Depends(k)
		got += fmt.Sprint(params, varies, " ")
	}
	if got != "3 true 4 false 0 false 8 false " {
		t.Error(got)
	}
}

func BenchmarkMapping(b *testing.B) {
	for _, name := range []string{"rl_ddm", "kalman", "psychometric"} {
		b.Run(name, func(b *testing.B) {
			m := read(b, learners[name])
			d := data(rand.New(rand.NewPCG(1, 2)), 1000, 10)
			if len(m.Restarts()) == 0 {
				d.Columns = d.Columns[:2]
			}
			bind, _ := New(m, m.Called.Calls[0].Args).Bind(d)
			mapping := bind()
			theta, grad := make([][]float64, len(m.Params)), make([][]float64, len(m.Params))
			for j, p := range m.Params {
				theta[j], grad[j] = []float64{(p.Lower + p.Upper) / 2}, make([]float64, 1)
			}
			bars := make([][]float64, 4)
			for k := range bars {
				bars[k] = make([]float64, 1000)
			}
			b.ReportAllocs()
			for b.Loop() {
				mapping.Forward(theta)
				mapping.Back(bars, grad)
			}
		})
	}
}

// BenchmarkPrice compares the gradient of rl_ddm with that of a drift that differs in every row.
func BenchmarkPrice(b *testing.B) {
	m := read(b, learners["rl_ddm"])
	d := data(rand.New(rand.NewPCG(1, 2)), 1000, 10)
	bind, _ := New(m, m.Called.Calls[0].Args).Bind(d)
	mapping := bind()
	rows, err := ssm.NewRows(d.Columns[0], d.Choice)
	if err != nil {
		b.Fatal(err)
	}
	theta := [][]float64{{0.3}, {3}, {1.1}, {0.2}}
	grad, bars, logp := [][]float64{{0}, {0}, {0}, {0}}, make([][]float64, 4), make([]float64, 1000)
	for k := range bars {
		bars[k] = make([]float64, 1000)
	}
	b.Run("rows", func(b *testing.B) {
		args := [][]float64{append([]float64{}, mapping.Forward(theta)[0]...), theta[2], {0.5}, theta[3]}
		for b.Loop() {
			rows.Each(args, logp, bars)
		}
	})
	b.Run("rl_ddm", func(b *testing.B) {
		for b.Loop() {
			rows.Each(mapping.Forward(theta), logp, bars)
			mapping.Back(bars, grad)
		}
	})
}
