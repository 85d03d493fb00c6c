package stopsignal

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/num/statistic"
)

// Predictive compares an observed session with sessions that a model predicts for the same trials and delays, as in Matzke et al. (2013).
// The statistics of trials without a signal are the share of omissions and quantiles of response times. The statistics at each delay are
// the share of signals with a response, which is the inhibition function, and the median of the response times.
type Predictive struct {
	group    []int       // for each trial: 0 without a signal, k for the k-th delay
	trials   []int       // number of trials in each group
	delays   []float64   // ascending
	observed []float64   // for each statistic, as measure returns them
	drawn    [][]float64 // for each statistic, its values in the predicted sessions; NaN is omitted
}

// Levels are the levels of the quantiles of response times that are compared.
var Levels = []float64{0.1, 0.3, 0.5, 0.7, 0.9}

// ResponseShare and ResponseTime name the statistics at a delay: the share of signals with a response, and the median of the response times.
const (
	ResponseShare = "response"
	ResponseTime  = "signal_rt"
)

// Fewest is the smallest number of trials, without a signal or with a signal at one delay, for which P is computed.
const Fewest = 10

// NewPredictive measures the observed session. Delays that are equal to the millisecond are one delay.
func NewPredictive(observed Session) *Predictive {
	p := &Predictive{group: make([]int, len(observed.Delay))}
	for _, d := range observed.Delay {
		if !math.IsNaN(d) {
			p.delays = append(p.delays, rounded(d))
		}
	}
	slices.Sort(p.delays)
	p.delays = slices.Compact(p.delays)
	p.trials = make([]int, len(p.delays)+1)
	for i, d := range observed.Delay {
		if !math.IsNaN(d) {
			at, _ := slices.BinarySearch(p.delays, rounded(d))
			p.group[i] = at + 1
		}
		p.trials[p.group[i]]++
	}
	p.observed = p.measure(observed.RT, observed.Choice)
	p.drawn = make([][]float64, len(p.observed))
	return p
}

// rounded returns the delay, rounded to milliseconds.
func rounded(delay float64) float64 { return math.Round(delay*1000) / 1000 }

// Add adds a predicted session: a response to each trial of the observed one.
func (p *Predictive) Add(rt, choice []float64) {
	for k, x := range p.measure(rt, choice) {
		if !math.IsNaN(x) {
			p.drawn[k] = append(p.drawn[k], x)
		}
	}
}

// measure returns the share of omissions and the quantiles of response times without a signal, then for each delay the share of
// responses and the median of their times. A statistic without trials or responses is NaN.
func (p *Predictive) measure(rt, choice []float64) []float64 {
	times := make([][]float64, len(p.trials)) // response times, by group
	for i, g := range p.group {
		if choice[i] == Response {
			times[g] = append(times[g], rt[i])
		}
	}
	responded := func(g int) float64 { return float64(len(times[g])) / float64(p.trials[g]) } // NaN if there are no trials
	slices.Sort(times[0])
	out := []float64{1 - responded(0)}
	for _, level := range Levels {
		x := math.NaN()
		if len(times[0]) > 0 {
			x = statistic.Quantile(times[0], level)
		}
		out = append(out, x)
	}
	for g := 1; g < len(p.trials); g++ {
		out = append(out, responded(g), statistic.Median(times[g]))
	}
	return out
}

// Compared holds one statistic of the observed session and of the predicted sessions. NaN marks missing values.
type Compared struct {
	Name      string  // go_omissions, or go_rt_10 and so on for a quantile in percent; at a delay [ResponseShare] or [ResponseTime]
	Delay     float64 // delay of the stop signal in seconds; NaN without a signal
	Trials    int     // number of trials without a signal, or with one at this delay
	Observed  float64 // a share, or a time in seconds
	Mean      float64 // mean over the predicted sessions that have the statistic, as for Low and High
	Low, High float64 // 90 % of the predicted sessions lie between these two

	// P is twice the share of predicted sessions above the observed value, or twice the share below it, whichever is smaller; equal ones
	// count half. If it is near 0, the model does not predict the observed value. It is NaN with fewer than [Fewest] trials.
	P float64
}

// Compare returns all statistics: those without a signal, then those of each delay in ascending order.
func (p *Predictive) Compare() []Compared {
	all := []Compared{p.compared(0, "go_omissions", 0)}
	for _, level := range Levels {
		all = append(all, p.compared(len(all), fmt.Sprintf("go_rt_%.0f", 100*level), 0))
	}
	for g := 1; g < len(p.trials); g++ {
		all = append(all, p.compared(len(all), ResponseShare, g))
		all = append(all, p.compared(len(all), ResponseTime, g))
	}
	return all
}

// compared returns the comparison of the k-th statistic, which belongs to a group of trials.
func (p *Predictive) compared(k int, name string, group int) Compared {
	nan := math.NaN()
	c := Compared{Name: name, Delay: nan, Trials: p.trials[group], Observed: p.observed[k], Mean: nan, Low: nan, High: nan, P: nan}
	if group > 0 {
		c.Delay = p.delays[group-1]
	}
	drawn := slices.Sorted(slices.Values(p.drawn[k]))
	if len(drawn) == 0 {
		return c
	}
	sum := 0.0
	for _, x := range drawn {
		sum += x
	}
	c.Mean, c.Low, c.High = sum/float64(len(drawn)), statistic.Quantile(drawn, 0.05), statistic.Quantile(drawn, 0.95)
	if c.Trials >= Fewest && !math.IsNaN(c.Observed) {
		c.P = twoSided(drawn, c.Observed)
	}
	return c
}

// twoSided returns [Compared.P] of an observed number, given drawn ones.
func twoSided(drawn []float64, observed float64) float64 {
	above := 0.0
	for _, x := range drawn {
		switch {
		case x > observed:
			above++
		case x == observed:
			above += 0.5
		}
	}
	share := above / float64(len(drawn))
	return 2 * min(share, 1-share)
}
