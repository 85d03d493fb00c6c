package nuts

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"likc/runtime/num/chains"
	"likc/testdata/reference"
)

// posterior is a density of posteriordb, written by hand with its gradient.
type posterior struct {
	dim     int
	data    posteriorData
	density func(d *posteriorData, q, grad []float64) float64
	// derive computes, from a position, the quantities that posteriordb reports.
	derive func(d *posteriorData, q []float64) map[string]float64
}

func (p *posterior) Dim() int { return p.dim }

func (p *posterior) LogDensityGrad(q, grad []float64) (float64, error) {
	clear(grad)
	return p.density(&p.data, q, grad), nil
}

// posteriorData holds the columns of the six data sets, and the design matrix of the regressions.
type posteriorData struct {
	K, J, T, N               int
	Y, Sigma                 []float64
	Sigma1                   float64
	KidScore                 []float64 `json:"kid_score"`
	MomHS                    []float64 `json:"mom_hs"`
	MomIQ                    []float64 `json:"mom_iq"`
	Age                      []float64 `json:"age_discrete"`
	Educ                     []float64 `json:"educ1"`
	Gender, Income, Partyid7 []float64
	Race                     []float64 `json:"race_adj"`
	Ideo                     []float64 `json:"real_ideo"`
	design                   [][]float64
	response                 []float64
}

// figure holds the reference moments of a quantity, with their Monte Carlo errors.
type figure struct {
	Mean, SD float64
	MCSEMean float64 `json:"mcse_mean"`
	MCSESD   float64 `json:"mcse_sd"`
}

type posteriorFile struct {
	Data      posteriorData
	Reference map[string]figure
}

func loadPosterior(tb testing.TB, name string) (*posterior, map[string]figure) {
	var f posteriorFile
	if err := json.Unmarshal(reference.Read(tb, "posteriordb/"+name+".json"), &f); err != nil {
		tb.Fatal(err)
	}
	p := posteriors[name]
	p.data = f.Data
	if p.density == nil {
		tb.Fatalf("no density for %s", name)
	}
	if prepare := designs[name]; prepare != nil {
		prepare(&p.data)
	}
	return &p, f.Reference
}

var posteriors = map[string]posterior{
	"arK":                       {dim: 7, density: arK, derive: regressionNames("alpha", 5)},
	"eight_schools_noncentered": {dim: 10, density: eightSchools, derive: eightSchoolsDerived},
	"garch11":                   {dim: 4, density: garch, derive: garchDerived},
	"kidscore_interaction":      {dim: 5, density: kidscore, derive: regressionNames("", 4)},
	"low_dim_gauss_mix":         {dim: 5, density: mixture, derive: mixtureDerived},
	"nes1980":                   {dim: 10, density: nes, derive: regressionNames("", 9)},
}

// designs prepares the design matrix and the response of each regression.
var designs = map[string]func(*posteriorData){
	"arK": func(d *posteriorData) {
		for t := d.K; t < d.T; t++ {
			row := []float64{1}
			for k := 1; k <= d.K; k++ {
				row = append(row, d.Y[t-k])
			}
			d.design, d.response = append(d.design, row), append(d.response, d.Y[t])
		}
	},
	"kidscore_interaction": func(d *posteriorData) {
		for n, iq := range d.MomIQ {
			hs := d.MomHS[n]
			d.design, d.response = append(d.design, []float64{1, hs, iq, hs * iq}), append(d.response, d.KidScore[n])
		}
	},
	"nes1980": func(d *posteriorData) {
		is := func(a, b float64) float64 {
			if a == b {
				return 1
			}
			return 0
		}
		for n, age := range d.Age {
			d.design = append(d.design, []float64{1, d.Ideo[n], d.Race[n], is(age, 2), is(age, 3), is(age, 4), d.Educ[n], d.Gender[n], d.Income[n]})
			d.response = append(d.response, d.Partyid7[n])
		}
	},
}

