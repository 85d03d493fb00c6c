package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"likc/runtime/fit/loo"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// These constants say how positions with weights are drawn for a likelihood.
const (
	mostRounds   = 8   // rounds; each draws around the weighted positions of all before
	mostCentres  = 250 // points around which a round draws
	leastCentres = 50  // the least effective number of these points
	mostHalved   = 20  // how often the logs of weights are halved, at most, to have so many
)

// roundSize returns the number of positions that a round draws, if `least` positions must be effective in the end.
func roundSize(least int) int { return least + least/4 }

// around returns a likelihood's fit from positions around some draws, which may be of a likelihood near it. A position counts as often as its
// weight says. If weights cannot be trusted, or if fewer than `least` positions are effective, another round draws around all positions so
// far, with their weights. No position is lost: weights are divided by the mean density of all rounds' clouds [cornuet2012]. around returns
// nil if no round is good enough. A few hundred values of a slow likelihood are far cheaper than the ten thousand gradients of NUTS.
//
// Reference: [cornuet2012] J.-M. Cornuet, J.-M. Marin, A. Mira, C. P. Robert, Adaptive multiple importance sampling, Scandinavian Journal of
// Statistics 39, 2012.
func (r Reweighed) around(ctx context.Context, centres *chains.Draws, bind Bind, c *Case, least int) *Fitted {
	f := &Fitted{}
	var err error
	if f.Problem, err = bind(c); err != nil {
		return nil
	}
	s, err := newScatter(f.Problem)
	if err != nil {
		return nil
	}
	next, err := s.pointsOf(thinned(centres, mostCentres))
	random := stream.Named(fmt.Sprintf("around %d %d", r.Sampler.Seed, c.ID))
	for n := 0; n < mostRounds && err == nil && ctx.Err() == nil; n++ {
		if err = s.round(next, random, roundSize(least)); err != nil {
			return nil
		}
		weights, trusted := s.weights()
		if trusted && effective(weights) >= float64(least) {
			f.Draws = resampled(s.draws(), weights)
			return f
		}
		for n := 0; effective(weights) < leastCentres && n < mostHalved; n++ {
			halve(weights)
		}
		next = s.chosen(weights, random)
	}
	return nil
}

// effective returns the effective number of draws with weights, whose logs are given and which sum to 1.
func effective(weights []float64) float64 {
	squares := 0.0
	for _, w := range weights {
		squares += math.Exp(2 * w)
	}
	return 1 / squares
}

// halve halves the logs of weights, and divides the weights by their sum. Those of 0 stay.
func halve(weights []float64) {
	sum := 0.0
	for i := range weights {
		weights[i] /= 2
		sum += math.Exp(weights[i])
	}
	for i := range weights {
		weights[i] -= math.Log(sum)
	}
}

// scatter holds the positions that were drawn for a likelihood, by several clouds of which each drew equally many.
type scatter struct {
	problem Problem
	post    *posterior.Posterior // the prior alone
	prior   *posterior.Target    // its log density over unconstrained positions

	clouds []*cloud
	at     [][]float64 // unconstrained positions
	theta  [][]float64 // their parameters
	target []float64   // log density of the posterior
	mixed  []float64   // log of the sum of the clouds' densities
}

// newScatter returns no positions yet.
func newScatter(problem Problem) (*scatter, error) {
	post, err := posterior.Of(func(_, grad []float64) float64 { clear(grad); return 0 }, problem.Params)
	if err != nil {
		return nil, err
	}
	return &scatter{problem: problem, post: post, prior: post.Target()}, nil
}

// pointsOf returns draws as points of equal weight.
func (s *scatter) pointsOf(draws *chains.Draws) (p points, err error) {
	for i := range draws.Chains {
		for n := range draws.Chains[i].Len() {
			q := make([]float64, s.post.Dim())
			for j := range q {
				q[j] = draws.Chains[i].Params[j][n]
			}
			if err := s.post.Unconstrain(q, q); err != nil {
				return p, err
			}
			p.at = append(p.at, q)
		}
	}
	for range p.at {
		p.weight = append(p.weight, 1/float64(len(p.at)))
	}
	return p, nil
}

// round draws n positions from the cloud around some points.
func (s *scatter) round(p points, random *rand.Rand, n int) error {
	next, err := newCloud(p)
	if err != nil {
		return err
	}
	for i, q := range s.at {
		s.mixed[i] = logSum(s.mixed[i], next.log(q))
	}
	s.clouds = append(s.clouds, next)
	grad := make([]float64, s.post.Dim())
	for _, q := range next.draw(random, n) {
		mixed, theta := math.Inf(-1), make([]float64, len(q))
		for _, k := range s.clouds {
			mixed = logSum(mixed, k.log(q))
		}
		s.post.Constrain(q, theta)
		value, err := s.prior.LogDensityGrad(q, grad)
		if value += s.problem.LogLik(theta); err != nil || !(value < math.Inf(1)) {
			value = math.Inf(-1)
		}
		s.at, s.theta = append(s.at, q), append(s.theta, theta)
		s.target, s.mixed = append(s.target, value), append(s.mixed, mixed)
	}
	return nil
}

// logSum returns the log of the sum of two numbers, whose logs are given.
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// weights returns the logs of the positions' weights, which sum to 1, and whether they can be trusted.
func (s *scatter) weights() (weights []float64, trusted bool) {
	for i, x := range s.target {
		weights = append(weights, x-s.mixed[i])
	}
	return weights, loo.Smooth(weights) <= loo.Threshold(len(weights))
}

// chosen returns at most mostCentres of the positions, each with about its weight.
func (s *scatter) chosen(weights []float64, random *rand.Rand) (p points) {
	below, taken, offset := 0.0, 0, random.Float64()
	for i, w := range weights {
		before := taken
		for below += math.Exp(w) * mostCentres; taken < mostCentres && float64(taken)+offset < below; taken++ {
		}
		if taken > before {
			p.at, p.weight = append(p.at, s.at[i]), append(p.weight, float64(taken-before))
		}
	}
	for i := range p.weight {
		p.weight[i] /= float64(taken)
	}
	return p
}

// draws returns the parameters of all positions, as two chains of equal length.
func (s *scatter) draws() *chains.Draws {
	const two = 2
	d := &chains.Draws{Names: s.post.Names()}
	length := len(s.theta) / two
	for k := range two {
		c := chains.Chain{ID: k + 1, Trace: chains.NewTrace(s.post.Dim(), length)}
		for _, theta := range s.theta[k*length : (k+1)*length] {
			for j, x := range theta {
				c.Params[j] = append(c.Params[j], x)
			}
		}
		d.Chains = append(d.Chains, c)
	}
	return d
}
