package lan

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"likc/search/teach/corpus"
)

// smooth estimates the density of one subject's trials with kernels. The density of a choice is its share of the trials times a
// Gaussian kernel density of log(rt - t), with Silverman's bandwidth (Density estimation for statistics and data analysis, 1986, eq.
// 3.28).
type smooth struct {
	choices []float64
	onset   float64   // the non-decision time t, in seconds
	sides   []kernels // the kernels of each choice
}

// kernels is the kernel density estimate of one choice.
type kernels struct {
	centres  []float64 // log(rt - t) of each trial
	width    float64   // Silverman's bandwidth
	logScale float64   // log of the choice's share of the trials divided by the kernels' normalising constant
}

func newSmooth(s corpus.Subject, choices []float64, onset float64) smooth {
	n := 0
	for _, rt := range s.RT {
		n += len(rt)
	}
	out := smooth{choices: choices, onset: onset}
	for _, rt := range s.RT {
		out.sides = append(out.sides, newKernels(rt, onset, float64(n)))
	}
	return out
}

// newKernels places a kernel at each response time of one choice. trials is the number of the subject's trials with any choice.
func newKernels(rt []float64, onset, trials float64) kernels {
	var k kernels
	for _, x := range rt {
		k.centres = append(k.centres, math.Log(x-onset))
	}
	if len(k.centres) < 2 {
		return kernels{} // too few trials for a kernel density
	}
	n := float64(len(k.centres))
	k.width = math.Max(1.06*stat.StdDev(k.centres, nil)*math.Pow(n, -0.2), 1e-3)
	k.logScale = -math.Log(trials * k.width * math.Sqrt(2*math.Pi))
	return k
}

// LogDensity fills dst with the estimated log density. theta is ignored, because the estimate belongs to one subject.
func (s smooth) LogDensity(dst []float64, _ [][]float64, rt, choice []float64) {
	for i := range dst {
		dst[i] = s.logDensity(rt[i], choice[i])
	}
}

func (s smooth) logDensity(rt, choice float64) float64 {
	k := s.sides[slices.Index(s.choices, choice)]
	if !(rt > s.onset) || len(k.centres) == 0 {
		return math.Inf(-1)
	}
	y, sum := math.Log(rt-s.onset), 0.0
	for _, x := range k.centres {
		z := (y - x) / k.width
		sum += math.Exp(-z * z / 2)
	}
	return math.Log(sum) + k.logScale - y
}
