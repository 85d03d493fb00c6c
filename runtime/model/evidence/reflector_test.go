package evidence

import (
	"errors"
	"math"
	"testing"
)

const reflectedText = `model reflected {
  trial rt positive
  param v in [-2, 3] param s in [0.7, 1.5] param b in [0.5, 3] param l in [0, 1] param z in [0, 0.9] param r in [-1, 1] param t in [0, 1]
  evidence x after t { start r + b*z drift v noise s upper r + b - l*tau reflect r }
}`

// TestReflectedWithoutDrift: the height of driftless evidence above a reflecting barrier is the distance of free evidence from there, so that it reaches
// the boundary when that reaches either of two.
func TestReflectedWithoutDrift(t *testing.T) {
	one := density(t, reflectedText)
	two := density(t, `model free {
  trial rt positive choice c
  param s in [0.7, 1.5] param b in [0.5, 3] param l in [0, 1] param z in [0, 0.9] param t in [0, 1]
  evidence x after t { start b*z drift 0 noise s upper b - l*tau }
}`)
	for _, at := range [][3]float64{{1.5, 0, 0}, {1.5, 0.4, 0}, {0.8, 0, 0.3}, {2, 0.7, 0.3}, {1.2, 0, 0.9}, {1.2, 0.2, 0.9}} {
		b, l, z := at[0], at[1], at[2]
		got, want := one.At([]float64{0, 1.2, b, l, z, 0.5, 0.1}, nil, 8), two.At([]float64{1.2, b, l, z, 0.1}, nil, 8)
		for _, rt := range []float64{0.15, 0.2, 0.3, 0.6, 1, 2, 3.2, 5, 7} {
			x := math.Log(math.Exp(want.Log(rt, 0, nil)) + math.Exp(want.Log(rt, 1, nil)))
			if y := got.Log(rt, 0, nil); !(math.Abs(y-x) < 1e-8*max(1, math.Abs(x))) && x > -25 {
				t.Errorf("b %v, l %v, z %v at %v: %v, want %v", b, l, z, rt, y, x)
			}
		}
	}
}

// reflectedSeries returns the density of the time at which evidence from x, with drift v and noise 1, reflected at 0, reaches h, and the probability that
// this is after τ: sums over the modes
// exp(-v x)·(cos kx + v/k·sin kx) with tan kh = -k/v, and one with κ in place of ik if -vh > 1.
func reflectedSeries(v, h, x, tau float64) (density, survival float64) {
	const modes, points = 60, 4000
	add := func(square float64, mode func(x float64) float64) { // the square is k², or -κ²
		whole, squares := 0.0, 0.0
		for i := range points + 1 { // Simpson's rule
			y := float64(i) * h / points
			weight := math.Exp(2*v*y) * h / points / 3 * float64(2+2*(i%2))
			if i%points == 0 {
				weight /= 2
			}
			f := math.Exp(-v*y) * mode(y)
			whole, squares = whole+weight*f, squares+weight*f*f
		}
		rate := (square + v*v) / 2
		left := whole / squares * math.Exp(-v*x) * mode(x) * math.Exp(-rate*tau)
		density, survival = density+rate*left, survival+left
	}
	root := func(f func(k float64) float64, low, high float64) float64 {
		for range 200 {
			if middle := (low + high) / 2; (f(middle) > 0) == (f(low) > 0) {
				low = middle
			} else {
				high = middle
			}
		}
		return low
	}
	first := 0
	if -v*h > 1 {
		k := root(func(k float64) float64 { return math.Cosh(k*h) + v/k*math.Sinh(k*h) }, 1e-9, -v)
		add(-k*k, func(x float64) float64 { return math.Cosh(k*x) + v/k*math.Sinh(k*x) })
		first = 1
	}
	for n := first; n < modes; n++ {
		k := root(func(k float64) float64 { return math.Cos(k*h) + v/k*math.Sin(k*h) }, max(float64(n)*math.Pi/h, 1e-9), float64(n+1)*math.Pi/h)
		add(k*k, func(x float64) float64 { return math.Cos(k*x) + v/k*math.Sin(k*x) })
	}
	return density, survival
}

// TestReflectedSeries: with a constant boundary the density is that of a series.
func TestReflectedSeries(t *testing.T) {
	d := density(t, reflectedText)
	for _, at := range [][3]float64{{1.5, 1.2, 0.4}, {-0.6, 1.2, 0}, {-1.5, 2, 0.5}, {3, 2, 0.2}, {-2, 1, 0.8}, {0.4, 0.6, 0.1}} {
		v, h, z := at[0], at[1], at[2]
		curve := d.At([]float64{v, 1, h, 0, z, 0.3, 0}, nil, 12)
		for _, tau := range []float64{0.1, 0.2, 0.4, 1, 2, 4, 8, 11} {
			want, _ := reflectedSeries(v, h, h*z, tau)
			want = math.Log(want)
			if got := curve.Log(tau, 0, nil); want > -18 && !(math.Abs(got-want) < 1e-6*max(1, math.Abs(want))) { // the series has no more digits
				t.Errorf("v %v, h %v, z %v at %v: %v, want %v", v, h, z, tau, got, want)
			}
		}
	}
}

