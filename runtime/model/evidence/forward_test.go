package evidence

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"likc/testdata"
)

// forward is a process with constant leak, for differences of its forward equation: functions of the time since the onset.
type forward struct {
	start, until, leak   float64
	drift, noise         func(tau float64) float64 // noise is the standard deviation for a second
	upper, lower         func(tau float64) float64
	upperSlope, lowSlope func(tau float64) float64
}

const forwardTimes = 40 // number of times at which densities are compared

// densities returns times and the densities of both choices there: three grids, extrapolated to none.
func (f *forward) densities() (tau [forwardTimes]float64, flux [2][forwardTimes]float64) {
	const coarsest = 640
	times := f.times(4 * coarsest)
	var of [3][2][forwardTimes]float64
	for g := range of {
		of[g] = f.solve(coarsest<<g, times, 4>>g)
	}
	for i := range tau {
		tau[i] = times[(i+1)*4*coarsest/forwardTimes]
		for k := range flux { // errors of the second and the third power of the step are gone
			flux[k][i] = (32*of[2][k][i] - 12*of[1][k][i] + of[0][k][i]) / 21
		}
	}
	return tau, flux
}

func (f *forward) half(tau float64) float64 { return (f.upper(tau) - f.lower(tau)) / 2 }

// times are n steps from where next to nothing has arrived, shorter while densities rise and while boundaries are close.
func (f *forward) times(n int) []float64 {
	near := min(f.upper(0)-f.start, f.start-f.lower(0)) / f.noise(0)
	rise := near * near / 6
	rate := func(tau float64) float64 {
		h := f.half(tau) / f.noise(tau)
		return 1/tau + rise/(tau*tau) + 3/(h*h)
	}
	const parts = 400_000
	first := near * near / 60
	at := func(i int) float64 { return first * math.Pow(f.until/first, float64(i)/parts) }
	sums := make([]float64, parts+1)
	for i := 1; i <= parts; i++ {
		a, b := at(i-1), at(i)
		sums[i] = sums[i-1] + (b-a)/6*(rate(a)+4*rate((a+b)/2)+rate(b))
	}
	times, i := make([]float64, n+1), 0
	for k := range times {
		want := sums[parts] * float64(k) / float64(n)
		for i < parts-1 && sums[i+1] < want {
			i++
		}
		times[k] = at(i) + (at(i+1)-at(i))*(want-sums[i])/(sums[i+1]-sums[i])
	}
	return times
}

// solve takes n steps for the density of y, which is -1 and 1 at the boundaries: half of each by the trapezoidal rule, then backward differences of
// second order, so that what changes fast along y fades [bank1985].
//
//	[bank1985] Bank, Coughran, Fichtner, Grosse, Rose, Smith. Transient simulation of silicon devices and circuits. IEEE Trans. Electron Devices
//	           32 (1985) 1992-2007.
func (f *forward) solve(n int, times []float64, every int) (flux [2][forwardTimes]float64) {
	step := 2 / float64(n)
	p, last, right, up := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	middle := func(tau float64) float64 { return (f.upper(tau) + f.lower(tau)) / 2 }
	mean, spread := f.start*math.Exp(-f.leak*times[0]), 0.0
	const parts = 200
	for i := range parts {
		tau := times[0] * (float64(i) + 0.5) / parts
		left := math.Exp(f.leak * (tau - times[0])) // share of what arrives at tau that has not leaked by then
		mean += left * f.drift(tau) * times[0] / parts
		spread += left * left * f.noise(tau) * f.noise(tau) * times[0] / parts
	}
	h := f.half(times[0])
	for i := 1; i < n; i++ {
		x := middle(times[0]) + h*(-1+float64(i)*step) - mean
		p[i] = h * math.Exp(-x*x/(2*spread)) / math.Sqrt(2*math.Pi*spread)
	}
	// rates are what flows into a point from the one before, that after, and out of itself.
	rates := func(tau float64) (before, after func(i int) float64, own float64) {
		h, at := f.half(tau), middle(tau)
		widens, moves := (f.upperSlope(tau)-f.lowSlope(tau))/2, (f.upperSlope(tau)+f.lowSlope(tau))/2
		spreads := f.noise(tau) * f.noise(tau) / (2 * h * h) / (step * step)
		flow, byY := (f.drift(tau)-f.leak*at-moves)/h/(2*step), -(f.leak+widens/h)/(2*step)
		at0, each := flow-byY, byY*step // at the lower boundary, and from each point to the next
		return func(i int) float64 { return spreads + at0 + each*float64(i-1) }, func(i int) float64 { return spreads - at0 - each*float64(i+1) }, 2 * spreads
	}
	implicit := func(tau, dt float64) { // solves p - dt·rates·p = right
		before, after, own := rates(tau)
		for i := 1; i < n; i++ {
			pivot := 1 + dt*own - dt*before(i)*up[i-1]
			up[i] = dt * after(i) / pivot
			right[i] = (right[i] + dt*before(i)*right[i-1]) / pivot
		}
		for i := n - 1; i > 0; i-- {
			p[i] = right[i] + up[i]*p[i+1]
		}
	}
	const gamma = 2 - math.Sqrt2
	for s := 1; s <= n; s++ {
		from, to := times[(s-1)*every], times[s*every]
		dt := to - from
		copy(last, p)
		before, after, own := rates(from)
		for i := 1; i < n; i++ {
			right[i] = p[i] + gamma/2*dt*(before(i)*p[i-1]+after(i)*p[i+1]-own*p[i])
		}
		implicit(from+gamma*dt, gamma/2*dt)
		for i := 1; i < n; i++ {
			right[i] = (p[i] - (1-gamma)*(1-gamma)*last[i]) / (gamma * (2 - gamma))
		}
		implicit(to, (1-gamma)/(2-gamma)*dt)
		if k := s*forwardTimes/n - 1; s*forwardTimes%n == 0 {
			h := f.half(to)
			rate := f.noise(to) * f.noise(to) / (2 * h * h) / (12 * step)
			flux[0][k] = rate * (48*p[n-1] - 36*p[n-2] + 16*p[n-3] - 3*p[n-4])
			flux[1][k] = rate * (48*p[1] - 36*p[2] + 16*p[3] - 3*p[4])
		}
	}
	return flux
}

