package bound

import (
	"math"
	"slices"

	"likc/runtime/model/kernel"
)

// N returns the number of trials.
func (b *Bound) N() int { return b.trials.N() }

// Parameters returns the model's parameters as functions of the trials.
func (b *Bound) Parameters() *Parameters {
	b.once.Do(func() { b.parameters = b.design.Parameters(b.N()) })
	return b.parameters
}

// PerTrial sets dst[i] to the log density of trial i at the given coefficients: -Inf outside the support, NaN where the density is
// NaN.
func (b *Bound) PerTrial(coefs, dst []float64) {
	r, err := b.some(0, b.N())
	if err != nil {
		for i := range dst {
			dst[i] = math.NaN() // cannot happen, because all trials are bound
		}
		return
	}
	copy(dst, r.at(coefs))
}

// CheckRows returns an error if the model cannot be evaluated trial by trial.
func (b *Bound) CheckRows() error {
	_, err := b.some(0, min(1, b.N()))
	return err
}

// LogDensity sets dst[i][s] to the log density of trial first+i at draw s of the coefficients, coefs[s].
func (b *Bound) LogDensity(dst, coefs [][]float64, first int) {
	drawn, ok := b.prepared.kernel.(kernel.PerTrial)
	if ok && b.prepared.inner == nil && b.bare == nil && b.trials.Choice != nil {
		b.draw(drawn, dst, coefs, first)
		return
	}
	for i := 0; i < len(dst); {
		n := b.run(first+i, len(dst)-i)
		r, err := b.some(first+i, n)
		for s, c := range coefs {
			logp := []float64(nil)
			if err == nil {
				logp = r.at(c)
			}
			for k := range n {
				if dst[i+k][s] = math.NaN(); err == nil {
					dst[i+k][s] = logp[k]
				}
			}
		}
		i += n
	}
}

// run returns how many of the next trials, at most `most`, differ in only one parameter. Their integrals can then be computed by one
// interpolation.
func (b *Bound) run(first, most int) (n int) {
	p := b.Parameters()
	if b.bare != nil || !b.prepared.Model.Normalise {
		return most
	}
	differ := -1
	for n = 1; n < most; n++ {
		for j := range p.at {
			if p.Of(j, first+n) != p.Of(j, first) {
				if differ >= 0 && differ != j {
					return n
				}
				differ = j
			}
		}
	}
	return n
}

// someRows evaluates consecutive trials row by row.
type someRows struct {
	rows    kernel.Rows
	of      *Parameters // of all trials
	numbers []int       // the trial of each row
	last    int         // number of wanted trials, which come last; the trials before them are only needed for their states
	theta   [][]float64 // for each parameter: one number, or one for each row
	logp    []float64   // the log density of each row
}

// some binds n trials from first on, and the earlier trials on which their states depend.
func (b *Bound) some(first, n int) (r *someRows, err error) {
	r = &someRows{of: b.Parameters(), last: n}
	stateful := b.prepared.inner != nil && b.prepared.inner.Stateful()
	for i := range first + n {
		if i >= first || stateful && (b.trials.Person == nil || slices.Contains(b.trials.Person[first:first+n], b.trials.Person[i])) {
			r.numbers = append(r.numbers, i)
		}
	}
	of := b.trials.At(r.numbers)
	if r.rows, err = b.prepared.Rows(of); err != nil {
		return nil, err
	}
	r.logp = make([]float64, len(r.numbers))
	for j := range r.of.at {
		r.theta = append(r.theta, make([]float64, 1))
		for _, i := range r.numbers {
			if r.of.Of(j, i) != r.of.Of(j, r.numbers[0]) {
				r.theta[j] = make([]float64, len(r.numbers))
				break
			}
		}
	}
	return r, nil
}

// at returns the log densities at given coefficients. They are valid until the next call.
func (r *someRows) at(coefs []float64) []float64 {
	for j, param := range r.theta {
		for k := range param {
			param[k] = r.of.At(r.of.Of(j, r.numbers[k]), coefs)
		}
	}
	r.rows.Each(r.theta, r.logp, nil)
	return r.logp[len(r.logp)-r.last:]
}

// mostDrawn is the largest number of trials, each with its own parameters, in one call of a kernel.
const mostDrawn = 1024

// draw evaluates trials that share parameters at several draws together. Trials of the same draw are neighbours, because a kernel
// computes once for neighbours what depends only on the parameters.
func (b *Bound) draw(of kernel.PerTrial, dst, coefs [][]float64, first int) {
	p := b.Parameters()
	var rows drawn
	for i := 0; i < len(dst); {
		n := 1
		for i+n < len(dst) && p.same(first+i, first+i+n) {
			n++
		}
		rt, choice := b.trials.Columns[0][first+i:first+i+n], b.trials.Choice[first+i:first+i+n]
		for s, many := 0, max(1, mostDrawn/n); s < len(coefs); s += many {
			rows.clear()
			for _, c := range coefs[s:min(s+many, len(coefs))] {
				rows.add(p, first+i, c, rt, choice)
			}
			for row, x := range rows.evaluate(of) {
				dst[i+row%n][s+row/n] = x
			}
		}
		i += n
	}
}

// drawn holds the rows for one call of a kernel: trials, each at the parameters of one draw. Its memory is reused.
type drawn struct {
	theta            [][]float64
	rt, choice, logp []float64
	values           []float64 // memory of the parameters; the rows of one draw share theirs
}

// clear removes all rows.
func (d *drawn) clear() {
	d.theta, d.rt, d.choice, d.values = d.theta[:0], d.rt[:0], d.choice[:0], d.values[:0]
}

// add adds trials with the given times and choices, at the parameters that trial i has at the coefficients.
func (d *drawn) add(p *Parameters, i int, coefs, rt, choice []float64) {
	from := len(d.values)
	for j := range p.at {
		d.values = append(d.values, p.At(p.Of(j, i), coefs))
	}
	at := d.values[from:len(d.values):len(d.values)]
	for range rt {
		d.theta = append(d.theta, at)
	}
	d.rt, d.choice = append(d.rt, rt...), append(d.choice, choice...)
}

// evaluate returns the log density of each row. The result is valid until rows are added again.
func (d *drawn) evaluate(of kernel.PerTrial) []float64 {
	d.logp = slices.Grow(d.logp[:0], len(d.theta))[:len(d.theta)]
	of.LogDensity(d.logp, d.theta, d.rt, d.choice)
	return d.logp
}

// same reports whether two trials have the same parameters for all coefficients.
func (p *Parameters) same(i, k int) bool {
	for j := range p.at {
		if p.Of(j, i) != p.Of(j, k) {
			return false
		}
	}
	return true
}
