package dictionary

import (
	"math"

	"likc/compiler/expr"
)

// mirror returns the parameter changes that mirror a process: they exchange its boundaries and negate its evidence. Some parameters
// change sign, and some become 1 minus themselves. It returns nil if no such changes mirror the process.
func mirror(header *expr.Model) []expr.Assign {
	if header.Evidence == nil || len(header.Evidence.Accumulators) != 1 || header.Choice == "" || header.Choices > 0 {
		return nil
	}
	var free []int // parameters that may have to change
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

// mirrored compares a process with its mirror image at the points of a probe.
type mirrored struct {
	probe    *probe
	process  []*expr.Expr // values at the start, drift, noise, upper and lower boundary
	evidence string       // the symbol of the evidence
	starts   int          // number of values at the start
}

func newMirror(header *expr.Model) *mirrored {
	a := &header.Evidence.Accumulators[0]
	m := &mirrored{probe: newProbe(header), process: a.Start.Values(), evidence: a.Evidence, starts: len(a.Start.Values())}
	m.probe.symbols = append(m.probe.symbols, a.Evidence)
	for i := range m.probe.points {
		m.probe.points[i] = append(m.probe.points[i], 0.3*math.Sin(float64(i))) // a value for the evidence
	}
	m.process = append(m.process, a.Drift, a.Noise, a.Upper, a.Lower)
	return m
}

// holds reports whether the process at changed parameters is the negative of the original process, with its boundaries exchanged.
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
		for i := range m.starts { // in the mirror image, the ends of a uniform start are exchanged
			if !same(v[i], -v[n+m.starts-1-i]) {
				return false
			}
		}
		drift, noise, upper, under := m.starts, m.starts+1, m.starts+2, m.starts+3
		return same(v[drift], -v[n+drift]) && same(v[noise], v[n+noise]) && same(v[upper], -v[n+under]) && same(v[under], -v[n+upper])
	}, roots...)
}
