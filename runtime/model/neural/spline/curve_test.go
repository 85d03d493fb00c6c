package spline

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// shapes returns network outputs for curves from smooth to very rough.
func shapes(bins int) [][]float64 {
	r := rand.New(rand.NewPCG(3, 4))
	var all [][]float64
	for k := range 12 {
		out := make([]float64, Outputs(bins))
		for i := range out {
			out[i] = 0.12 * float64(k) * r.NormFloat64()
		}
		out[0] -= 1
		all = append(all, out)
	}
	return all
}

func TestSplineIsMonotoneAndItsSlopeIsRight(t *testing.T) {
	for _, out := range shapes(7) {
		c := NewCurve(7)
		c.Set(out)
		before := math.Inf(-1)
		for u := -6.0; u < 6; u += 0.0137 {
			y, slope := c.spline(u)
			if y <= before {
				t.Fatalf("S(%v) = %v after %v", u, y, before)
			}
			before = y
			const h = 1e-6
			above, _ := c.spline(u + h)
			below, _ := c.spline(u - h)
			if d := (above - below) / (2 * h); math.Abs(d-slope) > 1e-4*math.Max(1, slope) {
				t.Fatalf("S'(%v) = %v, finite differences say %v", u, slope, d)
			}
		}
	}
}

func TestSplineMeetsItsKnots(t *testing.T) {
	c := NewCurve(5)
	c.Set(shapes(5)[9])
	for k, x := range c.x {
		for _, u := range []float64{x - 1e-12, x, x + 1e-12} {
			if y, slope := c.spline(u); math.Abs(y-c.y[k]) > 1e-9 || math.Abs(slope-c.slope[k]) > 1e-6*c.slope[k] {
				t.Errorf("at knot %d: S = %v with slope %v, want %v and %v", k, y, slope, c.y[k], c.slope[k])
			}
		}
	}
	if c.x[0] != -edge || math.Abs(c.x[5]-edge) > 1e-12 || math.Abs(c.y[5]-edge) > 1e-12 {
		t.Errorf("knots run from %v to %v, heights to %v", c.x[0], c.x[5], c.y[5])
	}
}

func TestFlatOutputsAreTheIdentity(t *testing.T) {
	c := NewCurve(6)
	c.Set(make([]float64, Outputs(6)))
	for u := -7.0; u < 7; u += 0.1 {
		if y, slope := c.spline(u); math.Abs(y-u) > 1e-12 || math.Abs(slope-1) > 1e-12 {
			t.Fatalf("S(%v) = %v with slope %v", u, y, slope)
		}
	}
}

func TestMassByQuadrature(t *testing.T) {
	for i, out := range shapes(8) {
		c := NewCurve(8)
		c.Set(out)
		density := func(x float64) float64 { return math.Exp(c.logDensity(math.Exp(x)) + x) } // density of log τ
		mass, step := 0.0, 1.0/64
		for x := -30.0; x < 30; x += step {
			mass += quad.Fixed(density, x, x+step, 12, quad.Legendre{}, 0)
			if i == 5 {
				if want := c.distribution(math.Exp(x + step)); math.Abs(mass-want) > 1e-4 {
					t.Fatalf("distribution at %v is %v, quadrature says %v", math.Exp(x+0.125), want, mass)
				}
			}
		}
		if math.Abs(mass-1) > 2e-4 {
			t.Errorf("curve %d: mass %v", i, mass)
		}
	}
}

func TestSumsAreDerivatives(t *testing.T) {
	const bins = 6
	r := rand.New(rand.NewPCG(5, 6))
	rt := make([]float64, 60)
	for i := range rt {
		rt[i] = 0.2 + 0.002*math.Exp(0.12*float64(i)) + 0.0001*r.Float64()
	}
	for _, out := range shapes(bins) {
		c, g := NewCurve(bins), NewSums(bins)
		value := func(shift float64) float64 {
			c.Set(out)
			return c.Sum(rt, 0.2+shift)
		}
		c.Set(out)
		got, dTau := c.Add(g, rt, 0.2)
		direct := 0.0
		for _, x := range rt {
			direct += c.logDensity(x - 0.2)
		}
		if want := value(0); math.Abs(got-want) > 1e-9*math.Abs(want) || math.Abs(direct-want) > 1e-9*math.Abs(want) {
			t.Errorf("add gives %v, sum %v, single trials %v", got, want, direct)
		}
		const h = 1e-6
		if d := (value(-h/100) - value(h/100)) / (2 * h / 100); math.Abs(d-dTau) > 1e-4*math.Max(10, math.Abs(d)) {
			t.Errorf("derivative in τ is %v, finite differences say %v", dTau, d)
		}
		dst := make([]float64, len(out))
		c.Set(out)
		c.Back(g, dst)
		for i := range out {
			keep := out[i]
			out[i] = keep + h
			above := value(0)
			out[i] = keep - h
			below := value(0)
			out[i] = keep
			if d := (above - below) / (2 * h); math.Abs(d-dst[i]) > 1e-4*math.Max(1, math.Abs(d)) {
				t.Errorf("derivative in output %d is %v, finite differences say %v", i, dst[i], d)
			}
		}
	}
}