// compareForward returns the largest error of the log density wherever that is above 1e-8 of its peak, and how many were compared.
func compareForward(c *Curve, f *forward, onset float64) (worst float64, compared int) {
	tau, flux := f.densities()
	peak := 0.0
	for k := range flux {
		for _, x := range flux[k] {
			peak = max(peak, x)
		}
	}
	for k := range flux {
		for i, x := range flux[k] {
			if !(x > 1e-8*peak) {
				continue
			}
			want := math.Log(x)
			got := c.Log(onset+tau[i], k, nil)
			worst = max(worst, math.Abs(got-want)/max(1, math.Abs(want)))
			compared++
		}
	}
	return worst, compared
}

// TestExponentialCollapse: boundaries that all but meet, and starts near one of them, against differences of the forward equation.
func TestExponentialCollapse(t *testing.T) {
	text, _ := testdata.Model("exponential_collapse")
	d := density(t, text)
	points := [][]float64{{-1.59, 1.391, 0.164, 0.3, 2.542}, {0.294, 2.315, 0.24, 0.3, 1.806}}
	if os.Getenv("LIKC_LONG") != "" {
		r := rand.New(rand.NewPCG(9, 1))
		for range 40 {
			points = append(points, []float64{-3 + 6*r.Float64(), 0.3 + 2.2*r.Float64(), 0.2 + 0.6*r.Float64(), 0.3, 4 * r.Float64()})
		}
	}
	for _, theta := range points {
		v, a, z, k := theta[0], theta[1], theta[2], theta[4]
		bound := func(tau float64) float64 { return a * math.Exp(-k*tau) }
		f := &forward{start: a * (2*z - 1), until: math.Log1p(28*k*a*a) / (2 * k), drift: func(float64) float64 { return v }, noise: func(float64) float64 { return 1 },
			upper: bound, lower: func(tau float64) float64 { return -bound(tau) },
			upperSlope: func(tau float64) float64 { return -k * bound(tau) }, lowSlope: func(tau float64) float64 { return k * bound(tau) }}
		worst, compared := compareForward(d.At(theta, nil, theta[3]+f.until+0.1), f, theta[3])
		t.Logf("%.3f: %d densities, largest error %.2g", theta, compared, worst)
		if compared < 20 || !(worst < 5e-5) { // the differences themselves have no more digits
			t.Errorf("%.3f: error %.3g of %d log densities", theta, worst, compared)
		}
	}
	if a := d.Check(); !a.Kept() || !(a.Gradient <= 1e-4) {
		t.Errorf("%+v", a)
	}
}

// TestLeak: evidence that runs away from 0, so that its clock all but stands still, and evidence that leaks, against differences of the forward equation.
func TestLeak(t *testing.T) {
	d := density(t, `model ornstein { trial rt positive choice c param v in [-2, 2] param a in [0.3, 3] param z in [0.1, 0.9] param g in [-1, 1] param t in [0, 2]
  evidence x after t { start a*(2*z - 1) drift v - g*x upper a } }`)
	constant := func(x float64) func(float64) float64 { return func(float64) float64 { return x } }
	points := [][]float64{{0.336, 1.616, 0.351, -0.761, 0.3}, {0.7711, 2.628, 0.5511, -0.9334, 0.3}}
	if os.Getenv("LIKC_LONG") != "" {
		points = append(points, []float64{-1.249, 2.954, 0.649, -0.652, 0.3}, []float64{-0.6341, 2.2, 0.7547, 0.754, 0.3})
	}
	for _, theta := range points {
		v, a, z, g := theta[0], theta[1], theta[2], theta[3]
		f := &forward{start: a * (2*z - 1), until: 20, leak: g, drift: constant(v), noise: constant(1), upper: constant(a), lower: constant(-a), upperSlope: constant(0), lowSlope: constant(0)}
		c := d.At(theta, nil, theta[4]+f.until+0.1)
		worst, compared := compareForward(c, f, theta[4])
		t.Logf("%.3f: %d densities, largest error %.2g", theta, compared, worst)
		if compared < 50 || !(worst < 1e-5) { // the differences themselves have no more digits
			t.Errorf("%.3f: error %.3g of %d log densities", theta, worst, compared)
		}
		grad := make([]float64, 5)
		for _, tau := range []float64{0.5, 3, 9, 13, 17} { // derivatives by the onset
			const h = 1e-3
			c.Log(theta[4]+tau, 0, grad)
			by := (c.Log(theta[4]+tau-h, 0, nil) - c.Log(theta[4]+tau+h, 0, nil)) / (2 * h)
			if !(math.Abs(grad[4]-by) < 1e-4*max(1, math.Abs(by))) {
				t.Errorf("%.3f at %v: the derivative by the onset is %v, by differences %v", theta, tau, grad[4], by)
			}
		}
	}
}
