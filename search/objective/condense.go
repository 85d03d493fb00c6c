package objective

import (
	"math"
	"slices"
)

// condense stands for each group's trials by about points of them: sorted by
// choice and time, runs of trials become one, at their mean and with their
// number as weight. Runs are short at both ends of each choice's times, where
// log densities bend most; rounding and a choice of few trials can make it one run
// more than points. The fastest trial of each choice is there once more without weight,
// to bound the support: with its weight, an expression that grows without bound
// towards the end of the support would have its maximum there, where a posterior
// has next to no mass. So an estimate from a thousand trials costs what one from a
// few dozen does. Only for models with one trial column.
func (s sample) condense(points int) sample {
	out := sample{theta: s.theta}
	for g, trials := range s.trials {
		var rows [][]float64
		var choice, weight []float64
		for _, side := range []float64{1, -1} {
			var times []float64
			for k, c := range s.choice[g] {
				if c == side {
					times = append(times, trials[k][0])
				}
			}
			slices.Sort(times)
			if len(times) > 0 {
				rows, choice, weight = append(rows, []float64{times[0]}), append(choice, side), append(weight, 0)
			}
			for _, run := range runs(times, share(points, len(times), len(trials))) {
				rows = append(rows, []float64{mean(run)})
				choice, weight = append(choice, side), append(weight, float64(len(run)))
			}
		}
		out.trials, out.choice, out.weight = append(out.trials, rows), append(out.choice, choice), append(out.weight, weight)
	}
	return out
}

// share is how many of the points n trials of all get: in proportion to the
// roots of the numbers, for a rare choice says much by a few trials.
func share(points, n, all int) int {
	if n == 0 {
		return 0
	}
	mine, other := math.Sqrt(float64(n)), math.Sqrt(float64(all-n))
	return min(n, max(1, int(math.Round(float64(points)*mine/(mine+other)))))
}

// runs cuts sorted times into at most n runs, between the quantiles (1 − cos)/2.
func runs(times []float64, n int) (list [][]float64) {
	from := 0
	for i := 1; i <= n; i++ {
		to := int(math.Round(float64(len(times)) * (1 - math.Cos(math.Pi*float64(i)/float64(n))) / 2))
		if i == n {
			to = len(times)
		}
		if to > from {
			list = append(list, times[from:to])
			from = to
		}
	}
	return list
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
