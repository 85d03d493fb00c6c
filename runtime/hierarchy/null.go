package hierarchy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/formula"
	"likc/runtime/chains"
	"likc/runtime/posterior"
	"likc/runtime/statistic"
)

// Null compares the model in which a contrast may have any value with the one in which it has one value, its point null: prior
// and posterior density at that value [dickey1971].
//
//	[dickey1971] Dickey (1971). The weighted likelihood ratio, linear hypotheses on normal location parameters. Annals of
//	             Mathematical Statistics 42, 204-223.
type Null struct {
	Value            float64
	Prior, Posterior float64
	Guess            bool // few draws lie around the value: the posterior density there is a normal one's
}

// Ratio is the Savage-Dickey ratio: how much better the model without the null predicts the data than the one with it. It is the
// Bayes factor of the two if the prior of all else, where the null holds, is the conditional one.
func (n Null) Ratio() float64 { return n.Prior / n.Posterior }

// A posterior density is taken from kernels if at least fewBeyond draws lie on either side of the value. Priors of contrasts that
// are no single coefficient are known from priorDraws draws.
const (
	fewBeyond  = 20
	priorDraws = 100_000
)

// Null computes the densities of a contrast at a value. d are the draws; priors has each coefficient, spread and parameter with its
// prior and range. Correlations, and offsets of single levels, have no prior of their own: contrasts of them are refused.
func (r *Record) Null(c *formula.Contrast, value float64, d *chains.Draws, priors map[string]posterior.Parameter) (Null, error) {
	drawn, err := r.Contrast(c, d)
	if err != nil {
		return Null{}, err
	}
	own, err := r.priorsOf(c, priors)
	if err != nil {
		return Null{}, err
	}
	if len(own) == 0 {
		return Null{}, errors.New("it depends on nothing that is estimated")
	}
	n := Null{Value: value}
	low, high := math.Inf(-1), math.Inf(1)
	if c.Op == formula.OpColumn && len(own) == 1 && own[0].Name == c.At.Name {
		low, high = own[0].Support()
		if n.Prior = own[0].Density(value); math.IsInf(high-low, 1) && own[0].Prior.IsFlat() {
			return Null{}, c.At.Errorf(c.At.Pos, "the prior of %s is flat over all numbers: it has no density to compare with", c.At.Name)
		}
	} else if n.Prior, err = r.priorDensity(c, value, own); err != nil {
		return Null{}, err
	}
	if n.Prior == 0 {
		return Null{}, fmt.Errorf("the prior has no density at %v", value)
	}
	n.Posterior, n.Guess = densityAt(slices.Concat(drawn...), value, low, high)
	return n, nil
}

// densityAt is the density of draws at a value, and whether it is a guess. At an end of the range, where no draw can lie beyond, a
// value counts as surrounded if draws lie within a twentieth of their standard deviation from it.
func densityAt(x []float64, value, low, high float64) (density float64, guess bool) {
	mean, sd := chains.Mean([][]float64{x}), chains.SD([][]float64{x})
	below, above, near := 0, 0, 0
	for _, v := range x {
		switch {
		case math.Abs(v-value) < sd/20:
			near++
		case v < value:
			below++
		default:
			above++
		}
	}
	edge := value == low || value == high
	if !edge && min(below, above) >= fewBeyond || edge && near >= fewBeyond {
		return statistic.Kernel(x, value, low, high), false
	}
	z := (value - mean) / sd
	return math.Exp(-z*z/2) / (sd * math.Sqrt(2*math.Pi)), true
}

// priorsOf returns the coefficients on which a contrast depends, each with its prior.
func (r *Record) priorsOf(c *formula.Contrast, priors map[string]posterior.Parameter) (all []posterior.Parameter, err error) {
	for _, at := range c.Conditions() {
		for _, name := range r.coefficientsOf(at) {
			p, known := priors[name]
			switch {
			case !known:
				return nil, at.Errorf(at.Pos, "%s has no prior of its own: no density of it is known before the data", name)
			case !slices.ContainsFunc(all, func(q posterior.Parameter) bool { return q.Name == name }):
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// coefficientsOf are those that a parameter or coefficient in a contrast depends on; none for a fixed one.
func (r *Record) coefficientsOf(at *formula.Condition) []string {
	i := slices.IndexFunc(r.Params, func(p ParamRecord) bool { return p.Name == at.Name })
	switch {
	case i < 0, r.Params[i].Formula == nil && !r.Params[i].IsFixed:
		return []string{at.Name}
	case r.Params[i].Formula == nil:
		return nil
	}
	names := r.Params[i].Formula.Coefficients
	if outside := r.Params[i].Outside; outside != nil {
		names = slices.Concat(names, outside.Coefficients)
	}
	return names
}

// priorDensity is the prior density of a contrast at a value, from draws of its coefficients.
func (r *Record) priorDensity(c *formula.Contrast, value float64, own []posterior.Parameter) (float64, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &chains.Draws{Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(len(own), priorDraws)}}}
	for j := range own {
		s, err := own[j].Sampler()
		if err != nil {
			return 0, fmt.Errorf("no density is known before the data: %w", err)
		}
		d.Names = append(d.Names, own[j].Name)
		for range priorDraws {
			d.Chains[0].Params[j] = append(d.Chains[0].Params[j], s.Draw(rng))
		}
	}
	drawn, err := r.Contrast(c, d)
	if err != nil {
		return 0, err
	}
	return statistic.Kernel(drawn[0], value, math.Inf(-1), math.Inf(1)), nil
}
