package plan

import (
	"math"
	"math/bits"

	"likc/compiler/ir"
)

// noGroup is used in place of a group's index for values that all groups share.
const noGroup = -1

// Density returns the steps of the log density of one trial. They are those of the program for a dataset of that trial, where
// every sum over trials is the trial's value. columns are the names of the variables that hold the trial columns.
func (b *Block) Density(columns []string) []Step {
	for i, v := range b.Values {
		if v.Kind == ir.Column {
			b.known[ir.ID(i)] = Ref{Kind: Local, Name: columns[v.Index]}
		}
	}
	b.unpack(b.Value.Live)
	b.oneTrial(noGroup, func(id ir.ID) bool { return bits.OnesCount(b.Value.need[id]) > 1 && !b.afterSum(id) })
	for i, g := range b.Groups {
		w, needed := b.inner(), b.Value.neededBy(i)
		w.oneTrial(i, func(id ir.ID) bool { return needed[id] })
		w.fill(needed)
		w.overNodes(needed, ir.Prologue)
		w.overNodes(needed, ir.Body)
		w.oneTrial(i, func(id ir.ID) bool { return needed[id] })
		if all := w.conditions(g, func(ir.Cond) bool { return true }); len(all) > 0 {
			w.add(Refuse{noGroup, all, false, false})
		}
		x := w.Ref(g.LogLik)
		w.add(Return{&x})
		b.add(Choose{g.Choice, w.steps})
	}
	return b.steps
}

// oneTrial defines the values for which want is true, for a dataset of one trial of the group. It leaves out values that depend
// on a sum over nodes that is not known yet.
func (b *Block) oneTrial(group int, want func(ir.ID) bool) {
	for i, v := range b.Values {
		id := ir.ID(i)
		switch {
		case !b.Value.Live[id] || !b.open(id) || !want(id) || b.Facts.PerNode[id] || !b.ready(id):
		case v.Kind == ir.Apply:
			b.define(id)
		case v.Kind != ir.Total && v.Kind != ir.Least:
		case v.Group == group:
			b.known[id] = b.Ref(v.Args[0])
		default: // the sum belongs to another group, which has no trials
			b.known[id] = Ref{Kind: Literal, Num: map[ir.Kind]float64{ir.Least: math.Inf(1)}[v.Kind]}
		}
	}
}

// afterSum reports whether a value is computed after a sum over trials.
func (pl *Plan) afterSum(id ir.ID) bool {
	return pl.Facts.Stage[id] == ir.Epilogue || pl.Facts.Stage[id] == ir.Data && !pl.Facts.PerTrial[id]
}
