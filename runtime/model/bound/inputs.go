package bound

import (
	"slices"

	"likc/compiler/diff"
	"likc/compiler/expr"
)

// inputs evaluates the inputs of a calibrated model's polynomials, which are expressions of the model's parameters, and their
// derivatives. It computes in an array, the memory, which holds first the parameters, then the constants, then the value of each
// operation.
type inputs struct {
	params     int       // number of parameters
	memory     []float64 // the initial contents of an evaluation's memory
	operations []operation
	roots      []int   // for each input, the index of its value
	slopes     []slope // derivatives of the inputs
}

// operation computes a value and appends it to the memory. Unused arguments are 0.
type operation struct {
	eval      func(x [3]float64) float64
	arguments [3]int // indices in the memory
}

// slope says where the memory holds the derivative of an input with respect to a parameter: at index place. Derivatives that are 0
// everywhere are omitted.
type slope struct{ input, param, place int }

func newInputs(all []*expr.Expr, params []string) *inputs {
	f := &inputs{params: len(params), memory: make([]float64, len(params))}
	gradients := make([][]*expr.Expr, len(all))
	roots := slices.Clone(all)
	for i, e := range all {
		gradients[i] = diff.Gradient(e, params)
		roots = append(roots, gradients[i]...)
	}
	order, place := expr.Order(roots...), map[*expr.Expr]int{}
	for _, n := range order {
		switch n.Op {
		case expr.Const:
			place[n], f.memory = len(f.memory), append(f.memory, n.Value)
		case expr.Sym:
			place[n] = slices.Index(params, n.Name)
		}
	}
	for _, n := range order {
		if n.Op == expr.Const || n.Op == expr.Sym {
			continue
		}
		o := operation{eval: n.Op.Info().Eval}
		for j, a := range n.Args {
			o.arguments[j] = place[a]
		}
		place[n], f.memory, f.operations = len(f.memory), append(f.memory, 0), append(f.operations, o)
	}
	for i, e := range all {
		f.roots = append(f.roots, place[e])
		for j, d := range gradients[i] {
			if d.Op != expr.Const || d.Value != 0 {
				f.slopes = append(f.slopes, slope{i, j, place[d]})
			}
		}
	}
	return f
}

// at evaluates the expressions in memory, a copy of f.memory, and sets x to their values.
func (f *inputs) at(memory, theta, x []float64) {
	copy(memory, theta)
	values := memory[len(memory)-len(f.operations):]
	for i := range values {
		o := &f.operations[i]
		values[i] = o.eval([3]float64{memory[o.arguments[0]], memory[o.arguments[1]], memory[o.arguments[2]]})
	}
	for i, place := range f.roots {
		x[i] = memory[place]
	}
}

// back applies the chain rule: bars are derivatives of a function with respect to the expressions, and back adds its derivatives
// with respect to the parameters to grad. memory must hold the values that at set last.
func (f *inputs) back(memory, bars, grad []float64) {
	for _, s := range f.slopes {
		grad[s.param] += bars[s.input] * memory[s.place]
	}
}
