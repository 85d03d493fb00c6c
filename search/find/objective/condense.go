package objective

import (
	"math"
	"slices"

	"likc/runtime/num/statistic"
)

// condense returns a smaller sample: about `points` weighted points replace each group's trials. The sorted response times of each
// choice are cut into runs, short at both ends because log densities bend most there. A point is the mean of a run, weighted by the
// number of its trials. Rounding, or a choice with few trials, can add a point. The fastest trial of each choice is added with weight 0, only to
// bound the support: with a weight, an expression that grows without bound towards the end of the support would have its maximum
// there, where a posterior has next to no mass. The model must have one trial column.
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
			for _, run := range runs(times, pointsFor(points, len(times), len(trials))) {
				rows = append(rows, []float64{statistic.Mean(run)})
				choice, weight = append(choice, side), append(weight, float64(len(run)))
			}
		}
		out.trials, out.choice, out.weight = append(out.trials, rows), append(out.choice, choice), append(out.weight, weight)
	}
	return out
}

// pointsFor returns how many of the points go to a choice with n of the group's `all` trials. The number is proportional to √n,
// because few trials of a rare choice say much; it is from 1 to n, and 0 for n = 0.
func pointsFor(points, n, all int) int {
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
