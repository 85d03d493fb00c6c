package gate

import (
	"math"
)

// bins is the number of levels or intervals of [0, 1] at which probabilities are compared.
const bins = 10

// reliability compares nominal levels with empirical shares. The levels are the middles of ten bins of [0, 1]. The empirical share
// of a level is the share of pit (probability integral transforms) below it.
func reliability(pit []float64) (nominal, empirical []float64) {
	nominal, empirical = make([]float64, bins), make([]float64, bins)
	for i := range bins {
		nominal[i] = (float64(i) + 0.5) / bins
		for _, u := range pit {
			if u <= nominal[i] {
				empirical[i] += 1 / float64(len(pit))
			}
		}
	}
	return nominal, empirical
}

// calibrationError returns the mean distance of the ten empirical shares from their nominal levels: the density's expected
// calibration error.
func calibrationError(pit []float64) float64 {
	nominal, empirical := reliability(pit)
	sum := 0.0
	for i := range nominal {
		sum += math.Abs(empirical[i] - nominal[i])
	}
	return sum / bins
}

// choiceError compares predicted probabilities of a choice with observed shares. Each index is a subject, or a subject and choice:
// its prediction, trials, and trials with the choice. Subjects are sorted into ten bins by prediction; the result is the mean over
// bins of |share of trials with the choice − mean prediction|. Empty bins do not count.
func choiceError(predicted []float64, trials, chosen []int) float64 {
	var mean, share, n [bins]float64
	for i, p := range predicted {
		b := min(max(int(p*bins), 0), bins-1)
		mean[b] += p * float64(trials[i])
		share[b] += float64(chosen[i])
		n[b] += float64(trials[i])
	}
	sum, used := 0.0, 0.0
	for b := range n {
		if n[b] > 0 {
			sum += math.Abs(share[b]-mean[b]) / n[b]
			used++
		}
	}
	return sum / used
}

// absoluteError returns the mean |x - y|.
func absoluteError(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum / float64(len(x))
}
