package plan

import (
	"math/bits"

	"likc/compiler/ir"
)

// Evaluate returns the steps of one evaluation of a bound dataset, in outline:
//
//	parameters, then the Prologue
//	return -Inf where a condition on parameters and statistics fails
//	the values of the Epilogue that several groups need
//	for each group: its loop, its Epilogue, its late conditions, its contribution
//	gradient 0 where the result is -Inf
func (pl *Plan) Evaluate(e Evaluation) []Step {
	b := pl.NewBlock()
	b.unpack(e.Live)
	if e.gradient {
		b.add(Clear{})
	}
	b.knowData()
	b.prologue(e)
	for i, g := range pl.Groups {
		if early := b.conditions(g, func(c ir.Cond) bool { return !pl.late(c) }); len(early) > 0 {
			b.add(Refuse{i, early, false, false})
		}
	}
	b.epilogue(e, func(need uint) bool { return bits.OnesCount(need) > 1 })
	b.add(Start{})
	for i := range pl.Groups {
		b.share(e, i)
	}
	if e.gradient {
		b.add(Settle{})
	}
	b.add(Return{})
	return b.steps
}

// prologue adds the steps that compute values of parameters only.
func (b *Block) prologue(e Evaluation) {
	var ids []ir.ID
	for i, v := range b.Values {
		if e.Live[i] && v.Kind == ir.Apply && b.Facts.Stage[i] == ir.Prologue && !b.Constant[i] && !b.Facts.PerNode[i] {
			ids = append(ids, ir.ID(i))
		}
	}
	if len(ids) > 0 {
		b.add(Comment{"Prologue: parameters only."})
	}
	b.define(ids...)
	b.fill(e.Live)
	b.overNodes(e.Live, ir.Prologue)
	b.define(ids...)
}

// share adds the step with a group's contribution to the result.
func (b *Block) share(e Evaluation, group int) {
	w, g := b.inner(), b.Groups[group]
	w.epilogue(e, func(need uint) bool { return need == 1<<group })
	if late := w.conditions(g, b.late); len(late) > 0 {
		w.add(Refuse{noGroup, late, true, e.gradient})
	}
	w.add(AddValue{w.Ref(g.LogLik)})
	for j, id := range g.Grad {
		if e.gradient && !(b.Constant[id] && b.Number[id] == 0) {
			w.add(AddGrad{j, w.Ref(id)})
		}
	}
	b.add(Share{group, w.steps})
}

// epilogue adds the loops, and the values after them, for which want is true. The argument of want is the set of groups that
// need the value.
func (b *Block) epilogue(e Evaluation, want func(need uint) bool) {
	called := map[int]bool{}
	for i, v := range b.Values {
		id := ir.ID(i)
		if !b.open(id) || !e.Live[id] || b.Facts.Stage[id] != ir.Epilogue {
			continue
		}
		switch {
		case v.Kind == ir.Apply:
			if want(e.need[id]) {
				b.define(id)
			}
		case b.Facts.Stage[v.Args[0]] == ir.Prologue:
			b.known[id] = repeated(v, b.Ref(v.Args[0]))
		default:
			if k := e.Kernels[v.Group]; want(kernelNeed(e, k)) && !called[v.Group] {
				called[v.Group] = true
				b.call(k)
			}
		}
	}
}

// kernelNeed returns the set of groups that need a result of the kernel.
func kernelNeed(e Evaluation, k ir.Kernel) uint {
	need := uint(0)
	for _, out := range k.Outs {
		need |= e.need[out]
	}
	return need
}
