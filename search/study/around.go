package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/loo"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"

	"gonum.org/v1/gonum/floats"
)

// These constants say how positions with weights are drawn for a likelihood.
const (
	mostRounds   = 24  // rounds; each draws around the weighted positions of all before. A fit that fails needs whole chains, which take as long as a hundred
	mostCentres  = 250 // points around which a round draws
	leastCentres = 50  // the least effective number of these points
	mostHalved   = 20  // how often the logs of weights are halved, at most, to have so many
)

// A posterior is hard if the first rounds have too few effective positions. Rounds that end as soon as there are enough then end too early:
// while weights look even, parts of a tail have not been found. So later rounds are larger, and end only when several times as many positions
// are effective, or after many rounds. Standard deviations on the ridges of a race are then 1 to 3 % low in the median of 60 subjects, before 2 to 5 %.
const (
	easyRounds = 2 // rounds that an easy posterior needs, at most
	manyRounds = 8 // rounds after which a hard posterior needs no more effective positions than an easy one
	moreIfHard = 4 // how many times as many it needs before, if its intervals count
)

// aim returns, after a number of rounds, how many effective positions are enough, and how many positions the next round draws. An easy posterior
// needs `least` effective ones.
func aim(least, rounds int) (enough, size int) {
	enough = least
	if rounds > easyRounds && least >= LeastOfFormula {
		enough *= moreIfHard
	}
	size = enough + enough/4
	if rounds >= manyRounds {
		enough = least
	}
	return enough, size
}

// around returns a likelihood's fit from draws of that likelihood or of one near it, and from positions around them. Each counts as often as its
// weight says. If weights cannot be trusted, or if fewer than `least` are effective, a round of positions is drawn around all so far, with
// their weights. Weights are divided by the density of the mixture of all draws and rounds [cornuet2012]. Its part for the draws is known up
// to a factor, which is estimated from all positions [shirts2008]. So the draws bound the weights in tails where rounds draw seldom.
// A nil bind means the whole likelihood of the draws. around returns nil if no round is good enough. A few hundred values of a slow likelihood
// are far cheaper than the ten thousand gradients of NUTS.
//
// References: [cornuet2012] J.-M. Cornuet, J.-M. Marin, A. Mira, C. P. Robert, Adaptive multiple importance sampling, Scandinavian Journal of
// Statistics 39, 2012. [shirts2008] M. R. Shirts, J. D. Chodera, Statistically optimal analysis of samples from multiple equilibrium states,
// Journal of Chemical Physics 129, 2008.
func (r Reweighed) around(ctx context.Context, of *valued, bind Bind, c *Case, least int) *Fitted {
	f := &Fitted{Problem: of.Problem}
	f.Problem.Share = 0
	var err error
	if bind != nil {
		if f.Problem, err = bind(c); err != nil {
			return nil
		}
	}
	s, err := newScatter(of, f.Problem, bind == nil, of.most(least))
	if err != nil {
		return nil
	}
	return r.rounds(ctx, f, s, c, least)
}

// among does what around does, but begins with all positions that were drawn for a likelihood near the wanted one.
func (r Reweighed) among(ctx context.Context, positions *scatter, bind Bind, c *Case, least int) *Fitted {
	wanted, err := bind(c)
	if err != nil {
		return nil
	}
	return r.rounds(ctx, &Fitted{Problem: wanted}, positions.toward(wanted), c, least)
}

