package chains

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"

	"likc/runtime/num/statistic"
)

// BulkESS returns the effective sample size of the rank-normalised draws. [vehtari2021], sec. 4.
func BulkESS(x [][]float64) float64 {
	if undefined(x) {
		return math.NaN()
	}
	return effectiveSize(normalScores(split(x)))
}

// TailESS returns the smaller effective sample size of the 5% and 95% quantiles.
func TailESS(x [][]float64) float64 { return min(QuantileESS(x, 0.05), QuantileESS(x, 0.95)) }

// MeanESS returns the effective sample size for the mean, from half chains. x holds one slice for each chain, all equally long, as
// in all functions here.
func MeanESS(x [][]float64) float64 { return effectiveSize(split(x)) }

// SDESS returns the effective sample size for the standard deviation: that of the squared deviations from the mean.
func SDESS(x [][]float64) float64 {
	if undefined(x) {
		return math.NaN()
	}
	return effectiveSize(split(squaredDeviations(x)))
}

func squaredDeviations(x [][]float64) [][]float64 {
	mean := Mean(x)
	return each(x, func(v float64) float64 { return (v - mean) * (v - mean) })
}

// QuantileESS returns the effective sample size for the p-quantile: that of the indicator of draws at or below it.
func QuantileESS(x [][]float64, p float64) float64 {
	if undefined(x) {
		return math.NaN()
	}
	q := statistic.Quantile(pooled(x), p)
	return effectiveSize(split(each(x, func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	})))
}

// effectiveSize returns the effective sample size of the mean of x. See [MeanSize.Of].
func effectiveSize(x [][]float64) float64 {
	if len(x) == 0 || len(x[0]) < 3 {
		return math.NaN()
	}
	return NewMeanSize(len(x), len(x[0])).Of(x)
}

// MeanSize computes effective sample sizes of the mean, for draws of one shape. Its methods do not allocate, and must not be called
// concurrently.
type MeanSize struct {
	rho, means  []float64
	centred     []float64 // the draws of a chain minus their mean
	covariances *autocovariance
}

// NewMeanSize returns a MeanSize for the given numbers of chains and of draws in each chain.
func NewMeanSize(chains, draws int) *MeanSize {
	return &MeanSize{make([]float64, draws), make([]float64, chains), make([]float64, chains*draws), newAutocovariance(draws)}
}

// Of returns S/τ, with τ from Geyer's initial monotone positive sequence of the autocorrelations of all chains together. Chains are
// not split: [MeanESS] does that first. It is NaN for fewer than 3 draws a chain, for draws that are all equal, and for draws that
// are not finite. [geyer1992], sec. 3.3; [vehtari2021], eq. 10-13.
func (m *MeanSize) Of(x [][]float64) float64 {
	if undefined(x) || len(x[0]) < 3 {
		return math.NaN()
	}
	m.correlate(x)
	return m.size(x)
}

// Quick returns what Of returns, up to rounding. It computes lag after lag, which is much faster if autocorrelation soon ends.
func (m *MeanSize) Quick(x [][]float64) float64 {
	if undefined(x) || len(x[0]) < 3 {
		return math.NaN()
	}
	if !m.correlateFirst(x) {
		m.correlate(x)
	}
	return m.size(x)
}

// size returns S/τ, from the autocorrelations.
func (m *MeanSize) size(x [][]float64) float64 {
	rho := m.rho
	last := geyerPositive(rho)
	geyerMonotone(rho, last)
	tau := -1 + rho[last]
	for t := 0; t < max(last, 1); t++ { // the first term always counts, because R's loop over 1:0 runs too
		tau += 2 * rho[t]
	}
	size := float64(len(x) * len(x[0]))
	return size / max(tau, 1/math.Log10(size))
}

// correlate estimates the autocorrelation at every lag, from the variances within and between chains.
// [vehtari2021], eq. 10.
func (m *MeanSize) correlate(x [][]float64) {
	rho := m.rho
	clear(rho)
	for i, chain := range x {
		m.means[i] = Mean([][]float64{chain})
		for t, c := range m.covariances.of(chain, m.means[i]) {
			rho[t] += c / float64(len(x))
		}
	}
	n := float64(len(rho))
	within := rho[0] * n / (n - 1)
	total := rho[0]
	if len(x) > 1 {
		_, between := meanAndVariance(m.means)
		total += between
	}
	for t := range rho {
		rho[t] = 1 - (within-rho[t])/total
	}
	rho[0] = 1
}

