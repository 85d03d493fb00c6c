package hierarchy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/formula"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/statistic"
)

// Null compares two models: one in which a contrast may have any value, and one in which it has a given value, the point null. It
// compares the prior and the posterior density at that value [dickey1971]. Both are densities of a linear combination of
// coefficients, described by Tested. That combination has a certain value exactly if the contrast has its null value. So the ratio
// does not depend on the link.
//
// The model with the null has the prior of all coefficients, conditional on the null. If the combination is one coefficient, the
// other coefficients keep their priors. If it has several coefficients, such as the cells of two conditions, these share the
// prior that they have where they are equal. For two cells of normal(m, s), that is normal(m, s/√2).
//
//	[dickey1971] Dickey (1971). The weighted likelihood ratio, linear hypotheses on normal location parameters. Annals of
//	             Mathematical Statistics 42, 204-223.
type Null struct {
	Value            float64  // the null value of the contrast
	Prior, Posterior float64  // densities of the tested combination
	Guess            bool     // whether too few draws are near the value: Posterior is then an upper bound of the density, and Ratio a lower bound
	Error            float64  // relative Monte Carlo error of Posterior; NaN if unknown
	Tested           string   // the null as a statement about coefficients: v_cond[b] = 0
	Of               []string // the coefficients in Tested
	Equal            bool     // whether the null says that two conditions, or two coefficients, are equal
	Widened          string   // the coefficient whose prior was widened most; see [DesignRecord.Widened]. "" for none
	Times            float64  // width of the widened prior, as a multiple of the width with centred columns
}

// Ratio returns the Savage-Dickey ratio: the Bayes factor of the model without the null against the model with it. It says how much
// better the model without the null predicts the data.
func (n Null) Ratio() float64 { return n.Prior / n.Posterior }

// largeError is the relative Monte Carlo error above which the error is printed with the odds.
const largeError = 0.2

// largestOdds are the largest odds that are written as a number.
const largestOdds = 10_000

// A posterior density is a bound if fewer than fewBeyond draws support it. Prior densities of combinations that are not normal are
// means over priorDraws draws.
const (
	fewBeyond  = 20
	priorDraws = 100_000
)

// Null computes the prior and posterior densities of a contrast at a value. d holds the draws; priors has the prior and range of
// each coefficient, spread and parameter. It returns an error for a contrast that is no statement about a sum of coefficients,
// and for priors without a finite density at the value. It also returns one for correlations and for offsets of single levels,
// which have no prior of their own.
func (r *Record) Null(c *formula.Contrast, value float64, d *chains.Draws, priors map[string]posterior.Parameter) (Null, error) {
	if _, err := r.Contrast(c, d); err != nil { // its error says which name or setting is wrong
		return Null{}, err
	}
	at, err := r.pointNull(c, value)
	if err != nil {
		return Null{}, err
	}
	own, err := priorsOf(at.linearForm, c, priors)
	if err != nil {
		return Null{}, err
	}
	n := Null{Value: value, Tested: at.String(), Of: at.names, Equal: at.equal}
	n.Widened, n.Times = r.widest(at.names)
	switch n.Prior, err = at.priorDensity(own); {
	case err != nil:
		return Null{}, err
	case n.Prior == 0:
		return Null{}, fmt.Errorf("the prior has no density at %v", value)
	case math.IsInf(n.Prior, 1) || math.IsNaN(n.Prior):
		return Null{}, fmt.Errorf("the prior density at %v is infinite: no Bayes factor comes from it", value)
	}
	drawn, err := at.draws(d)
	if err != nil {
		return Null{}, err
	}
	conditional, err := at.meansDensity(r, d, priors)
	if err != nil {
		return Null{}, err
	}
	low, high := at.support(own)
	n.Posterior, n.Error, n.Guess = densityAt(drawn, conditional, at.value, low, high)
	return n, nil
}

