package lane

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
)

// PruneSelfMoves is an avo pass, for after pass.Compile: it removes the copies
// whose two registers became one. Avo's own pass knows the integer moves only.
var PruneSelfMoves = pass.FunctionPass(func(fn *ir.Function) error {
	fn.Nodes = slices.DeleteFunc(fn.Nodes, func(n ir.Node) bool {
		i, ok := n.(*ir.Instruction)
		return ok && (i.Opcode == "VMOVUPD" || i.Opcode == "VMOVUPS") && len(i.Operands) == 2 &&
			operand.IsRegister(i.Operands[0]) && i.Operands[0] == i.Operands[1]
	})
	return nil
})
