package judge

import (
	"likc/runtime/chains"
)

// Timing says where the time of a candidate's fits went, in seconds of one core.
type Timing struct {
	Total     float64 // processor time on Linux, else wall time
	Binding   float64
	Gradient  float64 // the number of gradients, times one's time at the posterior's own draws
	Summaries float64 // R-hat, effective sample sizes
	Fits      int
}

// Sampler is the rest: trees, adaptation, priors and transforms.
func (t Timing) Sampler() float64 { return max(0, t.Total-t.Binding-t.Gradient-t.Summaries) }

// FitsPerSecond is the rate of one core.
func (t Timing) FitsPerSecond() float64 { return float64(t.Fits) / t.Total }

// timing is that of one fit.
type timing struct{ binding, gradient, summaries float64 }

func newTiming(fits []Fit, total float64) Timing {
	t := Timing{Total: total}
	for _, f := range fits {
		if f.Err == nil {
			t.Fits++
		}
		t.Binding += f.timing.binding
		t.Gradient += f.timing.gradient
		t.Summaries += f.timing.summaries
	}
	return t
}

// gradientSeconds times one gradient at draws all along the chains.
func gradientSeconds(problem Problem, d *chains.Draws) float64 {
	const places = 100
	theta, grad := make([]float64, len(d.Names)), make([]float64, len(d.Names))
	start := threadSeconds()
	for k := range places {
		c := &d.Chains[k%len(d.Chains)]
		for j := range theta {
			theta[j] = c.Params[j][k*c.Len()/places]
		}
		problem.LogLikGrad(theta, grad)
	}
	return (threadSeconds() - start) / places
}
