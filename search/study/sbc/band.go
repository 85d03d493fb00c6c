package sbc

import "math"

// Band is where the empirical distribution of n uniform ranks lies at all of its places at once with the given probability.
// Place i, from 0, is (i+1)/(len(Low)+1); Low and High are counts of ranks at or below it.
type Band struct {
	N         int
	Low, High []int
	Gamma     float64 // pointwise: each place alone is left with this probability
}

// NewBand finds the widest pointwise γ whose intervals hold at all places at once with probability at least level: the
// optimisation of [saeilynoja2022], sec. 2.2, with the exact probability of algorithm 2.
func NewBand(n, places int, level float64) Band {
	pmf := newBinomial(n)
	low, high := 0.0, 1-level // a single place needs the widest, more places need less
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

// Inside reports whether counts, one a place, stay within the band.
func (b *Band) Inside(counts []int) bool {
	for i, c := range counts {
		if c < b.Low[i] || c > b.High[i] {
			return false
		}
	}
	return true
}

// binomial has the log factorials that probabilities of up to n trials need.
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

// probability of k successes in n trials of probability p, 0 < p < 1.
func (b *binomial) probability(n, k int, logP, logQ float64) float64 {
	choose := b.logFactorial[n] - b.logFactorial[k] - b.logFactorial[n-k]
	return math.Exp(choose + float64(k)*logP + float64(n-k)*logQ)
}

// band has the central intervals that each hold with probability at least 1-γ.
func (b *binomial) band(places int, gamma float64) Band {
	out := Band{N: b.n, Gamma: gamma, Low: make([]int, places), High: make([]int, places)}
	for i := range places {
		z := float64(i+1) / float64(places+1)
		out.Low[i], out.High[i] = b.quantile(z, gamma/2), b.n-b.quantile(1-z, gamma/2)
	}
	return out
}

// quantile is the least k of n with P(K ≤ k) > p.
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

// coverage is the probability that all counts are within the band. Given r ranks at or below one place, those up to the
// next are binomial among the other n-r: a Markov chain over the places.
func (b *binomial) coverage(band Band) float64 {
	places := len(band.Low)
	now, next := make([]float64, b.n+1), make([]float64, b.n+1)
	now[0] = 1
	from, to := 0, 0
	for i := range places {
		step := 1 / float64(places+1-i) // share of the ranks above the last place
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
