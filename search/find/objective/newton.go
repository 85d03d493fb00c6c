package objective

import (
	"math"
	"slices"

	"likc/search/find/tree"
)

// climber maximises the summed expression of each group, the trials of one simulated subject, over all parameters at once. It makes damped
// Newton steps within the ranges. Unlike profiles, which vary one parameter at a time, it detects trade-offs between parameters.
// Coordinates are fractions of the ranges. Derivatives are finite differences.
//
// A climb starts at the best of a few points spread over the ranges. An expression may have a maximum near the truth and higher
// ones far from it, which a sampler will find. A second climb starts at the truth if the sum is higher there than at the end of
// the first climb. But if the first climb did not end on a maximum, there is no second one: an expression that is too rough to
// climb recovers nothing. (Of 71 expressions that were judged by sampling, 11 seemed to recover all parameters when climbs started only at
// the truth, but did not recover them when a sampler was used.)
//
// A weak prior pulls a parameter that the trials do not determine to the middle of its range, as in a posterior mean.
type climber struct {
	lanes  *lanes
	sum    func(theta [][]float64, dst []float64) // computes the sum of each group at theta; by default with the lanes, in tests of another density
	groups []climb                                // the climb of each group
	ended  func(group int) bool                   // reports whether a group's climb has ended
	theta  [][]float64                            // the parameters of each group at which the sums are computed
	sums   []float64                              // the sum of each group at theta, plus the log prior
	up     [][]float64                            // [parameter][group]: the sum one finite difference above the present point
	down   []float64                              // [group]: the sum one finite difference below the present point
	fit    [2][]float64                           // the estimate of one parameter in each group, and its true value
	spread [][]float64                            // the points from which a start is chosen, as fractions of the range that each group can reach
	prior  float64                                // precision of the prior, for coordinates that are fractions of the ranges
	near   float64                                // an estimate at a bound is not an edge if the truth is nearer to the bound than this
}

const (
	difference = 2e-4 // the step of a finite difference, as a share of a range
	steps      = 20   // largest number of Newton steps of a climb
	retries    = 4    // number of shorter steps tried if a step does not raise the sum
	edgeWidth  = 0.01 // an estimate nearer to a bound than this share of a range counts as at the edge
	resolution = 0.01 // estimates are rounded to this share of a range, because estimates that the prior determines still depend a little on the truth

	// The prior is normal, with the mean and the variance of the uniform distribution. Its precision is proportional to the
	// number of trials, so that it has as little weight as with the judge's 1,000 trials.
	priorPrecision = 12
	judgeTrials    = 1000
)

// newClimber returns a climber for the trials of a plan.
func newClimber(p *plan, near float64) *climber {
	n, groups := len(p.params), len(p.theta)
	c := &climber{lanes: newLanes(p), groups: make([]climb, groups), theta: matrix(groups, n), sums: make([]float64, groups), near: near,
		prior: priorPrecision * p.most / judgeTrials,
		up:    matrix(n, groups), down: make([]float64, groups)}
	c.spread = spread(spreadOver, n)
	c.sum = c.lanes.sums
	c.ended = func(g int) bool { return c.groups[g].done }
	c.fit[0], c.fit[1] = make([]float64, groups), make([]float64, groups)
	for g := range c.groups {
		c.groups[g] = climb{at: make([]float64, n), next: make([]float64, n), gradient: make([]float64, n),
			curvature: matrix(n, n), stuck: make([]bool, n), limit: limits(p.reach[g]), factor: matrix(n, n), step: make([]float64, n)}
	}
	return c
}

// matrix returns a matrix of zeros.
func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// refine writes to dst, for each parameter, the correlation of joint estimates and true values, and then, for each parameter, the
// fraction of estimates at an edge. In a lost group, every estimate is the lower bound and counts as at an edge.
func (c *climber) refine(t tree.Tree, dst []float64) {
	c.lanes.f.Load(t)
	c.climb(dst)
}

// climb makes climbs from the best spread points and from the truth, and writes the results to dst as refine does.
func (c *climber) climb(dst []float64) {
	c.start()
	c.ascend()
	c.restartAtTruth()
	c.ascend()
	c.judge(dst)
}

