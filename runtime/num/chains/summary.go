package chains

import (
	"context"
	"fmt"
	"math"

	"likc/runtime/num/statistic"
)

// MCSEMean returns the Monte Carlo standard error of the mean. [vehtari2021], eq. 3.
func MCSEMean(x [][]float64) float64 { return SD(x) / math.Sqrt(MeanESS(x)) }

// MCSESD returns the Monte Carlo standard error of the standard deviation, by the delta method on the squared deviations.
func MCSESD(x [][]float64) float64 {
	squared := squaredDeviations(x)
	variance := Mean(squared)
	fourth := Mean(each(squared, func(v float64) float64 { return v * v }))
	return math.Sqrt((fourth - variance*variance) / SDESS(x) / variance / 4)
}

// EBFMI returns the energy Bayesian fraction of missing information of one chain's energies: below 0.3, the sampler explores the
// energies too slowly. It is NaN if the energies do not vary. [betancourt2016].
func EBFMI(energy []float64) float64 {
	if undefined([][]float64{energy}) {
		return math.NaN()
	}
	steps := 0.0
	for k := 1; k < len(energy); k++ {
		d := energy[k] - energy[k-1]
		steps += d * d
	}
	_, variance := meanAndVariance(energy)
	return steps / float64(len(energy)) / variance
}

// Summary holds figures of the draws of one parameter, with Monte Carlo standard errors. Undefined figures are NaN.
type Summary struct {
	Name             string
	Mean, SD         float64
	Q5, Q50, Q95     float64
	Rhat             float64 // rank-normalised, split, folded
	ESSBulk, ESSTail float64
	MCSEMean, MCSESD float64
	Chains, PerChain int    // number of chains, and of draws in each
	Undefined        string // the reason, in words, why R-hat or an effective sample size is NaN; "" if they are defined
}

// Summarise computes one Summary for each parameter, in the order of Names.
func (d *Draws) Summarise() []Summary { return d.SummariseContext(context.Background()) }

// SummariseContext does what Summarise does, until the context ends: figures that were not computed by then are NaN. Means and standard
// deviations are always computed. Quantiles and R-hat of all parameters are computed before the figures that take longer.
func (d *Draws) SummariseContext(ctx context.Context) []Summary {
	all := make([]Summary, len(d.Names))
	for j, name := range d.Names {
		all[j] = begin(name, d.Param(j))
	}
	for _, figure := range ofOneParameter {
		for j := range all {
			if ctx.Err() != nil {
				return all
			}
			figure(&all[j], d.Param(j))
		}
	}
	for j := range all {
		all[j].Undefined = all[j].whyUndefined(d.Param(j))
	}
	return all
}

// begin returns a summary with the mean and standard deviation; its other figures are NaN.
func begin(name string, x [][]float64) Summary {
	none := math.NaN()
	s := Summary{Name: name, Mean: Mean(x), SD: SD(x), Q5: none, Q50: none, Q95: none, Rhat: none, ESSBulk: none, ESSTail: none,
		MCSEMean: none, MCSESD: none, Chains: len(x), Undefined: "interrupted"}
	if len(x) > 0 {
		s.PerChain = len(x[0])
	}
	return s
}

// ofOneParameter holds functions that each compute a part of a parameter's summary, the fastest first.
var ofOneParameter = []func(s *Summary, x [][]float64){
	func(s *Summary, x [][]float64) {
		sorted := pooled(x)
		s.Q5, s.Q50, s.Q95 = statistic.Quantile(sorted, 0.05), statistic.Quantile(sorted, 0.5), statistic.Quantile(sorted, 0.95)
	},
	func(s *Summary, x [][]float64) { s.Rhat = Rhat(x) },
	func(s *Summary, x [][]float64) { s.ESSBulk = BulkESS(x) },
	func(s *Summary, x [][]float64) { s.ESSTail = TailESS(x) },
	func(s *Summary, x [][]float64) { s.MCSEMean = MCSEMean(x) },
	func(s *Summary, x [][]float64) { s.MCSESD = MCSESD(x) },
}

// fewestDraws is the smallest number of draws per chain for which an effective sample size is defined: chains are split into halves of at
// least three draws.
const fewestDraws = 6

// whyUndefined returns the reason, in words, why a figure is NaN; "" if R-hat and effective sample sizes are defined.
func (s *Summary) whyUndefined(x [][]float64) string {
	switch {
	case !math.IsNaN(s.Rhat) && !math.IsNaN(s.ESSBulk) && !math.IsNaN(s.ESSTail):
		return ""
	case math.IsNaN(s.SD) && s.Chains*s.PerChain > 1:
		return "draws that are not finite"
	case s.constant():
		return "constant"
	case s.PerChain < fewestDraws:
		return fmt.Sprintf("fewer than %d draws a chain", fewestDraws)
	case undefined(x):
		return "constant to rounding"
	}
	return "almost constant"
}
