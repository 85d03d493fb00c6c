//go:build ignore

package main

import (
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// vectorRegisters is the number of vector registers of AVX-512, and mostHoisted the largest number of a kernel's constants that stay in
// registers.
const (
	vectorRegisters = 32
	mostHoisted     = 14
)

// hoist returns a pass that runs before pass.Compile. It loads the constants of a kernel of AVX-512 once, in front of
// its loops. If constants stayed in memory, exp and log would load one for almost every multiplication, and the loads would limit their
// speed.
func hoist(ctx *build.Context) pass.Interface {
	return pass.FunctionPass(func(fn *ir.Function) error {
		if !strings.HasSuffix(fn.Name, "AVX512") {
			return nil
		}
		busy, err := busiest(fn)
		if err != nil {
			return err
		}
		return load(ctx, fn, min(mostHoisted, vectorRegisters-busy))
	})
}

// load adds instructions that load the first constants of a kernel into registers, at most `most`, and makes the kernel use them.
func load(ctx *build.Context, fn *ir.Function, most int) error {
	resident := map[string]operand.Op{}
	var loads []ir.Node
	for _, i := range fn.Instructions() {
		for _, list := range [][]operand.Op{i.Operands, i.Inputs} {
			for at, op := range list {
				m, ok := op.(operand.Mem)
				if !ok || !strings.HasPrefix(m.Symbol.Name, "lane") {
					continue
				}
				if resident[m.Symbol.Name] == nil {
					if len(resident) == most {
						continue
					}
					v := ctx.ZMM()
					load, err := x86.VMOVUPD(m, v)
					if err != nil {
						return err
					}
					resident[m.Symbol.Name], loads = v, append(loads, load)
				}
				list[at] = resident[m.Symbol.Name]
			}
		}
	}
	fn.Nodes = slices.Concat(loads, fn.Nodes)
	return nil
}

// busiest returns the largest number of vector registers that a kernel needs at
// the same time. It removes the results of its analysis from fn, because pass.Compile repeats the analysis.
func busiest(fn *ir.Function) (most int, err error) {
	for _, analyse := range []pass.FunctionPass{pass.LabelTarget, pass.CFG, pass.Liveness} {
		if err := analyse(fn); err != nil {
			return 0, err
		}
	}
	for _, i := range fn.Instructions() {
		live := i.LiveOut.Clone()
		live.Update(reg.NewMaskSetFromRegisters(i.OutputRegisters()))
		n := 0
		for id := range live {
			if id.Kind() == reg.KindVector {
				n++
			}
		}
		most = max(most, n)
		i.LiveOut, i.LiveIn = nil, nil
	}
	for _, i := range fn.Instructions() {
		i.Succ, i.Pred = nil, nil
	}
	return most, nil
}
