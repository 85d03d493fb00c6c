package ssm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// integrate sums the density of choice over decision times by the trapezoidal
// rule in log τ, where the integrand falls off double-exponentially at both
// ends, so that the rule converges exponentially.
func integrate(choice float64, theta []float64) float64 {
	const h = 0.025
	g := passageAt(choice, theta)
	at := func(x float64) float64 {
		tau := math.Exp(x)
		return math.Exp(g.logDensity(tau).value + x)
	}
	centre := math.Log(g.width * g.width)
	total := 0.0
	for k := -600; k <= 400; k++ {
		total += h * at(centre+h*float64(k))
	}
	return total
}

func TestDensityIntegratesToOne(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	worst, worstChoice := 0.0, 0.0
	for range 1000 {
		theta := inside(r)
		upper, lower := integrate(1, theta), integrate(-1, theta)
		worst = math.Max(worst, math.Abs(upper+lower-1))
		worstChoice = math.Max(worstChoice, math.Abs(upper-cdf(math.Inf(1), 1, theta)))
	}
	t.Logf("largest error of the integral %.2g, of the choice probability %.2g", worst, worstChoice)
	if !(worst <= 1e-9 && worstChoice <= 1e-9) {
		t.Errorf("density integrates to 1 within %v, to the choice probability within %v", worst, worstChoice)
	}
}

// TestCDFDifferentiatesToDensity compares central differences of the CDF with
// the density, over both of its series.
func TestCDFDifferentiatesToDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for range 500 {
		theta := inside(r)
		choice := float64(2*r.IntN(2) - 1)
		tau := 4 * theta[1] * theta[1] * math.Pow(10, -1.5+2*r.Float64())
		rt := theta[3] + tau
		h := 1e-3 * tau
		at := func(k float64) float64 { return cdf(rt+k*h, choice, theta) }
		want := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
		got := math.Exp(logDensity(rt, choice, theta))
		if !(math.Abs(got-want) <= 1e-8*(got+1/tau)) {
			t.Errorf("theta %v rt %v choice %v: density %v, difference %v", theta, rt, choice, got, want)
		}
	}
}

func TestCDFSwitchIsSeamless(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	for range 500 {
		theta := inside(r)
		g := passageAt(1, theta)
		tau := cdfSwitchTime * g.width * g.width
		images, waves := g.cdfImages(tau), g.probability()-g.tailWaves(tau)
		if !(math.Abs(images-waves) <= 1e-13) {
			t.Errorf("theta %v: %v by images, %v by waves", theta, images, waves)
		}
	}
}

func TestCDFLimits(t *testing.T) {
	theta := []float64{1.2, 0.9, 0.3, 0.25}
	if got := cdf(0.25, 1, theta); got != 0 {
		t.Errorf("at rt = t: %v", got)
	}
	if got, want := cdf(1e6, 1, theta), cdf(math.Inf(1), 1, theta); !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("late: %v, want %v", got, want)
	}
	if got := cdf(math.Inf(1), 1, []float64{0, 1, 0.3, 0}); !(math.Abs(got-0.3) <= 1e-15) {
		t.Errorf("without drift: %v, want z = 0.3", got)
	}
	if got := cdf(1, 1, []float64{0, -1, 0.3, 0}); !math.IsNaN(got) {
		t.Errorf("outside the domain: %v", got)
	}
}
