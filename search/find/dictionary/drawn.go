package dictionary

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/statistic"
	"likc/runtime/num/stream"
	"likc/runtime/sys/workers"
)

// Process draws trials. Of a teacher that is one, only trials are known: means under it are means over trials, and its divergence from an expression is
// known but for a constant.
type Process interface {
	// Draw fills rt and choice, of equal lengths, with independent trials.
	Draw(ctx context.Context, random *rand.Rand, theta, rt, choice []float64) error
}

// drawn holds the trials of a target.
type drawn struct {
	values [][]float64 // [row][symbol], group by group
	count  int         // trials of each group
}

// lossOfUnit is what a unit of log-likelihood is worth where only trials are known. So a node at the price of 0.01 has to bring one unit, and a
// term of the usual size about the log of the number of terms in the library, as chance would bring the best of them half of that.
const lossOfUnit = 0.01

// loss is what searches lower: the log of a mean divergence, or a multiple of it where it is known but for a constant.
func (t *target) loss(mean float64) float64 {
	if t.drawn != nil {
		return mean * t.trials() * lossOfUnit
	}
	return math.Log(max(mean, 1e-12))
}

// raised is by how much the loss rises with a mean divergence, to first order where exact is not set.
func (t *target) raised(mean, by float64, exact bool) float64 {
	switch {
	case t.drawn != nil:
		return by * t.trials() * lossOfUnit
	case exact:
		return math.Log1p(by / mean)
	}
	return by / mean
}

// trials is the number of all trials.
func (t *target) trials() float64 { return float64(len(t.drawn.values)) }

// leastGainOf is the gain of a step below which a fit with that mean divergence is done.
func (t *target) leastGainOf(mean float64) float64 {
	if t.drawn != nil {
		return converged / t.trials()
	}
	return max(converged*mean, 1e-12)
}

// newDrawn draws trials at parameter vectors and places nodes where they are.
func newDrawn(ctx context.Context, theta [][]float64, header *expr.Model, process Process, s *Settings, nodes int, random *rand.Rand) (*target, error) {
	smooth := &smoothed{index: map[*float64]int{}, choices: header.Codes(), onset: onsetAt(header)}
	if len(smooth.choices) == 0 {
		smooth.choices = []float64{1}
	}
	seeds := random.Uint64()
	rt, choice := make([][]float64, len(theta)), make([][]float64, len(theta))
	err := workers.Try(ctx, len(theta), workers.Threads(len(theta), s.Threads), func(ctx context.Context, i int) error {
		rt[i], choice[i] = make([]float64, s.Trials), make([]float64, s.Trials)
		return process.Draw(ctx, stream.Named(fmt.Sprintf("dictionary %d %d", seeds, i)), theta[i], rt[i], choice[i])
	})
	if err != nil {
		return nil, err
	}
	for i := range theta {
		smooth.index[&theta[i][0]] = len(smooth.of)
		smooth.of = append(smooth.of, smooth.curves(theta[i], rt[i], choice[i]))
	}
	t, err := newTarget(ctx, theta, header, smooth, nodes, random)
	if err != nil {
		return nil, err
	}
	if t.groups != len(theta) {
		return nil, fmt.Errorf("nodes at %d of %d parameter vectors do not hold all trials", len(theta)-t.groups, len(theta))
	}
	reflected := expr.NewTape(header.ParamNames(), header.Reflected()...)
	t.drawn = &drawn{count: s.Trials}
	for i, at := range theta {
		other, _ := reflected.Eval(nil, at)
		for j, x := range rt[i] {
			row := at
			if header.Choices == 0 && choice[i][j] < 0 {
				row = other
			}
			row = append(row[:len(row):len(row)], x, choice[i][j])
			t.drawn.values = append(t.drawn.values, row[:len(t.symbols)])
		}
	}
	return t, nil
}

// onsetAt returns the time at which the density begins, by parameter vector.
func onsetAt(header *expr.Model) func(theta []float64) float64 {
	onset, _ := onsetOf(header)
	if onset == nil {
		return func([]float64) float64 { return 0 }
	}
	tape := expr.NewTape(header.ParamNames(), onset)
	return func(theta []float64) float64 {
		out, _ := tape.Eval(nil, theta)
		return out[0]
	}
}

// smoothed is the density of trials with a kernel over log times since the onset: it says where nodes are to be. It is for one goroutine at a time.
type smoothed struct {
	index   map[*float64]int // by the address of a parameter vector
	of      [][]curve        // by vector and choice
	choices []float64
	onset   func(theta []float64) float64
}

// curve is a kernel density of a choice's times: share·mean of normal densities.
type curve struct {
	share float64
	logs  []float64 // sorted logs of times since the onset
	width float64   // standard deviation of the kernel
}

// leastShare is the probability of a choice that was never made, as a number of trials.
const leastShare = 0.1

// curves are those of the trials at one parameter vector.
func (s *smoothed) curves(theta, rt, choice []float64) (all []curve) {
	onset := s.onset(theta)
	var pool []float64
	for _, x := range rt {
		pool = append(pool, math.Log(max(x-onset, 1e-9)))
	}
	for _, code := range s.choices {
		var logs []float64
		for i, c := range choice {
			if c == code || len(s.choices) == 1 {
				logs = append(logs, pool[i])
			}
		}
		share := (float64(len(logs)) + leastShare) / (float64(len(rt)) + leastShare*float64(len(s.choices)))
		if len(logs) < 5 {
			logs = slices.Clone(pool)
		}
		slices.Sort(logs)
		spread := (statistic.Quantile(logs, 0.84) - statistic.Quantile(logs, 0.16)) / 2
		all = append(all, curve{share, logs, max(spread, 1e-3) * math.Pow(float64(len(logs)), -0.2)})
	}
	return all
}

// LogDensity is as [divergence.Density] says.
func (s *smoothed) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		c := &s.of[s.index[&theta[i][0]]][max(0, slices.Index(s.choices, choice[i]))]
		dst[i] = math.Inf(-1)
		if tau := rt[i] - s.onset(theta[i]); tau > 0 {
			dst[i] = c.log(math.Log(tau)) - math.Log(tau)
		}
	}
}

// reach is how far a kernel reaches, in standard deviations.
const reach = 8

// log is the log of the density of a log time.
func (c *curve) log(x float64) float64 {
	from, _ := slices.BinarySearch(c.logs, x-reach*c.width)
	to, _ := slices.BinarySearch(c.logs, x+reach*c.width)
	sum := 0.0
	for _, at := range c.logs[from:to] {
		sum += math.Exp(-square((x-at)/c.width) / 2)
	}
	return math.Log(c.share * sum / (float64(len(c.logs)) * c.width * math.Sqrt(2*math.Pi)))
}

// resolution is the distance between expressions that are as near as can be told, in nats a trial.
const resolution = 1e-4

// relative replaces the scores of expressions on trials alone by those of how much farther each is than the nearest.
func relative(all []Expression) {
	if len(all) == 0 {
		return
	}
	nearest := slices.MinFunc(all, func(a, b Expression) int { return cmp.Compare(mean(a.kl), mean(b.kl)) })
	for i := range all {
		farther := slices.Clone(all[i].kl)
		for g := range farther {
			farther[g] -= nearest.kl[g]
		}
		s := summarise(farther)
		all[i].Score = Score{max(s.Mean, 0) + resolution, max(s.Median, 0) + resolution, max(s.Worst, 0) + resolution}
	}
}
