package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/kernel"
)

// TestTilt: densities of a constant drift from the solution without drift are those of the process itself, with their derivatives, also where the drift
// and the onset differ from trial to trial by parameters and by a column.
func TestTilt(t *testing.T) {
	m := read(t, `model m {
  trial rt positive trial x choice c
  param v in [-3, 3] param a in [0.5, 2.5] param z in [0.2, 0.8] param t in [0, 1] param k in [0, 3] param s in [0.5, 2]
  evidence y after t { start a*(2*z - 1) drift v*x noise s upper a*exp(-k*tau) lower -a }
}`)
	d, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := newDensity(m, false)
	if err != nil || d.tilt == nil || whole.tilt != nil {
		t.Fatal(d.tilt, whole, err)
	}
	r := rand.New(rand.NewPCG(3, 1))
	const n = 60
	columns := [][]float64{make([]float64, n), make([]float64, n)}
	choice, drift, onset := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		drift[i], onset[i], choice[i] = -3+6*r.Float64(), 0.2*r.Float64(), 1-2*float64(i&1)
		columns[0][i], columns[1][i] = onset[i]+0.1+1.5*r.Float64(), 0.5+r.Float64()
	}
	theta := [][]float64{drift, {1.2}, {0.4}, onset, {0.8}, {1.3}}
	var logp [2][n]float64
	var grads [2][][]float64
	for which, of := range []*Density{d, whole} {
		rows, err := of.Rows(kernel.Trials{Columns: columns, Choice: choice})
		if err != nil {
			t.Fatal(err)
		}
		for range theta {
			grads[which] = append(grads[which], make([]float64, n))
		}
		rows.Each(theta, logp[which][:], grads[which])
	}
	for i := range n {
		if got, want := logp[0][i], logp[1][i]; !(math.Abs(got-want) < 1e-6*max(1, math.Abs(want))) {
			t.Errorf("trial %d: %v, by the process with its drift %v", i, got, want)
		}
		for p := range theta {
			if got, want := grads[0][p][i], grads[1][p][i]; !(math.Abs(got-want) < 2e-5*max(1, math.Abs(want))) {
				t.Errorf("trial %d: derivative %d is %v, by the process with its drift %v", i, p, got, want)
			}
		}
	}
}

// TestTiltUndefined: where a drift is undefined, so is the density, even if the drift has a simpler form that is defined there.
func TestTiltUndefined(t *testing.T) {
	d := density(t, `model m {
  trial rt positive param v in [-1, 1] param b in [0.5, 2]
  evidence y after 0 { start 0 drift sqrt(v)^2 upper b }
}`)
	if d.tilt == nil {
		t.Fatal("the density has no tilt")
	}
	rows, err := d.Rows(kernel.Trials{Columns: [][]float64{{0.5, 0.5}}, Choice: make([]float64, 2)})
	if err != nil {
		t.Fatal(err)
	}
	logp := make([]float64, 2)
	rows.Each([][]float64{{0.5, -0.5}, {1}}, logp, nil)
	if math.IsNaN(logp[0]) || !math.IsNaN(logp[1]) {
		t.Errorf("log densities with drifts sqrt(0.5)^2 and sqrt(-0.5)^2: %v", logp)
	}
}
