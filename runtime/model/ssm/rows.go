package ssm

import (
	"cmp"
	"math"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/num/vec"
)

// exactRows is the exact density of the drift-diffusion model row by row. With d the distance to the crossed boundary, the log
// density is
//
//	-(d+vτ)²/2τ + H(τ, width, near),
//
// where H, which contains the infinite series, does not depend on the drift v. So rows of equal rt and choice share a series, whatever
// their drifts are.
type exactRows struct {
	rt, choice []float64
	sides      [2]sharedSide
}

// sharedSide holds the rows of one choice. Row row[i], in ascending order of rt, has the distinct response time rt[point[i]].
type sharedSide struct {
	side
	row, point []int32
}

// NewRows binds trials, as [NewExact] does and with its errors, for evaluations row by row.
func NewRows(rt, choice []float64) (kernel.Rows, error) {
	if _, err := NewExact(rt, choice); err != nil {
		return nil, err
	}
	return &exactRows{rt, choice, [2]sharedSide{newSharedSide(-1, rt, choice), newSharedSide(1, rt, choice)}}, nil
}

func newSharedSide(which float64, rt, choice []float64) sharedSide {
	s := sharedSide{side: side{choice: which}}
	for i, c := range choice {
		if c == which {
			s.row = append(s.row, int32(i))
		}
	}
	slices.SortStableFunc(s.row, func(i, j int32) int { return cmp.Compare(rt[i], rt[j]) })
	for _, i := range s.row {
		if n := len(s.rt); n == 0 || s.rt[n-1] != rt[i] {
			s.rt = append(s.rt, rt[i])
		}
		s.point = append(s.point, int32(len(s.rt)-1))
	}
	return s
}

// N returns the number of rows.
func (e *exactRows) N() int { return len(e.rt) }

// Dim returns 4, the number of parameters: v, a, z, t.
func (e *exactRows) Dim() int { return 4 }

// Each evaluates the rows. If only the drift differs between rows, this takes about as long as the summed likelihood.
func (e *exactRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	if grad == nil {
		grad = noGradient[:]
	}
	if len(theta[1]) > 1 || len(theta[2]) > 1 || len(theta[3]) > 1 {
		for i := range e.rt {
			e.evaluateOne(i, theta, logp, grad)
		}
		return
	}
	var c series
	for i := range e.sides {
		e.side(&e.sides[i], &c, theta, logp, grad)
	}
}

var noGradient [4][]float64

// evaluateOne evaluates a row by passage.logDensity.
func (e *exactRows) evaluateOne(i int, theta [][]float64, logp []float64, grad [][]float64) {
	var at, slope [4]float64
	for j := range at {
		at[j] = kernel.At(theta[j], i)
	}
	logp[i] = logDensityGrad(e.rt[i], e.choice[i], at[:], slope[:])
	if math.IsInf(logp[i], 0) || math.IsNaN(logp[i]) {
		clear(slope[:])
	}
	for j, g := range grad {
		if g != nil {
			g[i] = slope[j]
		}
	}
}

// side evaluates the rows of one choice, with the same boundary, start and onset. It leaves rows with response times before the onset
// to evaluateOne, and all rows if the series would lose accuracy.
func (e *exactRows) side(s *sharedSide, c *series, theta [][]float64, logp []float64, grad [][]float64) {
	at := [4]float64{0, theta[1][0], theta[2][0], theta[3][0]}
	early := s.until(at[3])
	first := 0 // first row after the onset
	for first < len(s.row) && int(s.point[first]) < early {
		first++
	}
	later := sharedSide{side: side{choice: s.choice, rt: s.rt[early:]}}
	g := passageAt(s.choice, at[:])
	if len(later.rt) > 0 && (logOutside(at[:], later.rt[0]) != 0 || later.extreme(&g, at[3])) {
		first = len(s.row)
	}
	for _, i := range s.row[:first] {
		e.evaluateOne(int(i), theta, logp, grad)
	}
	later.row, later.point = s.row[first:], s.point[first:]
	if len(later.row) > 0 {
		r := newRun(&g, at[3])
		out := rowsOut{passage: g, drifts: theta[0], logp: logp, grad: grad}
		out.evaluate(&r, &later, c, early)
	}
}

// rowsOut holds the parameters of the rows of one choice, and the slices to which their results are written.
type rowsOut struct {
	passage
	drifts []float64 // drifts of the model
	logp   []float64
	grad   [][]float64
}

// evaluate processes the distinct response times, a block at a time: first H, then the rows. It skips the first `early` points of s.
func (o *rowsOut) evaluate(r *run, s *sharedSide, c *series, early int) {
	from, row := 0, 0
	terms := [...]int{2, 4, largeTerms, fewWaves, 1}
	for span, end := range r.spans(&s.side) {
		for from < end {
			to := min(from+blockSize, end)
			rt := s.rt[from:to]
			if span < 2 {
				r.images(c, rt, terms[span])
			} else {
				r.wavesAt(c, rt, terms[span])
			}
			last := row
			for last < len(s.row) && int(s.point[last])-early < to {
				last++
			}
			o.rows(c, s.row[row:last], s.point[row:last], early+from, s.choice)
			from, row = to, last
		}
	}
}

