package columns

import (
	"likc/compiler/expr"
	"likc/compiler/vector"
)

// routine computes one operator over a block: with a vector kernel, or row by row if the operator has none.
type routine[F Float] struct {
	vector.Kernel[F]
	eval func(x [3]float64) float64
}

// routines returns the routine of each operator, indexed by expr.Op.
func routines[F Float]() []routine[F] {
	kernels, ok := any(&vector.Double).(*[len(vector.Double)]vector.Kernel[F])
	if !ok {
		kernels = any(&vector.Single).(*[len(vector.Single)]vector.Kernel[F])
	}
	list := make([]routine[F], len(expr.Ops()))
	for i, op := range expr.Ops() {
		list[i] = routine[F]{kernels[op], op.Info().Eval}
	}
	return list
}
