package bound

import (
	"math"
	"slices"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// fullFormula is the file of a formula that approximates the density of full_ddm.
const fullFormula = "../../../testdata/densities/full_ddm_formula.lik"

// full_ddm_formula is close to the exact density: their divergence, by the trapezoidal rule in the logarithm of time, stays below what 1,000
// trials of a subject can show. Both densities have mass one.
func TestFullFormulaIsCloseToTheExactDensity(t *testing.T) {
	m, formula := timed(t, fullFormula)
	_, exact := timed(t, "full_ddm")
	for _, theta := range Spread(m, 6) {
		nats, mass, exactMass := divergence(m, theta, formula, exact)
		t.Logf("at %.3g: divergence %.6f", theta, nats)
		if !(math.Abs(nats) < 4e-4 && math.Abs(mass-1) < 1e-4 && math.Abs(exactMass-1) < 1e-4) {
			t.Errorf("at %v: divergence %.6f, masses %.6f and %.6f", theta, nats, mass, exactMass)
		}
	}
}

// divergence returns the divergence of a formula from the density of its process at parameters theta, in nats a trial, and the masses of both between
// 1 ms and 40 s. It integrates by the trapezoidal rule in the logarithm of time.
func divergence(m *catalog.Model, theta []float64, formula, density *Timed) (nats, mass, densityMass float64) {
	u := make([]float64, 160)
	for i := range u {
		u[i] = 1e-3 * math.Exp(float64(i)/float64(len(u)-1)*math.Log(4e4))
	}
	step := math.Log(u[1] / u[0])
	f, p := make([]float64, len(u)), make([]float64, len(u))
	for _, c := range m.Codes() {
		formula.at(theta, c, u, f)
		density.at(theta, c, u, p)
		for i := range u {
			if share := math.Exp(p[i]) * u[i] * step; share > 1e-12 {
				nats += share * (p[i] - f[i])
				densityMass += share
			}
			mass += math.Exp(f[i]) * u[i] * step
		}
	}
	return nats, mass, densityMass
}

// The gradient agrees with central differences of the log-likelihood, also at widths of 0, where starts or onsets do not vary. There
// differences are possible because the formula has values at negative widths too.
func TestFullFormulaHasTheGradientOfItsValue(t *testing.T) {
	m, err := catalog.Open(fullFormula)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	lik, err := b.Bind(kernel.Trials{Columns: [][]float64{{0.25, 0.31, 0.47, 0.62, 0.8, 1.5, 4}}, Choice: []float64{1, 1, -1, 1, 1, -1, 1}}, Design{})
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range [][]float64{{1, 1.2, 0.45, 0.3, 0.8, 0.2, 0.15}, {-2, 0.6, 0.6, 0.25, 2, 0.5, 0.05}, {0.3, 2, 0.5, 0.2, 0.1, 0, 0}} {
		grad := make([]float64, len(theta))
		lik.LogLikGrad(theta, grad)
		for j := range theta {
			const h = 1e-5
			beside := func(by float64) float64 {
				at := slices.Clone(theta)
				at[j] += by
				return lik.LogLik(at)
			}
			slope := (beside(h) - beside(-h)) / (2 * h)
			if d := math.Abs(slope - grad[j]); !(d < 1e-5*(1+math.Abs(slope))) {
				t.Errorf("at %v: the slope along %s is %v, by differences %v", theta, m.ParamNames()[j], grad[j], slope)
			}
		}
	}
}

// Simulated trials of the process have the formula's distribution, up to chance.
func TestFullFormulaHasTheDistributionOfTheProcess(t *testing.T) {
	m, over := timed(t, fullFormula)
	const n = 10_000
	for k, theta := range Spread(m, 2) {
		rt, choice := simulatedTrials(t, m, theta, n, 1, uint64(k))
		if d := distanceFromDensity(over, theta, rt, choice); !(d < rarely/math.Sqrt(n)) {
			t.Errorf("at %v the distance is %.4f", theta, d)
		}
	}
}
