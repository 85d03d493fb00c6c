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

// Process draws trials. If the teacher is a Process, only trials are known of it. Means under the teacher are then means over
// trials, and its divergence from an expression is known up to an additive constant.
type Process interface {
	// Draw fills rt and choice, of equal lengths, with independent trials.
	Draw(ctx context.Context, random *rand.Rand, theta, rt, choice []float64) error
}

// drawn holds the trials of a target whose teacher is a [Process].
type drawn struct {
	values [][]float64 // [row][symbol], group by group
	count  int         // trials of each group
}

// lossOfUnit is the weight of one unit of log-likelihood in the loss, if only trials are known. With the default price of 0.01, a node
// must raise the log-likelihood by one unit. A term of the usual size must then raise it by about log n, where n is the number
// of terms in the library. By chance, the best of n useless terms raises it by about half as much.
const lossOfUnit = 0.01

// loss returns the quantity that searches minimise: the log of the mean divergence or, if only trials are known, a multiple of
// the divergence.
func (t *target) loss(mean float64) float64 {
	if t.drawn != nil {
		return mean * t.trials() * lossOfUnit
	}
	return math.Log(max(mean, 1e-12))
}

// raised returns the increase of the loss if the mean divergence rises by `by`. If exact is false, a logarithmic loss is expanded to first order.
func (t *target) raised(mean, by float64, exact bool) float64 {
	switch {
	case t.drawn != nil:
		return by * t.trials() * lossOfUnit
	case exact:
		return math.Log1p(by / mean)
	}
	return by / mean
}

// trials returns the total number of trials.
func (t *target) trials() float64 { return float64(len(t.drawn.values)) }

// leastGainOf returns the smallest gain of a step for which a fit with that mean divergence continues.
func (t *target) leastGainOf(mean float64) float64 {
	if t.drawn != nil {
		return converged / t.trials()
	}
	return max(converged*mean, 1e-12)
}

// newDrawn draws trials at parameter vectors, and places nodes at times at which trials are frequent.
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

// onsetAt returns a function that computes the time at which the density begins from the parameters.
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

// smoothed is a kernel density estimate from trials, over log times since the onset. Nodes are placed according to it. It is
// not safe for concurrent use.
type smoothed struct {
	index   map[*float64]int // the index of a parameter vector, by the address of its first element
	of      [][]curve        // the density of each choice at each parameter vector, [vector][choice]
	choices []float64
	onset   func(theta []float64) float64
}

// curve is the kernel density of the times of one choice: the choice's share times the mean of normal densities.
type curve struct {
	share float64   // the choice's share of the trials
	logs  []float64 // sorted logs of times since the onset
	width float64   // standard deviation of the kernel
}

// leastShare stands for the number of trials of a choice that never occurs, so that its probability is not 0.
const leastShare = 0.1

// curves returns the curve of each choice, from the trials at one parameter vector.
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

// LogDensity implements [divergence.Density].
func (s *smoothed) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		c := &s.of[s.index[&theta[i][0]]][max(0, slices.Index(s.choices, choice[i]))]
		dst[i] = math.Inf(-1)
		if tau := rt[i] - s.onset(theta[i]); tau > 0 {
			dst[i] = c.log(math.Log(tau)) - math.Log(tau)
		}
	}
}

// reach is the distance beyond which a kernel is neglected, in standard deviations.
const reach = 8

// log returns the log of the density at the log time x.
func (c *curve) log(x float64) float64 {
	from, _ := slices.BinarySearch(c.logs, x-reach*c.width)
	to, _ := slices.BinarySearch(c.logs, x+reach*c.width)
	sum := 0.0
	for _, at := range c.logs[from:to] {
		sum += math.Exp(-square((x-at)/c.width) / 2)
	}
	return math.Log(c.share * sum / (float64(len(c.logs)) * c.width * math.Sqrt(2*math.Pi)))
}

// resolution is a small divergence, in nats a trial, that is added to differences, because smaller differences cannot be
// measured.
const resolution = 1e-4

// relative replaces scores that are known only up to a constant by differences from the best expression.
func relative(all []Expression) {
	if len(all) == 0 {
		return
	}
	nearest := slices.MinFunc(all, func(a, b Expression) int { return cmp.Compare(statistic.Mean(a.kl), statistic.Mean(b.kl)) })
	for i := range all {
		farther := slices.Clone(all[i].kl)
		for g := range farther {
			farther[g] -= nearest.kl[g]
		}
		s := summarise(farther)
		all[i].Score = Score{max(s.Mean, 0) + resolution, max(s.Median, 0) + resolution, max(s.Worst, 0) + resolution}
	}
}
