package pass

import (
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Hoist moves work out of the loop over trials. It reassociates products and sums so that factors and terms that do not depend
// on trials come together: (τ·D)·v becomes τ·(D·v), where D·v is computed once before the loop.
func Hoist(p *ir.Program) *ir.Program {
	uses := uses(p)
	i := -1
	var perTrial tracker
	return p.Rewrite(func(b *ir.Builder, v ir.Value, args []ir.ID) ir.ID {
		i++
		if v.Kind == ir.Apply && (v.Op == expr.Mul || v.Op == expr.Add) {
			for side := range args {
				trial, scalar := args[side], args[1-side]
				if uses[p.Values[i].Args[side]] > 1 || !perTrial.includes(b, trial) || perTrial.includes(b, scalar) {
					continue
				}
				if inner, outer, ok := loosen(b, &perTrial, v.Op, trial); ok {
					return b.Apply(v.Op, inner, b.Apply(v.Op, outer, scalar))
				}
			}
		}
		return b.Add(v, args...)
	})
}

// loosen splits a value op(inner, outer) into its arguments if only inner has one number for each trial.
func loosen(b *ir.Builder, perTrial *tracker, op expr.Op, id ir.ID) (inner, outer ir.ID, ok bool) {
	v := b.Value(id)
	if v.Kind != ir.Apply || v.Op != op {
		return 0, 0, false
	}
	inner, outer = v.Args[0], v.Args[1]
	if !perTrial.includes(b, inner) {
		inner, outer = outer, inner
	}
	return inner, outer, perTrial.includes(b, inner) && !perTrial.includes(b, outer)
}

// uses returns how often each value is an argument or an output.
func uses(p *ir.Program) []int {
	n := make([]int, len(p.Values))
	for _, v := range p.Values {
		for _, a := range v.Args {
			n[a]++
		}
	}
	for _, r := range p.Roots() {
		n[r]++
	}
	return n
}

// tracker finds out which values of a builder have one number for each trial.
type tracker struct{ perTrial []bool }

// includes reports whether a value has one number for each trial.
func (t *tracker) includes(b *ir.Builder, id ir.ID) bool {
	for len(t.perTrial) <= int(id) {
		v := b.Value(ir.ID(len(t.perTrial)))
		on := v.Kind == ir.Column
		for _, a := range v.Args {
			on = on || t.perTrial[a] && (v.Kind == ir.Apply || v.Kind == ir.NodeSum)
		}
		t.perTrial = append(t.perTrial, on)
	}
	return t.perTrial[id]
}
