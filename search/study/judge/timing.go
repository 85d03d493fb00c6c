package judge

import (
	"likc/runtime/model/timing"
	"likc/runtime/num/chains"
	"likc/search/study"
)

// Timing divides the time of the fits among kinds of work, in seconds of one core.
type Timing struct {
	Total     float64 // time of the whole run: processor time on Linux, else wall time
	Binding   float64 // making likelihoods of subjects
	Gradient  float64 // number of gradients times the duration of one, measured at draws of the posterior
	Summaries float64 // means and R-hat
	Fits      int     // number of fits that were tried
}

// Sampler returns the time of the sampler itself: trees, adaptation, priors and transforms.
func (t Timing) Sampler() float64 { return max(0, t.Total-t.Binding-t.Gradient-t.Summaries) }

// Split returns each kind of work's share of the total; the shares sum to 1. The gradients' time is an estimate, so their share is
// at most what binding and summaries leave.
func (t Timing) Split() map[string]float64 {
	gradient := min(t.Gradient, max(0, t.Total-t.Binding-t.Summaries))
	return map[string]float64{"gradient": gradient / t.Total, "sampler": t.Sampler() / t.Total, "binding": t.Binding / t.Total, "summaries": t.Summaries / t.Total}
}

// FitsPerSecond returns the rate of fits on one core.
func (t Timing) FitsPerSecond() float64 { return float64(t.Fits) / t.Total }

// Add adds the times of o.
func (t *Timing) Add(o Timing) {
	t.Total += o.Total
	t.Binding += o.Binding
	t.Gradient += o.Gradient
	t.Summaries += o.Summaries
	t.Fits += o.Fits
}

// seconds holds the times of one fit, by kind of work.
type seconds struct{ binding, gradient, summaries float64 }

func newTiming(fits []Fit) Timing {
	var t Timing
	for _, f := range fits {
		t.Add(Timing{0, f.seconds.binding, f.seconds.gradient, f.seconds.summaries, 1})
	}
	return t
}

// gradientSeconds measures the duration of one gradient, at draws from all parts of the chains.
func gradientSeconds(problem study.Problem, d *chains.Draws) float64 {
	const places = 20
	theta, grad := make([]float64, len(d.Names)), make([]float64, len(d.Names))
	start := timing.ThreadSeconds()
	for k := range places {
		c := &d.Chains[k%len(d.Chains)]
		for j := range theta {
			theta[j] = c.Params[j][k*c.Len()/places]
		}
		problem.LogLikGrad(theta, grad)
	}
	return (timing.ThreadSeconds() - start) / places
}
