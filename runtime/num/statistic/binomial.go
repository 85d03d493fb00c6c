package statistic

import (
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// BinomialQuantile returns the smallest number of successes whose cumulative probability is at least level, among n trials of which
// each succeeds with probability p.
func BinomialQuantile(n int, p, level float64) int {
	b := distuv.Binomial{N: float64(n), P: p}
	return sort.Search(n, func(k int) bool { return b.CDF(float64(k)) >= level })
}