// series holds the columns of a block of distinct response times: H and its derivatives in the decision time, the width and near.
type series struct {
	block
	tau                            column
	value, byTime, byWidth, byNear column
}

// rows computes rows from their drifts and the H of their distinct response times, of which the first in this block has index base.
func (o *rowsOut) rows(c *series, row, point []int32, base int, choice float64) {
	sign := -choice
	distance := o.width * o.near
	gv, ga, gz, gt := o.grad[0], o.grad[1], o.grad[2], o.grad[3]
	for k, i := range row {
		p := int(point[k]) - base
		v := sign * kernel.At(o.drifts, int(i))
		root := distance + v*c.tau[p]
		rate := root * c.inverse[p]
		value := c.value[p] - root*rate/2
		o.logp[i] = value
		if value-value != 0 {
			o.zero(i)
			continue
		}
		if gv != nil {
			gv[i] = -sign * root
		}
		if ga != nil {
			ga[i] = 2 * (c.byWidth[p] - rate*o.near)
		}
		if gz != nil {
			gz[i] = sign * (c.byNear[p] - rate*o.width)
		}
		if gt != nil {
			gt[i] = -c.byTime[p] - rate*(distance*c.inverse[p]-v)/2
		}
	}
}

// zero sets a row's gradient to zero.
func (o *rowsOut) zero(i int32) {
	for _, g := range o.grad {
		if g != nil {
			g[i] = 0
		}
	}
}

// images fills the columns by the small-time series, with 2 or 4 images:
//
//	H = log(q³S²)/2 - 2 log(width) - log(2π)/2.
func (r *run) images(c *series, rt []float64, images int) {
	n := len(rt)
	r.decisionTimes(c, rt)
	r.fillExponentials(&c.block, n, images)
	w := r.near
	c0, c1, c2 := 2-w, 2+w, 4-w
	k0, k1, k2 := 2*c0*r.far, -2*c1*(1+w), 4*c2*c0
	over := 1 / r.width
	inverse, g, h := c.inverse[:n], c.g[:n], c.h[:n]
	product, time, wide, near := c.value[:n], c.byTime[:n], c.byWidth[:n], c.byNear[:n]
	for i, e := range g {
		f := h[i]
		q := r.square * inverse[i]
		third := e * e * e * f
		sum := w - c0*e + c1*f - c2*third
		product[i] = q * (q * sum) * (q * sum)
		inverseSum := 1 / sum
		slope := q * inverseSum * (k0*e + k1*f + k2*third)
		time[i] = -(1.5 + slope) * inverse[i]
		wide[i] = (1 + 2*slope) * over
		near[i] = inverseSum * (1 + e + f + third - 2*q*(c0*e+c1*f+2*c2*third))
	}
	vec.Log(product, product)
	shift := -2*math.Log(r.width) - halfLog2Pi
	for i, x := range product {
		product[i] = x/2 + shift
	}
}

// decisionTimes computes τ and 1/τ.
func (r *run) decisionTimes(c *series, rt []float64) {
	tau := c.tau[:len(rt)]
	vec.AddScalar(tau, rt, -r.t)
	vec.ScalarDiv(c.inverse[:len(rt)], tau, 1)
}

// wavesAt fills the columns by the large-time series with that many waves:
//
//	H = log π - 2 log(width) - π²u/2 + log L + d²/2τ.
func (r *run) wavesAt(c *series, rt []float64, terms int) {
	n := len(rt)
	e, product, time, wide, near := c.g[:n], c.value[:n], c.byTime[:n], c.byWidth[:n], c.byNear[:n]
	tau, inverse := c.tau[:n], c.inverse[:n]
	over, overWidth, decay := 1/r.square, 1/r.width, math.Pi*math.Pi/2
	r.decisionTimes(c, rt)
	vec.MulScalar(e, tau, -decay*over)
	vec.Exp(e, e)
	value, timeOf, nearOf := r.waves.value[:terms], r.waves.time[:terms], r.waves.near[:terms]
	for i, x := range e {
		square := x * x
		odd, power := x, 1.0
		var sum, sumU, sumW float64
		for k, w := range value {
			sum += w * power
			sumU += timeOf[k] * power
			sumW += nearOf[k] * power
			odd *= square
			power *= odd
		}
		product[i] = sum
		inverseSum := 1 / sum
		slope := sumU*inverseSum - decay
		rate := r.distance * inverse[i]
		time[i] = slope*over - rate*rate/2
		wide[i] = rate*r.near - (2+2*slope*over*tau[i])*overWidth
		near[i] = sumW*inverseSum + rate*r.width
	}
	vec.Log(product, product)
	shift := math.Log(math.Pi) - 2*math.Log(r.width)
	for i, x := range product {
		product[i] = x + shift - decay*over*tau[i] + r.distance*r.distance/2*inverse[i]
	}
}
