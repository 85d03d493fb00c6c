package timing

import (
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"likc/runtime/model/kernel"
)

// What is the kind of evaluation that is timed: only the value, or the value with its gradient.
type What string

// The kinds of evaluation, with their names in tables.
const (
	Value    What = "value"
	Gradient What = "gradient"
)

// Likelihood returns the entry for timing a likelihood with bound data. Each evaluation uses the next of the thetas, so that a
// likelihood gains nothing by storing results of the last one.
func Likelihood(name string, lik kernel.Sum, thetas [][]float64, what What, clock Clock) Entry {
	evaluate := evaluator(lik, thetas, what)
	return Entry{Name: name, WarmUp: 1, Evaluate: func(count int) (time.Duration, error) {
		from := clock()
		evaluate(count)
		return clock() - from, nil
	}}
}

// sink receives the results, so that the compiler cannot remove the timed work.
var sink float64

func evaluator(lik kernel.Sum, thetas [][]float64, what What) func(count int) {
	grad := make([]float64, lik.Dim())
	next := 0
	return func(count int) {
		sum := 0.0
		for range count {
			if what == Gradient {
				sum += lik.LogLikGrad(thetas[next], grad) + grad[0]
			} else {
				sum += lik.LogLik(thetas[next])
			}
			if next++; next == len(thetas) {
				next = 0
			}
		}
		sink = sum
	}
}

// Around returns n points whose coordinates differ from theta's by between half of the share and the share. The same arguments give
// the same points.
func Around(theta []float64, share float64, n int) [][]float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, len(theta))
		for j, x := range theta {
			points[i][j] = x * (1 + math.Copysign(share*(1+rng.Float64())/2, rng.Float64()-0.5))
		}
	}
	return points
}

// Allocations returns the smallest number of allocations per evaluation in several attempts, because other goroutines may allocate
// meanwhile, and pools may have been emptied.
func Allocations(lik kernel.Sum, thetas [][]float64, what What, count int) float64 {
	evaluate := evaluator(lik, thetas, what)
	evaluate(1)
	least := math.Inf(1)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		evaluate(count)
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/float64(count))
	}
	return least
}