// regression adds the normal likelihood of the design; the last coordinate is log σ, with its Jacobian.
func regression(d *posteriorData, q, grad []float64) float64 {
	k := len(q) - 1
	sigma := math.Exp(q[k])
	sum, n := 0.0, float64(len(d.response))
	for i, row := range d.design {
		z := d.response[i]
		for j, x := range row {
			z -= q[j] * x
		}
		z /= sigma
		sum += z * z
		for j, x := range row {
			grad[j] += z / sigma * x
		}
	}
	grad[k] += sum - n + 1
	return -sum/2 - n*q[k] + q[k]
}

// halfCauchy returns the half-Cauchy log density of σ = exp(u), without the Jacobian.
func halfCauchy(u, scale float64, grad *float64) float64 {
	r := math.Exp(2*u) / (scale * scale)
	*grad -= 2 * r / (1 + r)
	return -math.Log1p(r)
}

func normalPrior(q, grad []float64, sd float64) float64 {
	lp := 0.0
	for i, v := range q {
		lp -= v * v / (2 * sd * sd)
		grad[i] -= v / (sd * sd)
	}
	return lp
}

func arK(d *posteriorData, q, grad []float64) float64 {
	return regression(d, q, grad) + normalPrior(q[:6], grad[:6], 10) + halfCauchy(q[6], 2.5, &grad[6])
}

func kidscore(d *posteriorData, q, grad []float64) float64 {
	return regression(d, q, grad) + halfCauchy(q[4], 2.5, &grad[4])
}

func nes(d *posteriorData, q, grad []float64) float64 { return regression(d, q, grad) }

// regressionNames returns a function that names the coordinates of a regression: an intercept (if it has a name), slopes and
// sigma.
func regressionNames(intercept string, slopes int) func(*posteriorData, []float64) map[string]float64 {
	return func(_ *posteriorData, q []float64) map[string]float64 {
		m := map[string]float64{"sigma": math.Exp(q[len(q)-1])}
		if intercept != "" {
			m[intercept], q = q[0], q[1:]
		}
		for k := range slopes {
			m[fmt.Sprintf("beta[%d]", k+1)] = q[k]
		}
		return m
	}
}

func eightSchools(d *posteriorData, q, grad []float64) float64 {
	mu, tau := q[8], math.Exp(q[9])
	lp := normalPrior(q[:8], grad[:8], 1) + normalPrior(q[8:9], grad[8:9], 5) + halfCauchy(q[9], 5, &grad[9]) + q[9]
	grad[9]++
	for j, y := range d.Y {
		z := (y - mu - tau*q[j]) / d.Sigma[j]
		lp -= z * z / 2
		slope := z / d.Sigma[j]
		grad[j] += slope * tau
		grad[8] += slope
		grad[9] += slope * tau * q[j]
	}
	return lp
}

func eightSchoolsDerived(d *posteriorData, q []float64) map[string]float64 {
	m := map[string]float64{"mu": q[8], "tau": math.Exp(q[9])}
	for j := range d.Y {
		m[fmt.Sprintf("theta[%d]", j+1)] = q[8] + math.Exp(q[9])*q[j]
	}
	return m
}

func inverseLogit(u float64) float64 { return 1 / (1 + math.Exp(-u)) }