// ascend makes at most `steps` Newton steps, until every group has ended.
func (c *climber) ascend() {
	for range steps {
		if c.finished() {
			break
		}
		c.lanes.use(c.ended)
		c.differentiate()
		c.advance()
	}
}

// none leaves out no group.
func none(int) bool { return false }

// finished reports whether every group's climb has ended.
func (c *climber) finished() bool {
	for g := range c.groups {
		if !c.groups[g].done {
			return false
		}
	}
	return true
}

// ask sets c.sums to each group's sum plus log prior. It is evaluated at the group's point `next`, with parameter i moved by one finite
// difference of the given sign, and parameter j by one difference up. A negative i or j moves nothing.
func (c *climber) ask(i int, sign float64, j int) {
	for g := range c.groups {
		for k, p := range c.lanes.params {
			x := c.groups[g].next[k]
			if k == i {
				x += sign * difference
			}
			if k == j {
				x += difference
			}
			c.theta[g][k] = p.Lower + x*(p.Upper-p.Lower)
		}
	}
	c.sum(c.theta, c.sums)
	for g, theta := range c.theta {
		for k, p := range c.lanes.params {
			x := (theta[k]-p.Lower)/(p.Upper-p.Lower) - 0.5
			c.sums[g] -= c.prior / 2 * x * x
		}
	}
}

// differentiate computes first and second differences at the present point of each group.
func (c *climber) differentiate() {
	const h = difference
	for g := range c.groups {
		copy(c.groups[g].next, c.groups[g].at)
	}
	for i := range c.lanes.params {
		c.ask(i, -1, -1)
		copy(c.down, c.sums)
		c.ask(i, 1, -1)
		copy(c.up[i], c.sums)
		for g := range c.groups {
			s := &c.groups[g]
			if s.done {
				continue
			}
			s.gradient[i] = (c.up[i][g] - c.down[g]) / (2 * h)
			s.curvature[i][i] = -(c.up[i][g] - s.value - s.value + c.down[g]) / (h * h)
			d := s.gradient[i] + s.curvature[i][i]
			s.stuck[i] = d-d != 0 // d-d is NaN if d is infinite or NaN: the difference leaves the support
		}
	}
	for i := range c.lanes.params {
		for j := range i {
			c.ask(i, 1, j)
			for g := range c.groups {
				s := &c.groups[g]
				s.curvature[i][j] = -(c.sums[g] - c.up[i][g] - c.up[j][g] + s.value) / (h * h)
				if math.IsInf(c.sums[g], -1) {
					s.curvature[i][j] = 0
				}
			}
		}
	}
}

// advance moves every group whose climb has not ended by a damped step that raises its sum.
func (c *climber) advance() {
	for g := range c.groups {
		if s := &c.groups[g]; !s.done {
			s.propose()
		}
	}
	for range retries {
		c.ask(-1, 0, -1)
		again := false
		for g := range c.groups {
			s := &c.groups[g]
			if s.done || slices.Equal(s.at, s.next) {
				continue
			}
			if c.sums[g] >= s.value {
				s.accept(c.sums[g])
				continue
			}
			s.damping *= 8
			s.propose()
			again = true
		}
		if !again {
			break
		}
	}
	for g := range c.groups {
		if s := &c.groups[g]; !s.done && !slices.Equal(s.at, s.next) { // no step raised the sum
			copy(s.next, s.at)
		}
	}
}

// judge writes the correlations and edge fractions of the final points to dst.
func (c *climber) judge(dst []float64) {
	n := len(c.lanes.params)
	estimate, truth := c.fit[0], c.fit[1]
	for j, p := range c.lanes.params {
		edges := 0
		for g := range c.groups {
			s := &c.groups[g]
			estimate[g], truth[g] = s.at[j], (c.lanes.plan.theta[g][j]-p.Lower)/(p.Upper-p.Lower)
			if s.lost() {
				estimate[g] = 0
				edges++
				continue
			}
			if x := estimate[g]; (x < edgeWidth || x > 1-edgeWidth) && math.Abs(x-truth[g]) >= c.near {
				edges++
			}
			estimate[g] = math.Round(estimate[g]/resolution) * resolution
		}
		dst[j], dst[n+j] = correlation(estimate, truth), float64(edges)/float64(len(c.groups))
	}
}
