package ir

import (
	"math"
	"slices"

	"likc/compiler/vector"
	"likc/runtime/num/vec"
)

// blockRows is the number of trials that [InBlocks] takes at a time: so few that a loop's registers stay in the processor's cache.
const blockRows = 128

// InBlocks computes each operator for a block of trials with the kernels of package vector, several times as fast. Sums differ from those without
// this option by some roundings.
func InBlocks() Option { return func(b *Bound) { b.inBlocks = true } }

// blockLoop is the loop of a [Kernel] as a list of steps, each of which computes one value for a block of trials. Values stand in registers. A
// register that no later step reads is used again.
type blockLoop struct {
	n         int // number of trials
	shared    []register
	steps     []step
	registers int
}

// register is a register that repeats a scalar.
type register struct {
	number int
	of     ID // the scalar
}

// step computes an operator for a block of trials, and adds the result to accumulators.
type step struct {
	*vector.Kernel[float64]
	eval func([3]float64) float64 // computes one trial, if the operator has no kernel
	args []operand
	dst  int // the result's register
	outs []ID
}

// operand is a column of all trials or, if that is nil, a register.
type operand struct {
	column   []float64
	register int
}

// blockPlan assigns the registers of a loop.
type blockPlan struct {
	*blockLoop
	last map[ID]int // the last step that reads a value
	at   map[ID]int // the register of each value
	free []int      // registers that may be used again
}

// planBlocks prepares all loops that [InBlocks] concerns.
func (b *Bound) planBlocks() {
	b.blocks = map[*Kernel]*blockLoop{}
	for what := range b.loops {
		for g := range b.loops[what] {
			for _, k := range []*Kernel{&b.loops[what][g], &b.tables[g].rest[what]} {
				if len(k.Outs) > 0 {
					b.blocks[k] = b.blockLoop(k)
				}
			}
		}
	}
}

// quickLoop does what loop does, by blocks if the loop was prepared for them.
func (b *Bound) quickLoop(s *scratch, k *Kernel) {
	l := b.blocks[k]
	if l == nil {
		b.loop(s, k)
		return
	}
	for _, out := range k.Outs {
		s.sums[out] = newAccumulator(b.p.Values[out].Kind)
	}
	l.run(s)
	for _, out := range k.Outs {
		s.scalars[out] = s.sums[out].value()
	}
}

// blockLoop returns the form of a loop that takes a block of trials at a time.
func (b *Bound) blockLoop(k *Kernel) *blockLoop {
	plan := blockPlan{blockLoop: &blockLoop{n: b.trials[k.Group].n}, last: map[ID]int{}, at: map[ID]int{}}
	for i, id := range k.Body {
		for _, a := range b.p.Values[id].Args {
			plan.last[a] = i
		}
	}
	outs := map[ID][]ID{}
	for _, out := range k.Outs {
		of := b.p.Values[out].Args[0]
		outs[of] = append(outs[of], out)
	}
	for i, id := range k.Body {
		v := b.p.Values[id]
		s := step{Kernel: &vector.Double[v.Op], eval: v.Op.Info().Eval, outs: outs[id]}
		for _, a := range v.Args {
			s.args = append(s.args, b.operand(&plan, k.Group, a))
		}
		for j, a := range v.Args {
			if b.facts.Stage[a] == Body && plan.last[a] == i && !slices.Contains(v.Args[:j], a) {
				plan.free = append(plan.free, plan.at[a])
			}
		}
		s.dst = plan.take()
		if plan.at[id] = s.dst; plan.last[id] <= i {
			plan.free = append(plan.free, s.dst)
		}
		plan.steps = append(plan.steps, s)
	}
	return plan.blockLoop
}

// operand returns where a step finds the value id.
func (b *Bound) operand(plan *blockPlan, group int, id ID) operand {
	if b.facts.PerTrial[id] && b.facts.Stage[id] != Body {
		return operand{column: b.trials[group].columns[id]}
	}
	if _, known := plan.at[id]; !known { // a scalar
		plan.at[id] = plan.registers
		plan.registers++
		plan.shared = append(plan.shared, register{plan.at[id], id})
	}
	return operand{register: plan.at[id]}
}

// take returns a register for a new value.
func (plan *blockPlan) take() int {
	if n := len(plan.free) - 1; n >= 0 {
		r := plan.free[n]
		plan.free = plan.free[:n]
		return r
	}
	plan.registers++
	return plan.registers - 1
}

// run sets the accumulators of the loop.
func (l *blockLoop) run(s *scratch) {
	for _, r := range l.shared {
		repeat(s.registers[r.number][:min(blockRows, l.n)], s.scalars[r.of])
	}
	for from := 0; from < l.n; from += blockRows {
		n := min(blockRows, l.n-from)
		for i := range l.steps {
			t := &l.steps[i]
			dst := s.registers[t.dst][:n]
			t.compute(s, dst, from)
			for _, out := range t.outs {
				s.sums[out].addAll(dst)
			}
		}
	}
}

// repeat sets all of dst to x.
func repeat(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}

// compute computes the step's operator for the trials from `from` on.
func (t *step) compute(s *scratch, dst []float64, from int) {
	var args [3][]float64
	for j, a := range t.args {
		if a.column != nil {
			args[j] = a.column[from : from+len(dst)]
		} else {
			args[j] = s.registers[a.register][:len(dst)]
		}
	}
	switch {
	case t.Unary != nil:
		t.Unary(dst, args[0])
	case t.Binary != nil:
		t.Binary(dst, args[0], args[1])
	case t.Ternary != nil:
		t.Ternary(dst, args[0], args[1], args[2])
	default:
		var x [3]float64
		for i := range dst {
			for j := range t.args {
				x[j] = args[j][i]
			}
			dst[i] = t.eval(x)
		}
	}
}

// addAll adds the numbers of a block to the sum, or takes them into the minimum. It does not count their absolute values.
func (a *accumulator) addAll(x []float64) {
	if a.kind != Least {
		a.add(vec.Sum(x))
		return
	}
	for _, v := range x {
		a.sum = math.Min(a.sum, v)
	}
}