// densityAt returns the posterior density at a value, with its relative Monte Carlo error. The density is the mean of conditional
// densities, one for each draw, or a kernel density if conditional is nil. If almost no draw is near the value, it is an upper
// bound, and guess is true.
func densityAt(drawn, conditional [][]float64, value, low, high float64) (density, relativeError float64, guess bool) {
	x := slices.Concat(drawn...)
	if conditional != nil {
		density = chains.Mean(conditional)
		relativeError = chains.MCSEMean(conditional) / density
		if effectiveNumber(conditional) >= fewBeyond {
			return density, relativeError, false
		}
		if math.IsNaN(relativeError) {
			relativeError = 0
		}
		return max(density*(1+2*relativeError), tailBound(drawn, value)), math.NaN(), true
	}
	if !surrounded(x, value, value == low || value == high) {
		return tailBound(drawn, value), math.NaN(), true
	}
	density, parts := statistic.KernelParts(x, value, low, high)
	if parts == nil { // draws are all equal, or none is near the value
		return tailBound(drawn, value), math.NaN(), true
	}
	byChain := make([][]float64, len(drawn))
	for c := range drawn {
		byChain[c], parts = parts[:len(drawn[c])], parts[len(drawn[c]):]
	}
	return density, chains.MCSEMean(byChain), false
}

