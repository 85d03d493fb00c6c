package goasm

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// errRegisters says that a function needs more values at the same time than there are registers.
var errRegisters = errors.New("too few registers")

// span is the stretch of a function in which a register is in use: instruction i reads at 2i and writes at 2i+1.
type span struct {
	register    reg.Register
	first, last int // the first and the last read or write
}

// registers is how many vector registers and masks a function may use: an AVX2 instruction that names one of the upper sixteen
// vector registers is an AVX-512 instruction.
type registers struct{ vectors, masks int }

// allocate assigns a register to each value of a function, by a linear scan [poletto1999]. It uses no more registers than there
// are values in use at the same time. The code must have no jumps except loops and calls. Instructions that name a machine
// register keep it.
func allocate(fn *avo.Function, n registers) error {
	free := map[reg.Kind][]reg.ID{reg.KindGP: physical(reg.KindGP, 16), reg.KindVector: physical(reg.KindVector, n.vectors), reg.KindOpmask: physical(reg.KindOpmask, n.masks)}
	taken := named(fn)
	fn.Allocation = reg.NewEmptyAllocation()
	var active []span
	for _, s := range spans(fn) {
		rest := active[:0]
		for _, a := range active {
			if a.last >= s.first {
				rest = append(rest, a)
				continue
			}
			k := a.register.Kind()
			free[k] = append(free[k], fn.Allocation[a.register.ID()])
		}
		active = append(rest, s)
		k := s.register.Kind()
		least := -1
		for i, id := range free[k] {
			if (least < 0 || id < free[k][least]) && !slices.ContainsFunc(taken[id], s.meets) {
				least = i
			}
		}
		if least < 0 {
			return fmt.Errorf("%s: %w", fn.Name, errRegisters)
		}
		fn.Allocation[s.register.ID()] = free[k][least]
		free[k] = append(free[k][:least], free[k][least+1:]...)
	}
	return nil
}

// meets reports whether two spans have an instruction in common.
func (s span) meets(t span) bool { return s.first <= t.last && t.first <= s.last }

// named returns, for machine registers that instructions name, the spans in which they are in use. A span goes from a write, or
// the function's beginning, to the last read before the next write.
func named(fn *avo.Function) map[reg.ID][]span {
	found := map[reg.ID][]span{}
	for i, instruction := range fn.Instructions() {
		for _, r := range instruction.InputRegisters() {
			if id := r.ID(); !id.IsVirtual() {
				if len(found[id]) == 0 {
					found[id] = []span{{r, -1, 0}}
				}
				found[id][len(found[id])-1].last = 2 * i
			}
		}
		for _, r := range instruction.OutputRegisters() {
			if id := r.ID(); !id.IsVirtual() {
				found[id] = append(found[id], span{r, 2*i + 1, 2*i + 1})
			}
		}
	}
	return found
}

// physical returns the first registers of a kind that a function may use, at most number.
func physical(k reg.Kind, number int) []reg.ID {
	var ids []reg.ID
	seen := map[reg.ID]bool{}
	for _, r := range reg.FamilyOfKind(k).Registers() {
		if r.Info()&(reg.Restricted|reg.BasePointer) == 0 && int(r.PhysicalIndex()) < number && !seen[r.ID()] {
			seen[r.ID()] = true
			ids = append(ids, r.ID())
		}
	}
	return ids
}

// spans returns the spans of a function's virtual registers, sorted by their first instruction.
func spans(fn *avo.Function) []span {
	var list []span
	index := map[reg.ID]int{}
	use := func(rs []reg.Register, at int) {
		for _, r := range rs {
			if !r.ID().IsVirtual() {
				continue
			}
			i, ok := index[r.ID()]
			if !ok {
				i = len(list)
				index[r.ID()] = i
				list = append(list, span{r, at, at})
			}
			list[i].last = at
		}
	}
	for i, instruction := range fn.Instructions() {
		use(instruction.InputRegisters(), 2*i)
		use(instruction.OutputRegisters(), 2*i+1)
	}
	stretch(list, loops(fn))
	sort.SliceStable(list, func(i, j int) bool { return list[i].first < list[j].first })
	return list
}

// stretch lengthens spans that begin before a loop and end inside it: they end with the loop, because its next turn needs the
// values.
func stretch(list []span, loops [][2]int) {
	for changed := true; changed; {
		changed = false
		for i := range list {
			s := &list[i]
			for _, l := range loops {
				if s.first < l[0] && s.last >= l[0] && s.last < l[1] {
					s.last, changed = l[1], true
				}
			}
		}
	}
}

// loops returns the first and the last instruction of each loop, from the jumps backwards.
func loops(fn *avo.Function) [][2]int {
	labels := map[avo.Label]int{}
	var list [][2]int
	i := 0
	for _, node := range fn.Nodes {
		switch n := node.(type) {
		case avo.Label:
			labels[n] = i
		case *avo.Instruction:
			if to := n.TargetLabel(); to != nil {
				if from, ok := labels[*to]; ok {
					list = append(list, [2]int{2 * from, 2*i + 1})
				}
			}
			i++
		}
	}
	return list
}
