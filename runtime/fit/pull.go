package fit

import (
	"fmt"
	"math"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// Pull states that the prior of a coefficient or spread has a large influence on its posterior.
type Pull struct {
	Name    string
	Prior   string  // text of the prior
	Mean    float64 // mean of the posterior
	Without float64 // approximate mean of the posterior if this prior were flat
	Moved   float64 // difference of these means in standard deviations of the posterior
	Away    float64 // distance of Without from the median of the prior, in half widths of the prior's central 68 % interval; for a normal prior these are standard deviations
}

// A prior pulls if it moved the mean by more than mostMoved, or if Without is further than mostAway from the prior's median.
const (
	mostMoved = 0.3
	mostAway  = 2.0
)

// String describes the pull in sentences, with advice.
func (p Pull) String() string {
	text := fmt.Sprintf("the prior of %s, %s, pulls: the posterior mean is %.4g, and about %.4g without this prior, %.2g posterior standard deviations away",
		p.Name, p.Prior, p.Mean, p.Without, p.Moved)
	if p.Moved <= mostMoved {
		text = fmt.Sprintf("the data put %s far from where its prior, %s, expects it: the posterior mean is %.4g, and about %.4g without this prior", p.Name, p.Prior, p.Mean, p.Without)
	}
	if p.Away > mostAway {
		text += fmt.Sprintf(". That is %.2g prior standard deviations from the prior's middle", p.Away)
	}
	return text + fmt.Sprintf(". Unless you mean it, give a wider one: --prior '%s=...'", p.Name)
}

// pulls returns the priors of coefficients and spreads that have a large influence. d holds the study's draws. Uniform priors are
// ignored, and so are offsets of single levels, because pulling those is the purpose of a hierarchy.
func pulls(study *hierarchy.Study, d *chains.Draws) (all []Pull) {
	priors := study.Priors()
	for _, p := range study.Record().Params {
		if p.Formula == nil {
			delete(priors, p.Name) // a parameter that is one number: the user chose its prior
		}
	}
	for _, name := range study.Population() {
		prior, has := priors[name]
		if !has || prior.IsUniform() {
			continue
		}
		if p, found := pullOn(name, prior, d.Param(d.Index(name))); found && (p.Moved > mostMoved || p.Away > mostAway) {
			all = append(all, p)
		}
	}
	return all
}

// pullOn compares the mean of the draws with the mean that the posterior would have without the prior. found is false if the
// draws do not determine it, because nearly all information comes from the prior.
func pullOn(name string, prior posterior.Prior, draws [][]float64) (p Pull, found bool) {
	mean, sd := chains.Mean(draws), chains.SD(draws)
	without, found := meanWithout(&prior, draws)
	if !found {
		without, found = meanByPrecision(&prior, mean, sd)
	}
	param := posterior.Parameter{Lower: math.Inf(-1), Upper: math.Inf(1), Prior: prior}
	const oneSD = 0.15865525393145707 // mass of a normal distribution below its mean minus one standard deviation
	width := (param.Quantile(1-oneSD) - param.Quantile(oneSD)) / 2
	return Pull{name, prior.String(), mean, without, math.Abs(mean-without) / sd, math.Abs(without-param.Quantile(0.5)) / width}, found
}

// leastWeights is the least effective sample size of importance weights, as a share of the draws.
const leastWeights = 0.2

// meanWithout returns the mean of the draws, weighted by one over the prior's density. found is false if a few draws would have most
// of the weight.
func meanWithout(prior *posterior.Prior, draws [][]float64) (mean float64, found bool) {
	least, n := math.Inf(1), 0
	for _, chain := range draws {
		for _, x := range chain {
			value, _ := prior.LogDensity(x)
			least = min(least, value)
			n++
		}
	}
	var sum, squares, all float64
	for _, chain := range draws {
		for _, x := range chain {
			value, _ := prior.LogDensity(x)
			w := math.Exp(least - value)
			all += w * x
			sum += w
			squares += w * w
		}
	}
	return all / sum, sum*sum > leastWeights*float64(n)*squares
}

// leastData is the share of the posterior's precision that must come from the data for [meanByPrecision].
const leastData = 0.1

// meanByPrecision returns the mean that a posterior would have without its prior, assuming that it is normal. It subtracts the
// prior's precision and slope at the mean from those of the posterior. found is false if less than leastData of the precision
// comes from the data.
func meanByPrecision(prior *posterior.Prior, mean, sd float64) (without float64, found bool) {
	h := sd / 100
	_, slope := prior.LogDensity(mean)
	_, before := prior.LogDensity(mean - h)
	_, after := prior.LogDensity(mean + h)
	precision := 1/(sd*sd) + (after-before)/(2*h)
	return mean - slope/precision, precision*sd*sd > leastData
}