// rounds draws rounds of positions until enough are effective, and sets the fit's draws and positions. It returns nil if no round is good enough.
func (r Reweighed) rounds(ctx context.Context, f *Fitted, s *scatter, c *Case, least int) *Fitted {
	name := fmt.Sprintf("around %d %d", r.Sampler.Seed, c.ID)
	if n := len(s.clouds); n > 0 { // other random numbers than in the rounds before
		name = fmt.Sprintf("%s after %d", name, n)
	}
	random := stream.Named(name)
	var err error
	for n := 0; n <= mostRounds && err == nil && ctx.Err() == nil; n++ {
		weights, trusted := s.weights()
		enough, size := aim(least, len(s.clouds))
		if s.reached = s.effective(weights); trusted && s.reached >= float64(enough) {
			f.Draws, f.positions = resampled(s.chains(), weights), s
			return f
		}
		for h := 0; s.effective(weights) < leastCentres && h < mostHalved; h++ {
			halve(weights)
		}
		err = s.round(s.chosen(weights, random), random, size)
	}
	return nil
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

// scatter holds positions for a likelihood: draws of a likelihood near it, or of itself, and then those of clouds.
type scatter struct {
	near, wanted Problem              // the likelihood of the draws, and the one whose draws are wanted
	post         *posterior.Posterior // the prior alone
	prior        *posterior.Target    // its log density over unconstrained positions

	same      bool    // whether these are the same but for their shares
	worth     float64 // the number of independent draws for which one draw counts
	draws     int     // number of draws
	clouds    []*cloud
	at, theta [][]float64 // unconstrained positions, and their parameters
	sampled   []float64   // log density of the posterior of which draws are known
	target    []float64   // log density of the wanted posterior
	mixed     []float64   // log of the sum of the clouds' densities, each times the number of its positions
	reached   float64     // effective number of the positions, by the weights of the last round
}

// newScatter returns at most about n draws. Draws of positions with weights are dealt to the chains in turns, so that copies of one position stand
// at the same place of each chain. Therefore draws of other places are taken from each.
func newScatter(of *valued, wanted Problem, same bool, n int) (*scatter, error) {
	post, err := posterior.Of(func(_, grad []float64) float64 { clear(grad); return 0 }, wanted.Params)
	if err != nil {
		return nil, err
	}
	s := &scatter{near: of.Problem, wanted: wanted, same: same, post: post, prior: post.Target()}
	every := max(1, (of.Len()*len(of.Chains)+n-1)/n)
	for k := range of.Chains {
		for i := k * every / len(of.Chains); i < of.Len(); i += every {
			q := of.at(k, i, make([]float64, post.Dim()))
			if err := post.Unconstrain(q, q); err != nil {
				return nil, err
			}
			s.add(q)
		}
	}
	s.draws = len(s.at)
	s.worth = of.worth(s.draws)
	return s, nil
}

// add adds an unconstrained position, of which the clouds' densities are not known yet.
func (s *scatter) add(q []float64) {
	theta := make([]float64, len(q))
	s.post.Constrain(q, theta)
	prior, wanted := s.logPrior(q), s.wanted.LogLik(theta)
	near := wanted
	if !s.same {
		near = s.near.LogLik(theta)
	}
	target, sampled := defined(prior+s.wanted.share()*wanted), defined(prior+s.near.share()*near)
	s.at, s.theta = append(s.at, q), append(s.theta, theta)
	s.target, s.sampled, s.mixed = append(s.target, target), append(s.sampled, sampled), append(s.mixed, math.Inf(-1))
}

// logPrior returns the log density of the prior at an unconstrained position; -Inf where it is undefined.
func (s *scatter) logPrior(q []float64) float64 {
	value, err := s.prior.LogDensityGrad(q, make([]float64, len(q)))
	if err != nil {
		return math.Inf(-1)
	}
	return defined(value)
}

// defined returns a log density, or -Inf if it is no number or infinite.
func defined(log float64) float64 {
	if log < math.Inf(1) {
		return log
	}
	return math.Inf(-1)
}

// toward returns a copy with the same positions, whose weights are for another likelihood.
func (s *scatter) toward(wanted Problem) *scatter {
	t := *s
	t.wanted, t.same, t.target = wanted, false, nil
	t.clouds, t.at, t.theta, t.sampled, t.mixed = slices.Clip(s.clouds), slices.Clip(s.at), slices.Clip(s.theta), slices.Clip(s.sampled), slices.Clone(s.mixed)
	for i, q := range s.at {
		t.target = append(t.target, defined(t.logPrior(q)+wanted.share()*wanted.LogLik(s.theta[i])))
	}
	return &t
}

// round draws n positions from the cloud around some points.
func (s *scatter) round(p points, random *rand.Rand, n int) error {
	next, err := newCloud(p)
	if err != nil {
		return err
	}
	drawn := next.draw(random, n)
	s.mix(next, 0)
	s.clouds = append(s.clouds, next)
	before := len(s.at)
	for _, q := range drawn {
		s.add(q)
	}
	for _, k := range s.clouds {
		s.mix(k, before)
	}
	return nil
}

// mix adds the density of a cloud, times the number of its positions, to that of the mixture at all positions but the first ones.
func (s *scatter) mix(k *cloud, first int) {
	drawn, mixed := math.Log(float64(k.drawn)), s.mixed[first:]
	for i, density := range k.logs(s.at[first:]) {
		mixed[i] = floats.LogSumExp([]float64{mixed[i], drawn + density})
	}
}

// weights returns the logs of the positions' weights, which sum to 1, and whether they can be trusted.
func (s *scatter) weights() (weights []float64, trusted bool) {
	weights = s.over(s.target, s.factor())
	even := slices.Max(weights)-slices.Min(weights) <= evenWeights
	shape := loo.Smooth(weights)
	return weights, even || shape <= loo.Threshold(len(weights))
}

// over returns the logs of a posterior's density divided by that of the mixture. factor is the log of the integral of the posterior of the draws.
func (s *scatter) over(density []float64, factor float64) []float64 {
	ratios, drawn := make([]float64, len(density)), math.Log(s.worth*float64(s.draws))
	for i, x := range density {
		ratios[i] = x - floats.LogSumExp([]float64{drawn + s.sampled[i] - factor, s.mixed[i]})
		if i < s.draws {
			ratios[i] += math.Log(s.worth)
		}
		if math.IsNaN(ratios[i]) {
			ratios[i] = math.Inf(-1)
		}
	}
	return ratios
}

// factor returns the log of the integral of the posterior of the draws, in the units of the clouds' densities. Without clouds there are none.
func (s *scatter) factor() float64 {
	const steps, enough = 100, 1e-4
	if len(s.clouds) == 0 {
		return 0
	}
	factor := math.Inf(1) // as if there were no draws
	for range steps {
		next := floats.LogSumExp(s.over(s.sampled, factor))
		if math.Abs(next-factor) < enough || math.IsInf(next, 0) {
			return next
		}
		factor = next
	}
	return factor
}

// effective returns the effective number of independent draws, by the logs of weights, which sum to 1.
func (s *scatter) effective(weights []float64) float64 {
	squares := 0.0
	for i, w := range weights {
		square := math.Exp(2 * w)
		if i < s.draws {
			square /= s.worth
		}
		squares += square
	}
	return 1 / squares
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

// chains returns the parameters of all positions, as two chains of equal length if their number is even.
func (s *scatter) chains() *chains.Draws {
	d, n := &chains.Draws{Names: s.post.Names()}, 1+(len(s.theta)+1)%2
	length := len(s.theta) / n
	for k := range n {
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
