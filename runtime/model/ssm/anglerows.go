package ssm

import (
	"math"
	"sort"

	"likc/runtime/model/kernel"
	"likc/runtime/num/vec"
)

// angleRows evaluates the density of the model angle row by row; a row is one trial. The density contains an infinite series. Rows with
// the same choice, response time, boundaries, start and onset share it, whatever their drifts are, as in [exactRows].
type angleRows struct {
	rt, choice []float64     // the columns of the trials
	sides      [2]sharedSide // the rows of each choice, first -1, then +1
}

func newAngleRows(rt, choice []float64) (kernel.Rows, error) {
	if _, err := NewExact(rt, choice); err != nil {
		return nil, err
	}
	return &angleRows{rt, choice, [2]sharedSide{newSharedSide(-1, rt, choice), newSharedSide(1, rt, choice)}}, nil
}

// N returns the number of rows.
func (e *angleRows) N() int { return len(e.rt) }

// Dim returns 5, the number of parameters: v, a, z, t, theta.
func (e *angleRows) Dim() int { return 5 }

// Each evaluates the rows, together if only the drift differs between them.
func (e *angleRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	if grad == nil {
		grad = noAngleGradient[:]
	}
	at := [5]float64{}
	for j := 1; j < len(at); j++ {
		if len(theta[j]) > 1 {
			for i := range e.rt {
				e.evaluateOne(i, theta, logp, grad)
			}
			return
		}
		at[j] = theta[j][0]
	}
	var c angleSeries
	for i := range e.sides {
		e.side(&e.sides[i], &c, at[:], theta, logp, grad)
	}
}

var noAngleGradient [5][]float64

// evaluateOne evaluates a single row.
func (e *angleRows) evaluateOne(i int, theta [][]float64, logp []float64, grad [][]float64) {
	var at, slopes [5]float64
	for j := range at {
		at[j] = kernel.At(theta[j], i)
	}
	logp[i] = angleDensity(e.rt[i], e.choice[i], at[:], slopes[:])
	setAngleRow(grad, i, &slopes)
}

func setAngleRow(grad [][]float64, i int, slopes *[5]float64) {
	for j, g := range grad {
		if g != nil {
			g[i] = slopes[j]
		}
	}
}

// side evaluates the rows of one choice. It leaves rows outside the support to evaluateOne, and all rows if the series would lose accuracy.
func (e *angleRows) side(s *sharedSide, c *angleSeries, at []float64, theta [][]float64, logp []float64, grad [][]float64) {
	from := s.until(at[3])
	to := from + sort.Search(len(s.rt)-from, func(k int) bool { return angleOutside(at, s.rt[from+k]) != 0 })
	d := straightAt(s.choice, at)
	if from < to && d.extreme(s.rt[from], s.rt[to-1]) {
		to = from
	}
	first := sort.Search(len(s.row), func(k int) bool { return int(s.point[k]) >= from })
	last := sort.Search(len(s.row), func(k int) bool { return int(s.point[k]) >= to })
	for k, i := range s.row {
		if k < first || k >= last {
			e.evaluateOne(int(i), theta, logp, grad)
		}
	}
	out := angleOut{straight: d, rows: e, theta: theta, logp: logp, grad: grad}
	out.evaluate(s, c, span{from, to}, first)
}

// extreme reports whether the formulas of fill would lose accuracy for response times from earliest to latest.
func (d *straight) extreme(earliest, latest float64) bool {
	least, most := d.clock(earliest), d.clock(latest)
	return d.near < edge || d.far < edge || !(least > 1/maxScale && most < maxScale)
}

// clock returns the scaled time u = τ/(a b) at a response time.
func (d *straight) clock(rt float64) float64 {
	tau := rt - d.t
	return tau / d.a / (d.a - tau*d.s)
}

// span is a range of indices of distinct response times: from, …, to-1.
type span struct{ from, to int }

// angleOut holds the parameters of the rows of one choice, and the slices to which their results are written.
type angleOut struct {
	straight
	rows  *angleRows
	theta [][]float64
	logp  []float64
	grad  [][]float64
}

// angleSeries holds intermediate results for a block of distinct response times: one column for each quantity.
type angleSeries struct {
	series              // the series at the scaled times u
	decision     column // the decision times τ
	bound, logOf column // the distance b of the boundaries from 0, and log b
}

// evaluate processes the distinct response times in `within`, a block at a time; row is the index of the first row that has one of them.
func (o *angleOut) evaluate(s *sharedSide, c *angleSeries, within span, row int) {
	r := newRun(&o.passage, 0)
	terms := [...]int{2, 4, largeTerms, fewWaves, 1}
	times := r.spanTimes()
	from := within.from
	for i, n := range terms {
		end := within.to
		if i < len(times) {
			end = from + sort.Search(within.to-from, func(k int) bool { return o.clock(s.rt[from+k]) > times[i] })
		}
		for from < end {
			to := min(from+blockSize, end)
			o.fill(c, &r, s.rt[from:to], n, i < 2)
			for row < len(s.row) && int(s.point[row]) < to {
				o.row(c, int(s.row[row]), int(s.point[row])-from)
				row++
			}
			from = to
		}
	}
}

// fill computes the columns of a block at response times, with n terms of the series. These are images, the terms of the series for
// small times, or waves, those of the series for large times.
func (o *angleOut) fill(c *angleSeries, r *run, rt []float64, n int, images bool) {
	tau, bound, clock := c.decision[:len(rt)], c.bound[:len(rt)], c.tau[:len(rt)]
	for i, x := range rt {
		tau[i] = x - o.t
		bound[i] = o.a - tau[i]*o.s
		clock[i] = tau[i] / o.a / bound[i]
	}
	vec.Log(c.logOf[:len(rt)], bound)
	if images {
		r.images(&c.series, clock, n)
	} else {
		r.wavesAt(&c.series, clock, n)
	}
}

// row writes the log density and the gradient of row i, from the block's columns at index p.
func (o *angleOut) row(c *angleSeries, i, p int) {
	distance := o.width * o.near
	rate := distance * c.inverse[p]
	at := partials{
		value: c.value[p] - distance*rate/2,
		time:  c.byTime[p] + rate*rate/2,
		near:  c.byNear[p] - rate*o.width,
	}
	var slopes [5]float64
	o.v = kernel.At(o.theta[0], i)
	value := o.transform(c.decision[p], c.bound[p], c.logOf[p], &at, slopes[:])
	if math.IsInf(value, 0) || math.IsNaN(value) {
		o.rows.evaluateOne(i, o.theta, o.logp, o.grad)
		return
	}
	o.logp[i] = value
	setAngleRow(o.grad, i, &slopes)
}
