package sbc

import "math"

// Band is a region that contains the empirical distribution of n uniform ranks, at all evaluation points at once, with a given
// probability. Evaluation point i, from 0, is the fraction (i+1)/(len(Low)+1) of the range. Low and High bound the number of
// ranks up to it.
type Band struct {
	N         int
	Low, High []int
	Gamma     float64 // probability that the distribution leaves the band at one given evaluation point
}

// NewBand returns the band with the smallest intervals that hold at all evaluation points at once with probability at least
// level. It is the optimisation of [saeilynoja2022], sec. 2.2, with the exact probability of algorithm 2.
func NewBand(n, places int, level float64) Band {
	pmf := newBinomial(n)
	low, high := 0.0, 1-level // γ for one place is 1-level; more places need a smaller γ
	best := pmf.band(places, low)
	for range 40 {
		middle := (low + high) / 2
		if b := pmf.band(places, middle); pmf.coverage(b) >= level {
			low, best = middle, b
		} else {
			high = middle
		}
	}
	return best
}

// Inside reports whether counts, one for each evaluation point, stay within the band.
func (b *Band) Inside(counts []int) bool {
	for i, c := range counts {
		if c < b.Low[i] || c > b.High[i] {
			return false
		}
	}
	return true
}

// binomial computes binomial probabilities of up to n trials from tables of log factorials.
type binomial struct {
	n            int
	logFactorial []float64
}

func newBinomial(n int) *binomial {
	b := &binomial{n, make([]float64, n+1)}
	for k := 2; k <= n; k++ {
		b.logFactorial[k] = b.logFactorial[k-1] + math.Log(float64(k))
	}
	return b
}

// probability returns the probability of k successes in n trials, given the logs of p and 1-p, 0 < p < 1.
func (b *binomial) probability(n, k int, logP, logQ float64) float64 {
	choose := b.logFactorial[n] - b.logFactorial[k] - b.logFactorial[n-k]
	return math.Exp(choose + float64(k)*logP + float64(n-k)*logQ)
}

// band returns the central interval at each evaluation point that holds with probability at least 1-γ.
func (b *binomial) band(places int, gamma float64) Band {
	out := Band{N: b.n, Gamma: gamma, Low: make([]int, places), High: make([]int, places)}
	for i := range places {
		z := float64(i+1) / float64(places+1)
		out.Low[i], out.High[i] = b.quantile(z, gamma/2), b.n-b.quantile(1-z, gamma/2)
	}
	return out
}

// quantile returns the smallest k with P(K ≤ k) > p, for n trials with success probability z.
func (b *binomial) quantile(z, p float64) int {
	logP, logQ := math.Log(z), math.Log1p(-z)
	sum := 0.0
	for k := range b.n {
		if sum += b.probability(b.n, k, logP, logQ); sum > p {
			return k
		}
	}
	return b.n
}

// coverage returns the probability that all counts are within the band. Given that r ranks are at or below one point, the number
// of further ranks up to the next point is binomial among the other n-r. So the counts are a Markov chain over the points.
func (b *binomial) coverage(band Band) float64 {
	places := len(band.Low)
	now, next := make([]float64, b.n+1), make([]float64, b.n+1)
	now[0] = 1
	from, to := 0, 0
	for i := range places {
		step := 1 / float64(places+1-i) // share of the ranks above the previous place that lie between it and this place
		logP, logQ := math.Log(step), math.Log1p(-step)
		clear(next)
		for r := from; r <= to; r++ {
			for k := max(r, band.Low[i]); k <= band.High[i] && now[r] > 0; k++ {
				next[k] += now[r] * b.probability(b.n-r, k-r, logP, logQ)
			}
		}
		now, next = next, now
		from, to = band.Low[i], band.High[i]
	}
	total := 0.0
	for _, p := range now {
		total += p
	}
	return total
}
