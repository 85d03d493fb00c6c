package gate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
)

const recoveryMeaning = "correlation with the true values of estimates under the teacher: the highest point of a climb of at most 120 gradients, uniform priors over the ranges"

// recovery estimates the parameters of the first settings.Recovery subjects and correlates each parameter's estimates with its true
// values. A subject without an estimate makes the figures undefined.
func recovery(ctx context.Context, s Subject, b *bank.Bank, settings Settings) ([]Figure, error) {
	n := min(settings.Recovery, len(b.Subjects))
	if s.Bind == nil || n == 0 {
		return []Figure{notRun("recovery", recoveryMeaning, "no subjects were asked for")}, nil
	}
	type climbed struct {
		study.Case
		top []float64
		err error
	}
	all, err := study.Run(ctx, study.InMemory(max(1, settings.Threads)), study.First(banked.Source(b), n), climber{s, b.Settings.Params, settings.RecoveryTrials},
		func(c *study.Case, f *study.Fitted) climbed { return climbed{*c, f.Mode, f.Err} })
	if err != nil {
		return nil, err
	}
	var figures []Figure
	for j, p := range b.Settings.Params {
		var truth, estimate []float64
		f := Figure{Name: recoveryPrefix + p.Name, Meaning: recoveryMeaning}
		for _, c := range all {
			if c.err != nil && f.Note == "" {
				f.Note = fmt.Sprintf("subject %d: %v", c.ID, c.err)
			}
			if c.err == nil {
				truth, estimate = append(truth, c.Truth[j]), append(estimate, c.top[j])
			}
		}
		switch {
		case f.Note != "":
			threshold := LeastRecoveryR
			f.Threshold, f.Above = &threshold, true
		default:
			f = above(f.Name, statistic.Correlation(truth, estimate), LeastRecoveryR, recoveryMeaning)
		}
		if slices.Contains(s.Model.Weak, p.Name) && f.Value != nil {
			f = information(f.Name, *f.Value, f.Meaning, "for information: a few hundred trials hardly determine "+p.Name)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// climber estimates a subject's parameters by climbing the posterior of its first trials. The estimate is the highest point of the
// climb; on a flat ridge it may lie short of the mode.
type climber struct {
	Subject
	ranges []bank.Range
	trials int // the most trials of a subject that are used
}

// Fit returns the highest point that a climb of the subject's posterior visits.
func (k climber) Fit(ctx context.Context, c *study.Case) (*study.Fitted, error) {
	n := min(k.trials, len(c.Choice))
	rt, choice := c.Columns[0][:n], c.Choice[:n]
	lik, err := k.Bind(rt, choice)
	if err != nil {
		return nil, err
	}
	params := make([]posterior.Parameter, len(k.ranges))
	for i, r := range k.ranges {
		params[i] = posterior.Parameter{Name: r.Name, Lower: r.Lower, Upper: r.Upper}
	}
	if shift := k.Model.ShiftIndex(); shift >= 0 {
		if err := posterior.CapUpper(params, k.Model.Params[shift].Name, latestShift(k.Model, k.ranges, slices.Min(rt))); err != nil {
			return nil, err
		}
	}
	top, err := highest(ctx, lik, params, func(start []float64) { startBeforeFirst(k.Model, params, start, slices.Min(rt)) })
	return &study.Fitted{Mode: top}, err
}

// latestShift returns an upper bound for the shift, the parameter that moves all response times. A higher shift would put every
// response after `first`, the earliest observed one. Both are in seconds.
func latestShift(m *ssm.Model, ranges []bank.Range, first float64) float64 {
	if w := m.Index(m.Onsets.Width); w >= 0 {
		return first + ranges[w].Upper/2
	}
	return first
}

// startBeforeFirst moves the parameters in start until responses are possible before `first`, the earliest observed one. It does so in
// models whose onsets differ between trials. Each step halves the distance of the onsets' middle to its lower bound, and the distance
// of their width to its upper bound.
func startBeforeFirst(m *ssm.Model, params []posterior.Parameter, start []float64, first float64) {
	middle, width := m.ShiftIndex(), m.Index(m.Onsets.Width)
	for k := 0; width >= 0 && m.Earliest(start) >= first && k < 9; k++ {
		start[middle] = (start[middle] + params[middle].Lower) / 2
		start[width] = (start[width] + params[width].Upper) / 2
	}
}

// highest returns the highest point of a climb that starts in the middle of the parameters' ranges. If the density there is zero, the
// climb starts at a quarter, then at three quarters of the ranges. adjust may change each start.
func highest(ctx context.Context, lik kernel.Sum, params []posterior.Parameter, adjust func(start []float64)) (theta []float64, err error) {
	for _, part := range []float64{0.5, 0.25, 0.75} {
		start := make([]float64, len(params))
		for i, p := range params {
			start[i] = p.Lower + part*(p.Upper-p.Lower)
		}
		adjust(start)
		climbing, stop := context.WithCancel(ctx)
		c := &climb{stop: stop, best: math.Inf(-1)}
		var post *posterior.Posterior
		if post, err = posterior.New(lik, params); err == nil {
			post.Watch = c.watch
			_, err = post.MAPContext(climbing, start)
		}
		stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if c.theta != nil {
			return c.theta, nil
		}
	}
	return nil, err
}

// A climb ends after mostGradients gradients, or when the last idleGradients raised the likelihood by less than leastRise nats. Without
// this limit it would go on in the noise of the networks' single precision.
const (
	mostGradients = 120
	idleGradients = 12
	leastRise     = 1e-3
)

// climb records the highest point that a climb has visited, and stops the climb.
type climb struct {
	stop      context.CancelFunc
	best      float64   // the highest value so far
	theta     []float64 // the parameters at that value; nil if none was finite
	gradients int       // number of gradients so far
	rose      int       // the number of gradients when the value last rose by more than leastRise
}

// watch records the value of the likelihood at theta, and stops a climb that no longer rises.
func (c *climb) watch(theta []float64, value float64) {
	c.gradients++
	if value > c.best {
		if value > c.best+leastRise {
			c.rose = c.gradients
		}
		c.best, c.theta = value, append(c.theta[:0], theta...)
	}
	if c.gradients >= mostGradients || c.gradients-c.rose >= idleGradients {
		c.stop()
	}
}
