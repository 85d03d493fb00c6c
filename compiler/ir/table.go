package ir

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// TableTrials is the smallest number of trials for which a group takes accumulators from tables.
const TableTrials = 256

// Edge says at which end of a parameter's range, if at either, a tabulated accumulator may be singular.
type Edge uint8

// The three kinds of range.
const (
	NoEdge Edge = iota // smooth at both ends
	EdgeHi             // the upper end of the range is the edge of the support, where the accumulator may be singular
	EdgeLo             // the lower end of the range is the edge of the support, where the accumulator may be singular
)

// Tabulation describes one table: the accumulators of a group whose terms depend only on one parameter ψ, as functions of ψ.
type Tabulation struct {
	Psi     ID     // the parameter
	Scalars []ID   // the values of the Prologue that the terms need, which depend only on ψ; arguments first
	Kernel  Kernel // the loop that computes the accumulators; those of the log-likelihood come before those of the gradient only
	Edge    Edge   // whether the support ends at an end of the range of ψ
	Bound   ID     // the value of the Data stage at which the support ends; without meaning for NoEdge
}

// Tabulations returns the tables of each group, in the order of their parameters. A group gets no tables if they would save less
// than a quarter of the cost of its loop.
func Tabulations(p *Program, f Facts) [][]Tabulation {
	list := make([][]Tabulation, len(p.Groups))
	value := p.Live(p.ValueRoots())
	for g, k := range Kernels(p, f, p.Live(p.Roots())) {
		var tables []Tabulation
		for i, v := range p.Values {
			if v.Kind != Param {
				continue
			}
			if outs := k.dependOn(p, f, v.Index, value); len(outs) > 0 {
				t := newTabulation(p, f, ID(i), k)
				if t.Kernel = k.Only(p, f, t.regular(p, f, outs)); len(t.Kernel.Outs) > 0 && t.finite(p) {
					tables = append(tables, newTabulation(p, f, ID(i), t.Kernel))
				}
			}
		}
		if rest := k.Only(p, f, k.Untabulated(tables)); 4*rest.cost(p) <= 3*k.cost(p) {
			list[g] = tables
		}
	}
	return list
}

// dependOn returns the sums that depend only on the parameter param; live sums, which are needed, come first.
func (k Kernel) dependOn(p *Program, f Facts, param int, live []bool) []ID {
	var first, second []ID
	for _, out := range k.Outs {
		switch {
		case p.Values[out].Kind != Total || len(f.Params[out]) != 1 || !f.Params[out][p.Params[param].Name]:
		case live[out]:
			first = append(first, out)
		default:
			second = append(second, out)
		}
	}
	return append(first, second...)
}

// Only returns the kernel that computes only the accumulators outs, in that order.
func (k Kernel) Only(p *Program, f Facts, outs []ID) Kernel {
	only := Kernel{Group: k.Group, Outs: outs}
	seen := map[ID]bool{}
	for _, out := range outs {
		only.collect(p, f, p.Values[out].Args[0], seen)
	}
	return only
}

// Untabulated returns the accumulators of the kernel that no table gives.
func (k Kernel) Untabulated(tables []Tabulation) []ID {
	served := map[ID]bool{}
	for _, t := range tables {
		for _, out := range t.Kernel.Outs {
			served[out] = true
		}
	}
	var rest []ID
	for _, out := range k.Outs {
		if !served[out] {
			rest = append(rest, out)
		}
	}
	return rest
}

// Among returns the largest n such that kernel k has the first n accumulators of the table.
func (t Tabulation) Among(k Kernel) int {
	has := map[ID]bool{}
	for _, out := range k.Outs {
		has[out] = true
	}
	n := 0
	for n < len(t.Kernel.Outs) && has[t.Kernel.Outs[n]] {
		n++
	}
	return n
}

// regular returns the accumulators for which a table can be trusted. A table knows its sums only at some points. So terms must
// not have features that can hide between points, such as the bump of exp(-x²) or the kink of abs.
func (t Tabulation) regular(p *Program, f Facts, outs []ID) []ID {
	var kept []ID
	shapes := map[ID]expr.Shape{}
	for _, out := range outs {
		single := newTabulation(p, f, t.Psi, t.Kernel.Only(p, f, []ID{out}))
		if !single.overNodes(p) && t.shape(p, f, p.Values[out].Args[0], shapes) != expr.Irregular {
			kept = append(kept, out)
		}
	}
	return kept
}

