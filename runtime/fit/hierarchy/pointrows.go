package hierarchy

import (
	"math"
	"slices"
)

// logDensityOfRows is LogDensity by rows.
func (p *Pointwise) logDensityOfRows(dst, coefs [][]float64, first int) {
	for i := 0; i < len(dst); {
		varies, n := p.run(first+i, len(dst)-i)
		p.evaluate(dst[i:i+n], coefs, first+i, varies)
		i += n
	}
}

// run returns how many of the next trials, at most, differ in one parameter alone, and which parameters do.
func (p *Pointwise) run(first, most int) (varies []bool, n int) {
	varies = make([]bool, len(p.at))
	for n = 1; n < most; n++ {
		with := slices.Clone(varies)
		differ := 0
		for j, at := range p.at {
			if with[j] = with[j] || at[first+n] != at[first]; with[j] {
				differ++
			}
		}
		if differ > 1 {
			break
		}
		varies = with
	}
	return varies, n
}

// evaluate sets dst for consecutive trials that share all parameters but those that vary.
func (p *Pointwise) evaluate(dst, coefs [][]float64, first int, varies []bool) {
	rows := make([]int, len(dst))
	theta := make([][]float64, len(p.at))
	for i := range rows {
		rows[i] = first + i
	}
	for j := range theta {
		theta[j] = make([]float64, 1)
		if varies[j] {
			theta[j] = make([]float64, len(dst))
		}
	}
	logp := make([]float64, len(dst))
	columns, choice := p.study.data.of(rows)
	bound, err := p.study.binder.Rows(columns, choice)
	for s, c := range coefs {
		for j, values := range theta {
			for i := range values {
				values[i] = p.values.at(p.at[j][first+i], c)
			}
		}
		if err == nil {
			bound.Each(theta, logp, nil)
		}
		for i, x := range logp {
			if dst[i][s] = x; err != nil { // which cannot be: all trials are bound in the study
				dst[i][s] = math.NaN()
			}
		}
	}
}
