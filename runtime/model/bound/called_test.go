package bound

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

func openText(t testing.TB, text string) *Prepared {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.lik")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := catalog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(m, Auto)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// someTrials returns n trials of three participants. Columns are the response time, a covariate, and the number
// of a block, which restarts states; choices are ±1.
func someTrials(n int) kernel.Trials {
	r := rand.New(rand.NewPCG(3, 4))
	t := kernel.Trials{Columns: [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}, Choice: make([]float64, n), Person: make([]int32, n)}
	for i := range n {
		t.Columns[0][i], t.Columns[1][i], t.Columns[2][i] = 0.35+r.ExpFloat64()*0.5, float64(r.IntN(3)-1), float64(i/40)
		t.Choice[i], t.Person[i] = float64(2*r.IntN(2)-1), int32(3*i/n)
	}
	return t
}

// calling holds models that call densities or have states, of every kind, by name.
var calling = map[string]string{
	"psychometric": `model m { trial rt trial coh choice c param k in [0, 40] param e in [0.2, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 0.3]
		loglik = ddm(v = k*sign(coh)*abs(coh)^e, a = a, z = z, t = t) }`,
	"mixture": `model m { trial rt trial x choice c param p in [0.1, 0.9] param v in [-1, 1] param a in [0.3, 2.5] param t in [0, 0.3]
		loglik = logaddexp(log(p) + ddm(v = v*x, a, z = 0.5, t), log(1 - p) + ddm(v = -v, a = 1, z = 0.5, t = 0.5*t)) }`,
	"with lapses": `model m { trial rt trial x choice c param p in [0.01, 0.2] param v in [-1, 1] param a in [0.3, 2.5]
		loglik = logaddexp(log(1 - p) + ddm(v, a, z = 0.5, t = 0.3), log(p) - log(10)) }`,
	"learner": `model m { trial rt trial r choice c param alpha in [0, 1] param k in [0, 10] param a in [0.3, 2.5] param t in [0, 0.3]
		state qa = 0.5 restart block state qb = 0.5 restart block
		next { qa = if(0 < c, qa + alpha*(r - qa), qa)  qb = if(0 < c, qb, qb + alpha*(r - qb)) }
		loglik = ddm(v = k*(qa - qb), a = a, z = 0.5, t = t) }`,
	"learner of an expression": `model m { trial rt trial r choice c param alpha in [0, 1] param k in [0, 1] param a in [0.5, 2.5] param t in [0, 0.3]
		state q = 0.5 next { q = q + alpha*(r - q) }
		loglik = expr2(v = k*q, a = a, z = 0.5, t = t) }`,
	"choices": `model m { trial x trial r choice c param alpha in [0, 1] param beta in [0, 10]
		state q = 0 restart block next { q = q + alpha*(r - q) } lower { }
		loglik = -softplus(-c*beta*q) }`,
	"calibrated": `model m { trial rt trial x choice c param k in [-1, 1] param a in [0.6, 2] param t in [0, 0.3]
		loglik = found57(v = k*x, a, z = 0.5, t) }`,
	"own support": `model m { trial rt trial x choice c param k in [-1, 1] param a in [0.6, 2] param t in [0, 0.15] support 2*t < rt
		loglik = ddm(v = k*x, a, z = 0.5, t) }`,
	"teacher": `model m { trial rt trial x choice c param k in [-1, 1] param a in [0.6, 2]
		loglik = weibull(v = k*x, a, z = 0.5, t = 0.2, alpha = 2, beta = 3) }`,
}

func TestCalledGradients(t *testing.T) {
	for name, text := range calling {
		t.Run(name, func(t *testing.T) {
			p := openText(t, text)
			d := someTrials(300)
			if len(p.Model.Restarts()) == 0 {
				d.Columns = d.Columns[:2]
			}
			b, err := p.Bind(d, Design{})
			if err != nil {
				t.Fatal(err)
			}
			var points [][]float64
			r := rand.New(rand.NewPCG(5, 6))
			n := 5
			if name == "psychometric" || name == "learner" {
				n = 50
			}
			for range n {
				var theta []float64
				for _, q := range p.Model.Params {
					theta = append(theta, q.Lower+(q.Upper-q.Lower)*(0.2+0.6*r.Float64()))
				}
				points = append(points, theta)
			}
			if name != "teacher" { // the network of a teacher is not smooth enough for finite differences of this accuracy
				kernel.Check(t, b, points, 0)
			}
			logp := make([]float64, d.N())
			b.PerTrial(points[0], logp)
			total := 0.0
			for _, x := range logp {
				total += x
			}
			if want := b.LogLik(points[0]); !(math.Abs(total-want) <= 1e-10*math.Abs(want)) {
				t.Errorf("trials add up to %v, want %v", total, want)
			}
			blocks := [][]float64{make([]float64, 1), make([]float64, 1)}
			b.LogDensity(blocks, points[:1], 211)
			if !(math.Abs(blocks[0][0]-logp[211])+math.Abs(blocks[1][0]-logp[212]) <= 1e-10) {
				t.Errorf("trials 211 and 212: %v, want %v", blocks, logp[211:213])
			}
		})
	}
}

// TestConstantArguments checks that a call gives exactly the same numbers as the called model, with constants or with parameters as
// arguments.
func TestConstantArguments(t *testing.T) {
	d := someTrials(200)
	d.Columns = d.Columns[:1]
	plain := openText(t, "model m { trial rt choice c param a in [0.3, 2.5] param t in [0, 0.3] loglik = ddm(v = 1.5, a, z = 0.5, t) }")
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	itself, err := Open(m, Auto)
	if err != nil {
		t.Fatal(err)
	}
	called, err := plain.Bind(d, Design{})
	if err != nil {
		t.Fatal(err)
	}
	ddm, err := itself.Bind(d, Design{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		a, onset := 0.5+r.Float64(), 0.3*r.Float64()
		g, own := make([]float64, 4), make([]float64, 2)
		want, got := ddm.LogLikGrad([]float64{1.5, a, 0.5, onset}, g), called.LogLikGrad([]float64{a, onset}, own)
		if got != want || own[0] != g[1] || own[1] != g[3] || called.LogLik([]float64{a, onset}) != ddm.LogLik([]float64{1.5, a, 0.5, onset}) {
			t.Fatalf("%v %v, want %v %v", got, own, want, g)
		}
	}
}
