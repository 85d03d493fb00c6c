package ssm

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// maxRacers is the largest number of accumulators in a built-in race.
const maxRacers = 4

// numbered returns the choices of a race between n accumulators: 0, 1, ….
func numbered(n int) []float64 {
	choices := make([]float64, n)
	for k := range choices {
		choices[k] = float64(k)
	}
	return choices
}

// each returns a name for each of n accumulators: name0, name1, ….
func each(n int, name string) []string {
	var names []string
	for k := range n {
		names = append(names, fmt.Sprint(name, k))
	}
	return names
}

// racers returns one parameter for each accumulator, called name0, name1, …. meaning contains a %d for the number.
func racers(n int, name string, lower, upper float64, meaning string, domain Domain) []Param {
	var params []Param
	for k, name := range each(n, name) {
		params = append(params, Param{name, lower, upper, fmt.Sprintf(meaning, k), Same, domain})
	}
	return params
}

// firstOf returns the sampler of a race between n accumulators that begins at onset. finish draws the decision time of accumulator
// k, +Inf if it never finishes.
func firstOf(n int, onset float64, finish func(r *rand.Rand, k int) float64) Sampler {
	return func(r *rand.Rand) (rt, choice float64) {
		first := math.Inf(1)
		for k := range n {
			if tau := finish(r, k); tau < first {
				first, choice = tau, float64(k)
			}
		}
		return onset + first, choice
	}
}
