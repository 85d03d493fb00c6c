package ssm

import (
	"math"
	"os"
	"testing"
)

// exitMean returns the mean time at which symmetric stable noise that starts at x, without drift, leaves (-a, a) [getoor1961].
//
//	[getoor1961] Getoor (1961). First passage times for symmetric stable processes in space. Transactions of the AMS 101, 75-90.
func exitMean(a, x, alpha float64) float64 {
	return math.Pow(a*a-x*x, alpha/2) / math.Gamma(1+alpha)
}

// exitAbove returns the probability that the process of exitMean leaves above a [blumenthal1961]. It integrates by the midpoint rule in the
// angle asin(y), in which the integrand is smooth.
//
//	[blumenthal1961] Blumenthal, Getoor, Ray (1961). On the distribution of first hits for the symmetric stable processes. Transactions of the
//	                 AMS 99, 540-554.
func exitAbove(a, x, alpha float64) float64 {
	const n = 20_000
	part := func(to float64) (sum float64) { // integral of (1 - y²)^(alpha/2 - 1), with y = sin(u), from -π/2 to asin(to)
		from, end := -math.Pi/2, math.Asin(to)
		for i := range n {
			u := from + (end-from)*(float64(i)+0.5)/n
			sum += math.Pow(math.Cos(u), alpha-1) * (end - from) / n
		}
		return sum
	}
	return part(x/a) / part(1)
}

// flightErrors returns the errors of the share of upper responses and of the mean decision time of simulated trials without drift: first in
// standard errors, then as differences, of which that of the mean is relative to the true mean.
func flightErrors(t *testing.T, seed uint64, theta []float64, scheme Scheme, n int) (z [2]float64, off [2]float64) {
	t.Helper()
	rt, choice := simulate(t, "levy", seed, theta, scheme, n)
	a, x, alpha := theta[1], theta[1]*(2*theta[2]-1), theta[3]
	var upper, mean, squares float64
	for i, at := range rt {
		tau := at - theta[4]
		mean += tau / float64(n)
		squares += tau * tau / float64(n)
		if choice[i] > 0 {
			upper += 1 / float64(n)
		}
	}
	p, m := exitAbove(a, x, alpha), exitMean(a, x, alpha)
	off = [2]float64{upper - p, mean/m - 1}
	z = [2]float64{off[0] / math.Sqrt(p*(1-p)/float64(n)), (mean - m) / math.Sqrt((squares-mean*mean)/float64(n))}
	return z, off
}

var flights = [][]float64{{0, 1, 0.5, 1, 0.3}, {0, 1, 0.3, 1.3, 0.3}, {0, 2, 0.7, 1.6, 0.3}, {0, 0.3, 0.2, 1.8, 0.3}, {0, 2, 0.4, 1.95, 0.3}, {0, 1, 0.3, 2, 0.3}}

// TestFlightsLeaveAsTheyShould compares simulated trials without drift with the probability of a response and the mean decision time, for
// which there are formulas.
func TestFlightsLeaveAsTheyShould(t *testing.T) {
	for i, theta := range flights {
		if z, off := flightErrors(t, uint64(i), theta, BridgeScheme(), 20_000); !(math.Abs(z[0]) < 4.5 && math.Abs(z[1]) < 4.5) {
			t.Errorf("theta %v: %.1f and %.1f standard errors off: %.4f, %.4f", theta, z[0], z[1], off[0], off[1])
		}
	}
}

// TestFlightOfGaussianNoise checks that the process with alpha = 2 is the ddm in other units.
func TestFlightOfGaussianNoise(t *testing.T) {
	for i, theta := range [][]float64{{1, 1.2, 0.4, 2, 0.3}, {-2, 0.5, 0.6, 2, 0.3}} {
		rt, choice := simulate(t, "levy", uint64(i), theta, BridgeScheme(), 20_000)
		if d := kolmogorov(rt, choice, []float64{theta[0] / math.Sqrt2, theta[1] / math.Sqrt2, theta[2], theta[4]}); !(d < 2.3) {
			t.Errorf("theta %v: statistic %v", theta, d)
		}
	}
}

// TestFlightSchemesAgree checks that, with a drift, the scheme with large jumps and that of ssm-simulators, with steps of 1 ms, give nearly
// the same shares and means.
func TestFlightSchemesAgree(t *testing.T) {
	for i, theta := range [][]float64{{1, 1.5, 0.45, 1.3, 0.3}, {-2, 1, 0.5, 1.7, 0.3}} {
		var share, mean [2]float64
		const n = 5000
		for k, scheme := range []Scheme{BridgeScheme(), EulerScheme()} {
			rt, choice := simulate(t, "levy", uint64(i), theta, scheme, n)
			for j := range rt {
				mean[k] += rt[j] / n
				share[k] += choice[j] / (2 * n)
			}
		}
		if !(math.Abs(share[0]-share[1]) < 0.04 && math.Abs(mean[0]-mean[1]) < 0.05*mean[0]) { // four standard errors, and the bias of Euler's scheme, whose decisions are late
			t.Errorf("theta %v: shares %v, mean times %v", theta, share, mean)
		}
	}
}

// TestFlightError prints the errors that docs/evidence/simulators.md reports.
func TestFlightError(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("set LIKC_LONG=1")
	}
	for i, theta := range flights {
		coarse := BridgeScheme()
		coarse.Step *= 8
		for name, scheme := range map[string]Scheme{"bridge": BridgeScheme(), "bridge of 80 ms": coarse, "euler": EulerScheme()} {
			n := 200_000
			if name == "euler" {
				n = 20_000
			}
			z, off := flightErrors(t, uint64(i), theta, scheme, n)
			t.Logf("%v %s: share %+.4f (%+.1f se), mean time %+.2f %% (%+.1f se)", theta, name, off[0], z[0], 100*off[1], z[1])
			if name == "bridge" && !(math.Abs(off[0]) < 0.005 && math.Abs(off[1]) < 0.01) {
				t.Errorf("%v: off by %v", theta, off)
			}
		}
	}
}