// garch is the density of a GARCH(1, 1) model. It computes derivatives of the variance along with the variance.
func garch(d *posteriorData, q, grad []float64) float64 {
	mu, alpha0, alpha1, share := q[0], math.Exp(q[1]), inverseLogit(q[2]), inverseLogit(q[3])
	beta := (1 - alpha1) * share
	v := d.Sigma1 * d.Sigma1
	var dv [4]float64 // derivatives of the variance in mu, alpha0, alpha1, beta
	var g [4]float64
	lp := 0.0
	for t, y := range d.Y {
		if t > 0 {
			r := d.Y[t-1] - mu
			dv = [4]float64{-2*alpha1*r + beta*dv[0], 1 + beta*dv[1], r*r + beta*dv[2], v + beta*dv[3]}
			v = alpha0 + alpha1*r*r + beta*v
		}
		r := y - mu
		lp -= math.Log(v)/2 + r*r/(2*v)
		slope := (r*r/v - 1) / (2 * v)
		for i := range g {
			g[i] += slope * dv[i]
		}
		g[0] += r / v
	}
	lp += q[1] + math.Log(alpha1) + 2*math.Log1p(-alpha1) + math.Log(share) + math.Log1p(-share)
	grad[0] = g[0]
	grad[1] = g[1]*alpha0 + 1
	grad[2] = (g[2]-g[3]*share)*alpha1*(1-alpha1) + (1 - alpha1) - 2*alpha1
	grad[3] = g[3]*(1-alpha1)*share*(1-share) + 1 - 2*share
	return lp
}

func garchDerived(_ *posteriorData, q []float64) map[string]float64 {
	alpha1 := inverseLogit(q[2])
	return map[string]float64{"mu": q[0], "alpha0": math.Exp(q[1]), "alpha1": alpha1, "beta1": (1 - alpha1) * inverseLogit(q[3])}
}

func mixture(d *posteriorData, q, grad []float64) float64 {
	gap, theta := math.Exp(q[1]), inverseLogit(q[4])
	mu, sigma := [2]float64{q[0], q[0] + gap}, [2]float64{math.Exp(q[2]), math.Exp(q[3])}
	logWeight := [2]float64{math.Log(theta), math.Log1p(-theta)}
	var dMu, dSigma, dWeight [2]float64
	lp := 0.0
	for _, y := range d.Y {
		var z, l [2]float64
		for k := range 2 {
			z[k] = (y - mu[k]) / sigma[k]
			l[k] = logWeight[k] - math.Log(sigma[k]) - z[k]*z[k]/2
		}
		top := math.Max(l[0], l[1])
		total := top + math.Log(math.Exp(l[0]-top)+math.Exp(l[1]-top))
		lp += total
		for k := range 2 {
			r := math.Exp(l[k] - total)
			dMu[k] += r * z[k] / sigma[k]
			dSigma[k] += r * (z[k]*z[k] - 1)
			dWeight[k] += r
		}
	}
	for k := range 2 {
		lp -= mu[k]*mu[k]/8 + sigma[k]*sigma[k]/8
		dMu[k] -= mu[k] / 4
		grad[2+k] = dSigma[k] - sigma[k]*sigma[k]/4 + 1
	}
	grad[0] = dMu[0] + dMu[1]
	grad[1] = dMu[1]*gap + 1
	grad[4] = dWeight[0]*(1-theta) - dWeight[1]*theta + 5*(1-theta) - 5*theta
	return lp + q[1] + q[2] + q[3] + 5*logWeight[0] + 5*logWeight[1]
}

func mixtureDerived(_ *posteriorData, q []float64) map[string]float64 {
	return map[string]float64{"mu[1]": q[0], "mu[2]": q[0] + math.Exp(q[1]), "sigma[1]": math.Exp(q[2]),
		"sigma[2]": math.Exp(q[3]), "theta": inverseLogit(q[4])}
}

// derived returns draws of the quantities that posteriordb reports, given draws of positions.
func (p *posterior) derived(d *chains.Draws) *chains.Draws {
	out := &chains.Draws{}
	for i := range d.Chains {
		c := &d.Chains[i]
		columns := map[string][]float64{}
		q := make([]float64, p.dim)
		for k := range c.Len() {
			for j := range q {
				q[j] = c.Params[j][k]
			}
			for name, v := range p.derive(&p.data, q) {
				columns[name] = append(columns[name], v)
			}
		}
		if out.Names == nil {
			for name := range columns {
				out.Names = append(out.Names, name)
			}
		}
		chain := chains.Chain{ID: c.ID}
		for _, name := range out.Names {
			chain.Params = append(chain.Params, columns[name])
		}
		out.Chains = append(out.Chains, chain)
	}
	return out
}
