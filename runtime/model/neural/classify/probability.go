package classify

import (
	"math"

	"likc/runtime/num/vec"
)

// Clip is the smallest distance of a probability from 0 and 1 (the paper, "Training data hygiene"). With n > 2 choices, each has
// at least this probability, and the remaining 1 - n·Clip is divided among them.
const Clip = 1e-6

// mostLogit is the absolute value from which logits are clipped, if there are two choices.
var mostLogit = math.Log((1 - Clip) / Clip)

// LogProbabilities returns log P(c = +1) and log P(c = -1) for a logit, and whether they were clipped.
func LogProbabilities(logit float64) (upper, lower float64, clipped bool) {
	size := math.Abs(logit)
	if size >= mostLogit {
		clipped, size = true, mostLogit
	}
	likely := -math.Log1p(math.Exp(-size))
	if logit > 0 {
		return likely, likely - size, clipped
	}
	return likely - size, likely, clipped
}

// LogitSlope returns the derivative of nUpper·log P(c = +1) + nLower·log P(c = -1) with respect to the logit; 0 if the probabilities are
// clipped.
func LogitSlope(logit, nUpper, nLower float64) float64 {
	if math.Abs(logit) >= mostLogit {
		return 0
	}
	p := 1 / (1 + math.Exp(-logit))
	return nUpper*(1-p) - nLower*p
}

// LogChoices sets dst to the log probability of each choice, given the logits of one parameter vector.
func LogChoices(dst, logits []float64) {
	if len(logits) == 1 {
		dst[0], dst[1], _ = LogProbabilities(logits[0])
		return
	}
	largest, over := norm(logits)
	for k := range dst {
		dst[k] = math.Log(raise(math.Exp(at(logits, k)-largest)*over, len(dst)))
	}
}

// LogChoice returns the log probability of choice number k, given the logits of one parameter vector. It sets slopes to its derivatives
// with respect to the logits.
func LogChoice(slopes, logits []float64, k int) float64 {
	if len(logits) == 1 {
		counts := [2]float64{}
		counts[k] = 1
		slopes[0] = LogitSlope(logits[0], counts[0], counts[1])
		upper, lower, _ := LogProbabilities(logits[0])
		return [...]float64{upper, lower}[k]
	}
	n := len(logits) + 1
	largest, over := norm(logits)
	share := math.Exp(at(logits, k)-largest) * over
	p := raise(share, n)
	for j, logit := range logits {
		slopes[j] = -math.Exp(logit-largest) * over * remainder(n) * share / p
	}
	if k < len(logits) {
		slopes[k] += remainder(n) * share / p
	}
	return math.Log(p)
}

// Slopes sets dst to the derivatives of Σ counts·log P, a sum over choices, with respect to the logits of one parameter vector.
func Slopes(dst, logits, counts []float64) {
	if len(logits) == 1 {
		dst[0] = LogitSlope(logits[0], counts[0], counts[1])
		return
	}
	largest, over := norm(logits)
	all := 0.0
	for k, n := range counts {
		share := math.Exp(at(logits, k)-largest) * over
		// In logit j, n·log P of choice k has the derivative -of·(share of choice j), plus `of` if j = k.
		of := n * remainder(len(counts)) * share / raise(share, len(counts))
		if all += of; k < len(dst) {
			dst[k] = of
		}
	}
	for k, logit := range logits {
		dst[k] -= math.Exp(logit-largest) * over * all
	}
}

// at returns the logit of choice number k, which is 0 for the last choice.
func at(logits []float64, k int) float64 {
	if k == len(logits) {
		return 0
	}
	return logits[k]
}

// norm returns the largest logit, and 1/Σ exp(logit - largest) over all choices.
func norm(logits []float64) (largest, over float64) {
	for _, logit := range logits {
		largest = max(largest, logit)
	}
	sum := math.Exp(-largest)
	for _, logit := range logits {
		sum += math.Exp(logit - largest)
	}
	return largest, 1 / sum
}

// remainder returns the probability that remains after each of n choices got [Clip].
func remainder(n int) float64 { return 1 - float64(n)*Clip }

// raise returns the probability of one of n choices: [Clip] plus its share of the remainder.
func raise(share float64, n int) float64 { return Clip + remainder(n)*share }

// EachLogProbability sets logs to the log probabilities of choice number k, given the logits of several parameter vectors. It sets
// slopes to their derivatives with respect to the logits.
func EachLogProbability(logs, slopes, logits []float64, k int) {
	if each := len(logits) / len(logs); each > 1 {
		for i := range logs {
			logs[i] = LogChoice(slopes[i*each:(i+1)*each], logits[i*each:(i+1)*each], k)
		}
		return
	}
	upper := k == 0
	for k, logit := range logits {
		slopes[k] = -min(math.Abs(logit), mostLogit)
	}
	vec.Exp(slopes, slopes)
	vec.Log1p(logs, slopes)
	for k, logit := range logits {
		e := slopes[k]
		unlikely := 1 / (1 + e)
		switch {
		case (logit > 0) == upper:
			logs[k], slopes[k] = -logs[k], e*unlikely
		default:
			logs[k], slopes[k] = -logs[k]-min(math.Abs(logit), mostLogit), unlikely
		}
		if !upper {
			slopes[k] = -slopes[k]
		}
		if math.Abs(logit) >= mostLogit {
			slopes[k] = 0
		}
	}
}