// TestReflectedStays: evidence that drifts away from the boundary leaves late, at a rate that a race needs long after.
func TestReflectedStays(t *testing.T) {
	d := density(t, reflectedText)
	for _, at := range [][2]float64{{-1.5, 0.6}, {-4, 0.5}, {-8, 0.5}, {-2, 2}, {-3, 2.5}} {
		v, h := at[0], at[1]
		s := d.newSpace(usual)
		copy(s.values, []float64{v, 1, h, 0, 0.1, 0, 0})
		d.solve(s, 40, true)
		grad := make([]float64, s.solutions[0].dim)
		for _, tau := range []float64{1, 5, 15, 35, 45} {
			flux, want := reflectedSeries(v, h, 0.1*h, tau)
			got, byTime := s.solutions[0].logSurvival(tau, grad)
			if without, _ := s.solutions[0].logSurvival(tau, nil); without != got {
				t.Errorf("v %v, h %v: log survival after %v is %v without derivatives, and %v with them", v, h, tau, without, got)
			}
			if want > 1e-8 && !(math.Abs(byTime+flux/want) < 1e-5*flux/want) {
				t.Errorf("v %v, h %v: the derivative by time after %v is %v, want %v", v, h, tau, byTime, -flux/want)
			}
			if want > 1e-8 && !(math.Abs(got-math.Log(want)) < 1e-6*max(1, -got)) {
				t.Errorf("v %v, h %v: log survival after %v is %v, want %v", v, h, tau, got, math.Log(want))
			}
			_, up := reflectedSeries(v+1e-4, h, 0.1*h, tau)
			_, down := reflectedSeries(v-1e-4, h, 0.1*h, tau)
			if slope := math.Log(up/down) / 2e-4; want > 1e-6 && !(math.Abs(grad[0]-slope) < 1e-4*max(1, math.Abs(slope))) {
				t.Errorf("v %v, h %v: the derivative by v after %v is %v, want %v", v, h, tau, grad[0], slope)
			}
		}
	}
}

// TestReflectedEdges: drifts that are large beside the noise leave all of the mass, and a start on the barrier is no start outside, whatever is rounded.
func TestReflectedEdges(t *testing.T) {
	d := density(t, `model edges { trial rt positive
  param v in [-9, 30] param s in [0.05, 3] param b in [0.1, 20] param z in [0, 0.9] param r in [-1, 1]
  evidence x after 0 { start r + b*z drift v noise s upper r + b reflect r } }`)
	for _, theta := range [][]float64{{2, 0.1, 2, 0, 0}, {2, 0.106, 2, 0, 0}, {2, 0.15, 2, 0, 0}, {2, 0.3, 2, 0.001, 0}, {20, 1, 17, 0, 0}, {20, 1, 18, 0.01, 0}, {0, 3, 0.3, 0, 0.1}, {1, 0.5, 1.23559999999990003, 0, -1}, {1, 1, 0.7, 0, 0.1}, {1, 1, 0.9, 0, 0.3}, {1e-18, 1, 1, 0.2, 0}, {1e-9, 1, 0.5, 0, 0}, {-1e-17, 1, 0.5, 0.3, 0}} {
		s := d.newSpace(usual)
		copy(s.values, theta)
		if d.solve(s, 30, true); s.outside {
			t.Errorf("%v starts outside", theta)
			continue
		}
		if mass := s.solutions[0].mass(); !(math.Abs(mass-1) < 1e-6) {
			t.Errorf("%v: the mass is %v", theta, mass)
		}
	}
}

// TestReflectedGradient: derivatives are those that differences give, and the density is as accurate as promised over its ranges.
func TestReflectedGradient(t *testing.T) {
	d := density(t, reflectedText)
	grad := make([]float64, d.dim)
	for _, theta := range [][]float64{{1, 0.9, 1.4, 0.3, 0.2, 0.5, 0.1}, {-1, 1.2, 1.1, 0, 0.6, -0.3, 0.2}, {2, 1, 2.5, 0.8, 0.05, 0.2, 0.1}} {
		for _, rt := range []float64{0.4, 0.9, 1.7} {
			d.At(theta, nil, 5).Log(rt, 0, grad)
			for p := range theta {
				const h = 1e-5
				up, down := clone(theta), clone(theta)
				up[p] += h
				down[p] -= h
				want := (d.At(up, nil, 5).Log(rt, 0, nil) - d.At(down, nil, 5).Log(rt, 0, nil)) / (up[p] - down[p])
				if !(math.Abs(grad[p]-want) < 2e-4*max(1, math.Abs(want))) {
					t.Errorf("%v at %v: derivative %d is %v, by differences %v", theta, rt, p, grad[p], want)
				}
			}
		}
	}
	if a := d.Check(); !a.Kept() || !(a.Gradient < 2e-4) || !(a.Mass < 1e-6) {
		t.Errorf("%+v", a)
	}
}

// TestReflectedWithout: reflected evidence has no density where its drift or its start varies, and says so.
func TestReflectedWithout(t *testing.T) {
	for _, block := range []string{"start 0 drift v*tau upper 1 reflect 0", "start 0 drift v - x upper 1 reflect 0", "start uniform(0, 0.2) drift v upper 1 reflect 0", "start 0 drift v noise 1 + tau upper 1 reflect 0"} {
		m := read(t, "model m { trial rt positive param v in [0, 2] evidence x after 0 { "+block+" } }")
		if _, err := New(m); !errors.As(err, new(NonlinearError)) {
			t.Errorf("%s gives %v", block, err)
		}
	}
}

// TestReflectedIsNotPrinted: packages cannot have a reflected process yet, and the message names the process.
func TestReflectedIsNotPrinted(t *testing.T) {
	if _, err := density(t, reflectedText).Printable(); err == nil || err.Error() != "reflected: a package cannot have a process that is reflected yet" {
		t.Errorf("error %v", err)
	}
}
