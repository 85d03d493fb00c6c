package loo

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"likc/runtime/num/chains"
	"likc/runtime/num/vec"
)

// estimator estimates blocks of trials, one trial after another. Only newEstimator allocates memory. It must be used by one
// goroutine at a time.
type estimator struct {
	block   [][]float64 // log densities: [trial][draw]
	density []float64   // log density of the current trial
	weight  []float64   // log importance weights, the largest of which is 0; later smoothed
	scratch []float64   // working memory: one number for each draw
	chains  [][]float64 // parts of scratch, one for each chain
	size    *chains.MeanSize
	tail    *tail
	normal  []float64 // expected order statistics of normal variables
}

func newEstimator(draws, chainCount, block int) *estimator {
	length := draws / chainCount
	e := &estimator{block: make([][]float64, block), weight: make([]float64, draws), scratch: make([]float64, draws),
		size: chains.NewMeanSize(chainCount, length), tail: newTail(draws), normal: normalScores()}
	for i := range e.block {
		e.block[i] = make([]float64, draws)
	}
	for c := range chainCount {
		e.chains = append(e.chains, e.scratch[c*length:(c+1)*length])
	}
	return e
}

// estimate estimates a block of trials.
func (e *estimator) estimate(trials []Trial, p Pointwise, theta [][]float64, first int) *densityError {
	p.LogDensity(e.block[:len(trials)], theta, first)
	for i := range trials {
		e.density = e.block[i]
		for s, x := range e.density {
			if math.IsNaN(x) || math.IsInf(x, 1) {
				return &densityError{first + i, s, x}
			}
		}
		e.estimateTrial(&trials[i])
	}
	return nil
}

// estimateTrial estimates the current trial.
func (e *estimator) estimateTrial(t *Trial) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range e.density {
		low, high = min(low, x), max(high, x)
	}
	mean := e.predictive(high)
	if math.IsInf(low, -1) {
		t.setExcluded(mean)
		return
	}
	e.waic(t, mean)
	t.REff = e.relativeSize()
	t.K = e.smooth(low, high, t.REff)
	e.leaveOut(t)
	t.P = mean - t.ELPD
}

// setExcluded sets the figures of a trial that is impossible at some draw of the posterior. That draw then has all the weight.
// mean is the log density predicted from all trials.
func (t *Trial) setExcluded(mean float64) {
	inf := math.Inf(1)
	*t = Trial{ELPD: -inf, P: inf, K: inf, ESS: 1, REff: 1, MCSE: inf, WAIC: -inf, PWAIC: inf}
	if math.IsInf(mean, -1) {
		t.P = 0
	}
}

// predictive returns the log of the mean density. high is the largest log density. It leaves the densities, divided by the largest
// one, in scratch.
func (e *estimator) predictive(high float64) float64 {
	if math.IsInf(high, -1) {
		return high
	}
	vec.AddScalar(e.scratch, e.density, -high)
	vec.Exp(e.scratch, e.scratch)
	return high + math.Log(vec.Sum(e.scratch)/float64(len(e.scratch)))
}

// waic sets WAIC, from the mean and the variance of the log density. [vehtari2017].
func (e *estimator) waic(t *Trial, mean float64) {
	n := float64(len(e.density))
	centre, squares := vec.Sum(e.density)/n, 0.0
	for _, x := range e.density {
		squares += (x - centre) * (x - centre)
	}
	t.PWAIC = squares / (n - 1)
	t.WAIC = mean - t.PWAIC
}

// relativeSize returns the effective sample size of the densities in scratch, divided by the number of draws; 1 if it is undefined,
// for example for few or equal draws.
func (e *estimator) relativeSize() float64 {
	size := e.size.Quick(e.chains) / float64(len(e.scratch))
	if math.IsNaN(size) {
		return 1
	}
	return size
}

// smooth sets the log importance weights of log densities between low and high, smooths the largest ones, and returns their
// Pareto shape. No smoothed weight exceeds the largest one before smoothing. [vehtari2024].
func (e *estimator) smooth(low, high, relative float64) (shape float64) {
	vec.MulScalar(e.weight, e.density, -1)
	vec.AddScalar(e.weight, e.weight, low)
	if high-low < flat {
		return 0
	}
	return e.tail.smooth(e.weight, tailLength(len(e.weight), relative))
}

// leaveOut sets ELPD, its Monte Carlo standard error and the effective sample size, from the log weights.
func (e *estimator) leaveOut(t *Trial) {
	total := e.logSum(e.weight)
	vec.AddScalar(e.weight, e.weight, -total)
	vec.Exp(e.scratch, e.weight)
	squares := 0.0
	for _, w := range e.scratch {
		squares += w * w
	}
	t.ESS = t.REff / squares
	vec.Add(e.weight, e.weight, e.density)
	t.ELPD = e.logSum(e.weight)
	t.MCSE = e.standardError(t.ELPD, t.REff)
}

// logSum returns log Σ exp(x). It overwrites scratch.
func (e *estimator) logSum(x []float64) float64 {
	high := x[0]
	for _, v := range x {
		high = max(high, v)
	}
	vec.AddScalar(e.scratch, x, -high)
	vec.Exp(e.scratch, e.scratch)
	return high + math.Log(vec.Sum(e.scratch))
}

// standardError returns the Monte Carlo standard error of ELPD. The weighted mean of the densities is assumed to be normal; the
// variance of its logarithm is computed from expected order statistics. weight holds the logs of weight × density. [vehtari2024],
// [blom1958].
func (e *estimator) standardError(elpd, relative float64) float64 {
	vec.AddScalar(e.scratch, e.weight, -elpd)
	vec.Exp(e.scratch, e.scratch) // weight × density / mean density
	variance := 0.0
	for s, w := range e.scratch {
		d := w * -math.Expm1(elpd-e.density[s]) // weight × (density - mean) / mean
		variance += d * d
	}
	sd := math.Sqrt(variance)
	n, mean, squares := 0.0, 0.0, 0.0
	for _, z := range e.normal {
		if z = 1 + sd*z; z > 0 {
			x := math.Log(z)
			n++
			d := x - mean
			mean += d / n
			squares += d * (x - mean)
		}
	}
	return math.Sqrt(squares / (n - 1) / relative)
}

// normalScores returns the expected order statistics of a thousand normal variables. [blom1958].
func normalScores() []float64 {
	z := make([]float64, 1000)
	for i := range z {
		z[i] = mathext.NormalQuantile((float64(i+1) - 0.375) / (float64(len(z)) + 0.25))
	}
	return z
}
