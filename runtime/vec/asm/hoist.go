//go:build ignore

package main

import (
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/x86"
)

// mostHoisted is the number of a kernel's constants that stay in registers; the
// rest of the 32 is for its work.
const mostHoisted = 14

// crowded is the same for kernels that need more registers for their work.
var crowded = map[string]int{"log1mExpAVX512": 8, "logAddExpAVX512": 8}

// hoist is a pass, for before pass.Compile: it loads the constants of a kernel
// of AVX-512 once, in front of its loops. Left in memory, they would make the
// load ports the limit of exp and log: one for almost every multiplication.
func hoist(ctx *build.Context) pass.Interface {
	return pass.FunctionPass(func(fn *ir.Function) error {
		if !strings.HasSuffix(fn.Name, "AVX512") {
			return nil
		}
		most := mostHoisted
		if fewer, ok := crowded[fn.Name]; ok {
			most = fewer
		}
		resident := map[string]operand.Op{}
		var loads []ir.Node
		for _, node := range fn.Nodes {
			i, ok := node.(*ir.Instruction)
			if !ok {
				continue
			}
			for _, list := range [][]operand.Op{i.Operands, i.Inputs} {
				for at, op := range list {
					m, ok := op.(operand.Mem)
					if !ok || !strings.HasPrefix(m.Symbol.Name, "lane") {
						continue
					}
					if _, known := resident[m.Symbol.Name]; !known {
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
	})
}
