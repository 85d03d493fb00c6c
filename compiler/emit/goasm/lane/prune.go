package lane

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
)

// PruneSelfMoves is an avo pass that runs after pass.Compile. It removes moves of a vector register to itself. Avo's own pass
// removes such moves only for integers.
var PruneSelfMoves = pass.FunctionPass(func(fn *ir.Function) error {
	fn.Nodes = slices.DeleteFunc(fn.Nodes, func(n ir.Node) bool {
		i, ok := n.(*ir.Instruction)
		return ok && (i.Opcode == "VMOVUPD" || i.Opcode == "VMOVUPS") && len(i.Operands) == 2 &&
			operand.IsRegister(i.Operands[0]) && i.Operands[0] == i.Operands[1]
	})
	return nil
})
