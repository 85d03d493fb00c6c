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

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// These constants say how positions are drawn around the draws of a likelihood.
const (
	freedom      = 5   // degrees of freedom of the t distribution of their distances
	near         = 0.5 // width of that distribution, as a share of the posterior's
	rounds       = 6   // the most rounds; each draws around the weighted positions of the one before
	leastCentres = 50  // the least effective number of positions around which another round draws
	mostHalved   = 20  // how often the logs of weights are halved, at most, to have so many
)

// around returns a likelihood's fit from positions, `each` around each of some draws, which may be of a likelihood near it. A position counts
// as often as its weight says. Positions lie farther out than the draws, so that weights can be trusted more often than those in
// [Reweighed.reweigh]. If a round's weights cannot be trusted, or if fewer than least positions are effective, the next round draws around
// its positions. around returns nil if no round is good enough. A few hundred values of a slow likelihood are far cheaper than the ten
// thousand gradients of NUTS.
func (r Reweighed) around(ctx context.Context, centres *chains.Draws, bind Bind, c *Case, each int, least float64) *Fitted {
	f := &Fitted{}
	var err error
	if f.Problem, err = bind(c); err != nil {
		return nil
	}
	random := stream.Named(fmt.Sprintf("around %d %d", r.Sampler.Seed, c.ID))
	for n := 0; n < rounds && ctx.Err() == nil; n++ {
		cloud, err := newCloud(centres, f.Problem)
		if err != nil {
			return nil
		}
		draws, weights := cloud.draw(random, each)
		if loo.Smooth(weights) <= loo.Threshold(len(weights)) && effective(weights) >= least {
			f.Draws = resampled(draws, weights)
			return f
		}
		for n := 0; effective(weights) < leastCentres && n < mostHalved; n++ {
			halve(weights)
		}
		centres = thinned(resampled(draws, weights), each)
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

// cloud is a mixture of t distributions around draws, in unconstrained coordinates in which the draws have about unit covariance.
type cloud struct {
	problem Problem
	post    *posterior.Posterior // the prior alone
	prior   *posterior.Target    // its log density over unconstrained positions
	chains  [][][]float64        // [chain][draw]: the centres
	root    mat.TriDense         // L: an unconstrained position is L times a position of the cloud
}

// newCloud returns the cloud around the draws of parameters of a problem.
func newCloud(draws *chains.Draws, problem Problem) (*cloud, error) {
	post, err := posterior.Of(func(_, grad []float64) float64 { clear(grad); return 0 }, problem.Params)
	if err != nil {
		return nil, err
	}
	k := &cloud{problem: problem, post: post, prior: post.Target()}
	dim := post.Dim()
	columns := make([][]float64, dim)
	for i := range draws.Chains {
		var all [][]float64
		for n := range draws.Chains[i].Len() {
			q := make([]float64, dim)
			for j := range q {
				q[j] = draws.Chains[i].Params[j][n]
			}
			if err := post.Unconstrain(q, q); err != nil {
				return nil, err
			}
			for j, x := range q {
				columns[j] = append(columns[j], x)
			}
			all = append(all, q)
		}
		k.chains = append(k.chains, all)
	}
	if !k.whiten(columns) {
		return nil, fmt.Errorf("the draws lie in a plane")
	}
	return k, nil
}

// whiten divides the centres by the root of their covariance. columns holds their coordinates.
func (k *cloud) whiten(columns [][]float64) bool {
	dim := len(columns)
	covariance := mat.NewSymDense(dim, nil)
	for i, x := range columns {
		for j, y := range columns[:i+1] {
			covariance.SetSym(i, j, stat.Covariance(x, y, nil))
		}
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(covariance) {
		return false
	}
	cholesky.LTo(&k.root)
	for _, all := range k.chains {
		for _, q := range all {
			v := mat.NewVecDense(dim, q)
			if v.SolveVec(&k.root, v) != nil {
				return false
			}
		}
	}
	return true
}

// draw draws positions, `each` around each centre, and returns their parameters, with the logs of their weights.
func (k *cloud) draw(random *rand.Rand, each int) (draws *chains.Draws, weights []float64) {
	dim := k.post.Dim()
	q, theta, grad := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	draws = &chains.Draws{Names: k.post.Names()}
	for i, all := range k.chains {
		c := chains.Chain{ID: i + 1, Trace: chains.NewTrace(dim, each*len(all))}
		for n := range each * len(all) {
			y := moved(random, all[n/each])
			mat.NewVecDense(dim, q).MulVec(&k.root, mat.NewVecDense(dim, y))
			k.post.Constrain(q, theta)
			value, err := k.prior.LogDensityGrad(q, grad)
			value += k.problem.LogLik(theta) - k.log(y)
			if err != nil || !(value < math.Inf(1)) {
				value = math.Inf(-1)
			}
			weights = append(weights, value)
			for j, x := range theta {
				c.Params[j] = append(c.Params[j], x)
			}
		}
		draws.Chains = append(draws.Chains, c)
	}
	return draws, weights
}

// moved returns a position around a centre.
func moved(random *rand.Rand, centre []float64) []float64 {
	chi := 0.0
	for range freedom {
		x := random.NormFloat64()
		chi += x * x
	}
	y := make([]float64, len(centre))
	for j, x := range centre {
		y[j] = x + near*random.NormFloat64()/math.Sqrt(chi/freedom)
	}
	return y
}

// log returns the log density of the cloud at y, up to a constant.
func (k *cloud) log(y []float64) float64 {
	sum := 0.0
	for _, all := range k.chains {
		for _, centre := range all {
			square := 0.0
			for j, x := range centre {
				square += (y[j] - x) * (y[j] - x)
			}
			sum += math.Pow(1+square/(near*near*freedom), -float64(freedom+len(y))/2)
		}
	}
	return math.Log(sum)
}
