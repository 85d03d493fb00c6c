package columns

import (
	"likc/compiler/expr"
	"likc/compiler/vector"
)

// routine computes one operator over a block: by its kernel, or row by row where it has none of one or two operands.
type routine[F Float] struct {
	vector.Kernel[F]
	eval func(x [3]float64) float64
}

// routines are all operators' by their number.
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