// firstLags is the number of lags for which autocorrelations are computed one by one. For more lags a Fourier transform is
// faster.
const firstLags = 40

// correlateFirst estimates autocorrelations as correlate does, up to the first pair whose sum is not positive, where
// [geyer1992]'s sequence ends. It reports whether there is one among the first lags.
func (m *MeanSize) correlateFirst(x [][]float64) bool {
	n := len(m.rho)
	for i, chain := range x {
		m.means[i] = floats.Sum(chain) / float64(n)
		copy(m.centred[i*n:(i+1)*n], chain)
		floats.AddConst(-m.means[i], m.centred[i*n:(i+1)*n])
	}
	variance := m.covariance(0)
	within, total := variance*float64(n)/float64(n-1), variance
	if len(x) > 1 {
		_, between := meanAndVariance(m.means)
		total += between
	}
	clear(m.rho)
	for t := 0; t+1 < min(n, firstLags); t += 2 {
		m.rho[t], m.rho[t+1] = 1-(within-m.covariance(t))/total, 1-(within-m.covariance(t+1))/total
		if t == 0 {
			m.rho[0] = 1
		}
		if !(m.rho[t]+m.rho[t+1] > 0) {
			return true
		}
	}
	return false
}

// covariance returns the mean autocovariance of the centred chains at a lag.
func (m *MeanSize) covariance(lag int) float64 {
	n, sum := len(m.rho), 0.0
	for i := range m.means {
		chain := m.centred[i*n : (i+1)*n]
		sum += floats.Dot(chain[:n-lag], chain[lag:])
	}
	return sum / float64(n) / float64(len(m.means))
}

// geyerPositive keeps pairs of correlations while their sum is positive and sets all later correlations to 0. It returns the lag at
// which the sequence stops.
func geyerPositive(rho []float64) (last int) {
	t, even, odd := 0, rho[0], rho[1]
	kept := 2
	for t < len(rho)-5 && even+odd > 0 {
		t += 2
		even, odd = rho[t], rho[t+1]
		if even+odd >= 0 {
			kept = t + 2
		}
	}
	clear(rho[kept:])
	if even > 0 {
		rho[t] = even
	}
	return t
}

// geyerMonotone makes the kept pairs' sums non-increasing.
func geyerMonotone(rho []float64, last int) {
	for t := 2; t <= last-2; t += 2 {
		if before := rho[t-2] + rho[t-1]; rho[t]+rho[t+1] > before {
			rho[t], rho[t+1] = before/2, before/2
		}
	}
}

// autocovariance computes biased autocovariances (divisor n) of chains of one length by FFT. Chains are padded with zeros, so that
// their end is not correlated with their beginning.
type autocovariance struct {
	fft      *fourier.FFT
	padded   []float64
	spectrum []complex128
	length   int
}

func newAutocovariance(length int) *autocovariance {
	size := 1
	for size < 2*length {
		size *= 2
	}
	return &autocovariance{fourier.NewFFT(size), make([]float64, size), make([]complex128, size/2+1), length}
}

// of returns the autocovariances at lags 0 to n-1; the slice is overwritten by the next call.
func (a *autocovariance) of(chain []float64, mean float64) []float64 {
	clear(a.padded)
	for k, v := range chain {
		a.padded[k] = v - mean
	}
	a.spectrum = a.fft.Coefficients(a.spectrum, a.padded)
	for k, c := range a.spectrum {
		a.spectrum[k] = complex(real(c)*real(c)+imag(c)*imag(c), 0)
	}
	a.padded = a.fft.Sequence(a.padded, a.spectrum)
	scale := 1 / float64(len(a.padded)*a.length)
	for k := range a.padded[:a.length] {
		a.padded[k] *= scale
	}
	return a.padded[:a.length]
}
