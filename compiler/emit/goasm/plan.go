package goasm

import (
	"slices"

	"likc/compiler/emit/goasm/lane"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// plan says how a loop uses the machine's registers and its divider. Values that are not held in registers are in the stack
// frame.
type plan struct {
	unroll    int  // registers of trials that a turn of the fast loop processes; 0: there is only the exact loop
	estimates int  // divisions in a turn of the fast loop that use an estimated reciprocal
	held      int  // the most values of the Body that are in registers at the same time
	inputs    bool // whether inputs are held in registers
	sums      bool // whether sums are held in registers
	calls     bool // whether long operations are called; then neither inputs nor sums are held in registers
}

// load holds the times for which a turn keeps the arithmetic units and the divider busy, in the unit of the operator table's
// Lane.
type load struct{ arithmetic, divider int }

const everything = 1 << 20

// turns says how many registers of trials a turn of the fast loop processes: the first unroll whose load is at least that of
// the body. A heavy body keeps the machine busy with fewer copies.
var turns = []struct{ unroll, load int }{{4, 20}, {2, 40}, {1, 400}}

// candidates returns plans for a loop: the fastest first, the one with the fewest registers last.
func candidates(l Loop, isa lane.ISA) []plan {
	var plans []plan
	for _, t := range turns {
		n, estimates := l.balance(t.unroll, isa)
		if n.arithmetic <= t.unroll*t.load {
			plans = append(plans, plan{t.unroll, estimates, everything, true, true, false})
		}
	}
	if len(plans) == 0 && l.callable() {
		for _, held := range []int{20, 14, 10, 6, 3, 1} {
			plans = append(plans, plan{0, 0, held, false, false, true})
		}
		return plans
	}
	for _, held := range []int{everything, 20, 14, 10, 6} {
		plans = append(plans, plan{0, 0, held, true, true, false})
	}
	for _, held := range []int{20, 10, 6, 3} {
		plans = append(plans, plan{0, 0, held, false, true, false})
	}
	return append(plans, plan{0, 0, 3, false, false, false}, plan{0, 0, 1, false, false, false})
}

// callable reports whether a loop has an operation that it may call.
func (l Loop) callable() bool {
	return slices.ContainsFunc(l.Kernel.Body, func(id ir.ID) bool { return l.Program.Values[id].Op.Info().Lane.Arithmetic >= long })
}

// balance returns the load of a turn of the fast loop, and the number of its divisions to estimate so that the turn takes the
// least time.
func (l Loop) balance(unroll int, isa lane.ISA) (load, int) {
	var all load
	divisions := 0
	for _, id := range l.Kernel.Body {
		n := l.Program.Values[id].Op.Info().Lane
		all.arithmetic += unroll * n.Arithmetic
		all.divider += unroll * n.Divider
		if estimated[n.Name] != nil {
			divisions += unroll
		}
	}
	all.arithmetic += unroll * len(l.Kernel.Outs)
	if isa != lane.AVX512 || l.losesNaN() {
		return all, 0
	}
	division := expr.Div.Info().Lane.Divider
	best, estimates := max(all.arithmetic, all.divider), 0
	for n := 1; n <= divisions; n++ {
		if t := max(all.arithmetic+n*estimateLoad, all.divider-n*division); t < best {
			best, estimates = t, n
		}
	}
	return all, estimates
}

// losesNaN reports whether a sum can be a number although a value that went into it is NaN.
func (l Loop) losesNaN() bool {
	for _, id := range l.Kernel.Body {
		if l.Program.Values[id].Op.Info().Lane.LosesNaN {
			return true
		}
	}
	for _, out := range l.Kernel.Outs {
		if l.Program.Values[out].Kind == ir.Least {
			return true
		}
	}
	return false
}