// overNodes reports whether the terms need a sum over nodes, which a table cannot compute.
func (t Tabulation) overNodes(p *Program) bool {
	isSum := func(id ID) bool { return p.Values[id].Kind == NodeSum }
	return slices.ContainsFunc(t.Kernel.Body, isSum) || slices.ContainsFunc(t.Scalars, isSum)
}

// shape returns the shape of value id as a function of ψ; known holds the shapes found so far.
func (t Tabulation) shape(p *Program, f Facts, id ID, known map[ID]expr.Shape) expr.Shape {
	if s, ok := known[id]; ok {
		return s
	}
	v := p.Values[id]
	s := expr.Flat
	switch {
	case id == t.Psi:
		s = expr.Linear
	case v.Kind == Apply && f.Params[id][p.Params[p.Values[t.Psi].Index].Name]:
		var args [3]expr.Shape
		for i, a := range v.Args {
			args[i] = t.shape(p, f, a, known)
		}
		s = expr.Irregular
		if shape := v.Op.Info().Shape; shape != nil {
			s = shape(args, func(arg int) bool { return t.keptPositive(p, v.Args[arg]) })
		}
	}
	known[id] = s
	return s
}

// keptPositive reports whether a value is the difference of ψ and a trial's value that is positive within the support, or a
// power of it.
func (t Tabulation) keptPositive(p *Program, id ID) bool {
	v := p.Values[id]
	switch {
	case v.Kind != Apply || t.Edge == NoEdge:
		return false
	case v.Op.Info().KeepsPositive:
		return !slices.ContainsFunc(v.Args, func(a ID) bool { return !t.keptPositive(p, a) })
	case v.Op != expr.Sub:
		return false
	}
	edge := p.Values[t.Bound] // the minimum over trials of a column, or of minus a column
	if t.Edge == EdgeHi {
		return v.Args[1] == t.Psi && edge.Kind == Least && edge.Args[0] == v.Args[0]
	}
	least := edge
	if least.Kind == Apply && least.Op == expr.Neg {
		least = p.Values[least.Args[0]]
	}
	return v.Args[0] == t.Psi && least.Kind == Least && negates(p, least.Args[0], v.Args[1])
}

// negates reports whether a is -b.
func negates(p *Program, a, b ID) bool {
	v := p.Values[a]
	return v.Kind == Apply && v.Op == expr.Neg && v.Args[0] == b
}

// finite reports whether both ends of the range of ψ are finite.
func (t Tabulation) finite(p *Program) bool {
	psi := p.Params[p.Values[t.Psi].Index]
	return (t.Edge == EdgeLo || !math.IsInf(psi.Lower, 0)) && (t.Edge == EdgeHi || !math.IsInf(psi.Upper, 0))
}

// cost returns the cost of the loop for one trial, by the operator table.
func (k Kernel) cost(p *Program) int {
	cost := len(k.Outs)
	for _, id := range k.Body {
		cost += p.Values[id].Op.Info().Cost
	}
	return cost
}

// newTabulation returns the tabulation of loop k by the parameter psi.
func newTabulation(p *Program, f Facts, psi ID, k Kernel) Tabulation {
	t := Tabulation{Psi: psi, Kernel: k}
	need := make([]bool, len(p.Values))
	for _, id := range k.Body {
		for _, a := range p.Values[id].Args {
			need[a] = need[a] || f.Stage[a] == Prologue
		}
	}
	for i := len(need) - 1; i >= 0; i-- {
		for _, a := range p.Values[i].Args {
			need[a] = need[a] || need[i] && f.Stage[i] == Prologue
		}
	}
	for i, needed := range need {
		if needed && ID(i) != psi {
			t.Scalars = append(t.Scalars, ID(i))
		}
	}
	onData := func(id ID) bool { return f.Stage[id] == Data && !f.PerTrial[id] }
	for _, c := range p.Groups[k.Group].Support {
		switch {
		case c.Left == psi && onData(c.Right):
			t.Edge, t.Bound = EdgeHi, c.Right
		case c.Right == psi && onData(c.Left) && t.Edge == NoEdge:
			t.Edge, t.Bound = EdgeLo, c.Left
		}
	}
	return t
}
