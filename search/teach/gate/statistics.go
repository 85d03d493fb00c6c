package gate

import (
	"math"
)

const bins = 10

// reliability compares the share of values of the probability integral transform below each of ten nominal levels, the
// middles of ten bins of [0, 1], with the level.
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

// calibrationError is the mean distance of the ten empirical shares from the nominal ones: the ECE of the density.
func calibrationError(pit []float64) float64 {
	nominal, empirical := reliability(pit)
	sum := 0.0
	for i := range nominal {
		sum += math.Abs(empirical[i] - nominal[i])
	}
	return sum / bins
}

// choiceError is the mean, over ten bins of the predicted probability of a choice, of the distance between its share of trials and the mean
// prediction; bins without trials do not count. Predictions, trials and trials with the choice are a subject's.
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

// absoluteError is the mean |x - y|.
func absoluteError(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum / float64(len(x))
}
