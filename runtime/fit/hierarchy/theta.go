package hierarchy

import (
	"math"
	"math/rand/v2"

	"likc/runtime/model/bound"
	"likc/runtime/num/chains"
)

// Rows computes the parameters of the model in single trials, for draws of the study. It is not safe for concurrent use.
type Rows struct {
	study        *Study
	values       *bound.Parameters // the distinct values of the parameters as functions of the coefficients
	coefs        []float64         // the coefficients of the present draw
	value, slope []float64         // each distinct value at the present draw, and its derivative with respect to the linear predictor
	all          [][]float64       // columns that All returns; nil before the first call
}

// Rows returns a Rows for the study's trials.
func (s *Study) Rows() *Rows {
	r := &Rows{study: s, coefs: make([]float64, len(s.coords)), values: s.design().Parameters(s.Trials())}
	r.value, r.slope = make([]float64, r.values.N()), make([]float64, r.values.N())
	return r
}

// Groups returns groups of trials whose parameters are equal in every draw, in the order of their first trials.
func (r *Rows) Groups() [][]int { return r.values.Groups() }

// All returns the parameters of all trials at the current draw, in the form that [kernel.Rows] needs. It is valid until the next
// call.
func (r *Rows) All() [][]float64 {
	r.all = r.values.All(r.value, r.all)
	return r.all
}

// Draw sets the current draw to draw k of chain c.
func (r *Rows) Draw(d *chains.Draws, c, k int) {
	for j, column := range d.Chains[c].Params {
		r.coefs[j] = column[k]
	}
	r.evaluate()
}

// DrawNew sets the current draw to draw k of chain c with new levels, such as participants that the study did not have. It
// replaces the offsets of each level of each grouping by draws with the spreads and correlations of draw k.
func (r *Rows) DrawNew(rng *rand.Rand, d *chains.Draws, c, k int) {
	r.Draw(d, c, k)
	for _, g := range r.study.groups {
		g.redraw(rng, r.coefs)
	}
	r.evaluate()
}

// evaluate computes the parameters from the present coefficients.
func (r *Rows) evaluate() { r.values.Evaluate(r.coefs, r.value, r.slope) }

// Theta writes the parameters of a trial at the current draw.
func (r *Rows) Theta(row int, theta []float64) {
	for i := range theta {
		theta[i] = r.value[r.values.Of(i, row)]
	}
}

// redraw replaces the group's offsets in coefs by normal draws. Their spreads and correlations are in coefs too.
func (g *group) redraw(rng *rand.Rand, coefs []float64) {
	n := len(g.effects)
	factor, z := g.factorOf(coefs), make([]float64, n)
	for level := range g.levels {
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		for k, e := range g.effects {
			sum := 0.0
			for m, l := range factor[k][:k+1] {
				sum += l * z[m]
			}
			coefs[g.offset(level, k)] = coefs[e.spread] * sum
		}
	}
}

// factorOf returns the Cholesky factor of a group's correlations among the coefficients; without correlations it is the identity
// matrix.
func (g *group) factorOf(coefs []float64) [][]float64 {
	l := make([][]float64, len(g.effects))
	for i := range l {
		l[i] = make([]float64, len(l))
		rest := 1.0
		for j := range i {
			if !g.correlated() {
				continue
			}
			sum := coefs[g.partialIndex(i, j)]
			for m := range j {
				sum -= l[i][m] * l[j][m]
			}
			if l[j][j] > 0 {
				l[i][j] = sum / l[j][j]
			}
			rest -= l[i][j] * l[i][j]
		}
		l[i][i] = math.Sqrt(max(rest, 0))
	}
	return l
}
