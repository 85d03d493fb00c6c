package dictionary

import (
	"math"

	"likc/compiler/expr"
)

// mirror finds what parameters become where a process is turned upside down and stays the same: some change sign, and some are taken from 1.
// It is nil where no such change does.
func mirror(header *expr.Model) []expr.Assign {
	if header.Evidence == nil || len(header.Evidence.Accumulators) != 1 || header.Choice == "" || header.Choices > 0 {
		return nil
	}
	var free []int // parameters that may change
	for i, p := range header.Params {
		if p.Lower == -p.Upper || p.Lower > 0 && math.Abs(p.Lower+p.Upper-1) < 1e-12 {
			free = append(free, i)
		}
	}
	m := newMirror(header)
	const mostFree = 8
	for mask := 1; len(free) <= mostFree && mask < 1<<len(free); mask++ {
		var lower []expr.Assign
		for k, i := range free {
			if mask>>k&1 == 0 {
				continue
			}
			x := expr.Var(header.Params[i].Name)
			image := expr.New(expr.Neg, x)
			if header.Params[i].Lower > 0 {
				image = sub(expr.Num(1), x)
			}
			lower = append(lower, expr.Assign{Param: header.Params[i].Name, Value: image})
		}
		if m.holds(lower) {
			return lower
		}
	}
	return nil
}

// mirrored compares a process with its mirror image.
type mirrored struct {
	probe    *probe
	process  []*expr.Expr // start's values, drift, noise, upper, lower
	evidence string
	starts   int
}

func newMirror(header *expr.Model) *mirrored {
	a := &header.Evidence.Accumulators[0]
	m := &mirrored{probe: newProbe(header), process: a.Start.Values(), evidence: a.Evidence, starts: len(a.Start.Values())}
	m.probe.symbols = append(m.probe.symbols, a.Evidence)
	for i := range m.probe.points {
		m.probe.points[i] = append(m.probe.points[i], 0.3*math.Sin(float64(i))) // some evidence
	}
	m.process = append(m.process, a.Drift, a.Noise, a.Upper, a.Lower)
	return m
}

// holds reports whether the process with other parameters is the negative of the process, of which boundaries change places.
func (m *mirrored) holds(lower []expr.Assign) bool {
	values := map[string]*expr.Expr{m.evidence: expr.New(expr.Neg, expr.Var(m.evidence))}
	for _, a := range lower {
		values[a.Param] = a.Value
	}
	s := expr.Substitution(values)
	roots := m.process
	for _, e := range m.process {
		roots = append(roots, s.Map(e))
	}
	n := len(m.process)
	return m.probe.each(func(v []float64) bool {
		same := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(x)) }
		for i := range m.starts { // the ends of a uniform start change places
			if !same(v[i], -v[n+m.starts-1-i]) {
				return false
			}
		}
		drift, noise, upper, under := m.starts, m.starts+1, m.starts+2, m.starts+3
		return same(v[drift], -v[n+drift]) && same(v[noise], v[n+noise]) && same(v[upper], -v[n+under]) && same(v[under], -v[n+upper])
	}, roots...)
}