// effectiveNumber returns how many equal numbers would have a mean as precise as the mean of x, (Σx)²/Σx²; 0 if all are 0.
func effectiveNumber(x [][]float64) float64 {
	sum, squares := 0.0, 0.0
	for _, chain := range x {
		for _, v := range chain {
			sum, squares = sum+v, squares+v*v
		}
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// surrounded reports whether at least fewBeyond draws lie on either side of a value. At an end of the range, which no draw can
// exceed, it reports whether at least fewBeyond draws lie within a twentieth of their standard deviation from it.
func surrounded(x []float64, value float64, edge bool) bool {
	sd := chains.SD([][]float64{x})
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
	if edge {
		return near >= fewBeyond
	}
	return min(below, above) >= fewBeyond
}

// tailBound returns an upper bound of the density at a value that few draws exceed. The bound uses the fewBeyond outermost draws
// on that side of the median. Their number and their mean distance determine an exponential tail, and the density is assumed to
// fall at least as fast from there to the value. Both numbers are increased by two standard errors, for the effective number of
// these draws.
func tailBound(drawn [][]float64, value float64) float64 {
	x := slices.Concat(drawn...)
	if len(x) <= fewBeyond {
		return math.Inf(1)
	}
	independent := float64(fewBeyond)
	if share := chains.TailESS(drawn) / float64(len(x)); share < 1 {
		independent *= share
	}
	beyond := make([]float64, len(x)) // how far each draw lies beyond the starting point
	sign := math.Copysign(1, value-statistic.Median(x))
	for i, v := range x {
		beyond[i] = sign * v
	}
	slices.SortFunc(beyond, func(a, b float64) int { return cmp.Compare(b, a) })
	from, mean := beyond[fewBeyond], 0.0
	for _, v := range beyond[:fewBeyond] {
		mean += (v - from) / fewBeyond
	}
	if mean == 0 { // the draws are equal
		return math.Inf(1)
	}
	slack := 1 + 2/math.Sqrt(independent)
	return slack * fewBeyond / float64(len(x)) / mean * math.Exp(-max(0, sign*value-from)/(slack*mean))
}

// draws returns the draws of the linear combination, with a slice for each chain.
func (f linearForm) draws(d *chains.Draws) ([][]float64, error) {
	of, err := f.evaluator(d)
	if err != nil {
		return nil, err
	}
	all := make([][]float64, len(d.Chains))
	for c := range all {
		for k := range d.Len() {
			all[c] = append(all[c], of(c, k))
		}
	}
	return all, nil
}

// support returns the bounds of the combination's values, given the priors of its coefficients.
func (f linearForm) support(own []posterior.Parameter) (low, high float64) {
	low, high = f.constant, f.constant
	for i, w := range f.weights {
		from, to := own[i].Support()
		if w < 0 {
			from, to = to, from
		}
		low, high = low+w*from, high+w*to
	}
	return low, high
}

// priorsOf returns the prior of each coefficient in a form. c is the contrast from which the form comes.
func priorsOf(f linearForm, c *formula.Contrast, priors map[string]posterior.Parameter) (all []posterior.Parameter, err error) {
	for _, name := range f.names {
		p, known := priors[name]
		low, high := p.Support()
		switch {
		case !known:
			err = errors.New("has no prior of its own: no density of it is known before the data")
		case p.Prior.IsFlat() && math.IsInf(high-low, 1):
			err = errors.New("has a prior that is flat over all numbers: it has no density to compare with")
		}
		if err != nil {
			for _, at := range c.Conditions() {
				if at.Name == name {
					return nil, at.Errorf(at.Pos, "%s %v", name, err)
				}
			}
			return nil, fmt.Errorf("%s %w", name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// priorDensity returns the prior density of the combination at the null's value. It is exact for one coefficient and for normal
// priors. Otherwise it is computed by [nullPoint.drawnDensity].
func (p nullPoint) priorDensity(own []posterior.Parameter) (float64, error) {
	rest := p.value - p.constant
	if len(own) == 1 {
		return own[0].Density(rest/p.weights[0]) / math.Abs(p.weights[0]), nil
	}
	mean, variance, normal := 0.0, 0.0, true
	for i := range own {
		m, sd, ok := own[i].Normal()
		mean, variance, normal = mean+p.weights[i]*m, variance+p.weights[i]*sd*p.weights[i]*sd, normal && ok
	}
	if normal {
		return normalDensity(rest, mean, math.Sqrt(variance)), nil
	}
	return p.drawnDensity(own)
}

// drawnDensity returns the prior density as a mean over draws of all coefficients except one. Each draw contributes the density
// of that one where the combination has the null's value, so no kernel smooths the result. The coefficient that is not drawn is
// the one with the widest prior, because its density varies least.
func (p nullPoint) drawnDensity(own []posterior.Parameter) (float64, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	drawn, widest, width := make([][]float64, len(own)), 0, 0.0
	for i := range own {
		low, high := own[i].Support()
		if math.IsInf(own[i].Density(low), 1) || math.IsInf(own[i].Density(high), 1) {
			return 0, fmt.Errorf("the prior of %s has an infinite density at an end of its range: a sum with it may have one too", own[i].Name)
		}
		s, err := own[i].Sampler()
		if err != nil {
			return 0, fmt.Errorf("no density is known before the data: %w", err)
		}
		for range priorDraws {
			drawn[i] = append(drawn[i], p.weights[i]*s.Draw(rng))
		}
		sorted := slices.Sorted(slices.Values(drawn[i]))
		if w := statistic.Quantile(sorted, 0.75) - statistic.Quantile(sorted, 0.25); w > width {
			widest, width = i, w
		}
	}
	density := 0.0
	for k := range priorDraws {
		rest := p.value - p.constant
		for i := range own {
			if i != widest {
				rest -= drawn[i][k]
			}
		}
		density += own[widest].Density(rest/p.weights[widest]) / math.Abs(p.weights[widest]) / priorDraws
	}
	return density, nil
}

// widest returns the coefficient whose prior was widened most, and the factor; "" for none.
func (r *Record) widest(names []string) (widest string, most float64) {
	for i := range r.Params {
		for _, d := range r.Params[i].designs() {
			for _, name := range names {
				if times := float64(d.Widened[name]); times > most {
					widest, most = name, times
				}
			}
		}
	}
	return widest, most
}

func normalDensity(x, mean, sd float64) float64 {
	z := (x - mean) / sd
	return math.Exp(-z*z/2) / (sd * math.Sqrt(2*math.Pi))
}
