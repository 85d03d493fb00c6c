package expr

import "sync"

// Tape evaluates expressions at real numbers, or at complex numbers for complex-step derivatives [squire1998]. It evaluates
// node by node and rewrites nothing, so that tests can compare other ways of evaluation with it.
type Tape struct {
	nodes   []*Expr        // all nodes, arguments first
	args    [][]int        // for each node, the indexes of its arguments
	roots   []int          // the indexes of the roots
	symbols map[string]int // for each symbol, its index in the values that Eval takes
	leaf    []int          // for each node: the symbol's index for a Sym node, else -1
	values  sync.Pool      // of *[]float64: memory with one value for each node
}

// NewTape prepares roots for evaluation; symbols gives the order of the values that Eval takes. A symbol that is not
// listed evaluates to 0, so callers list them all. Sum nodes cannot be evaluated.
func NewTape(symbols []string, roots ...*Expr) *Tape {
	t := &Tape{nodes: Order(roots...), symbols: map[string]int{}}
	for i, s := range symbols {
		t.symbols[s] = i
	}
	index := map[*Expr]int{}
	for i, n := range t.nodes {
		index[n] = i
		args := make([]int, len(n.Args))
		for j, a := range n.Args {
			args[j] = index[a]
		}
		t.args = append(t.args, args)
		t.leaf = append(t.leaf, -1)
		if k, ok := t.symbols[n.Name]; n.Op == Sym && ok {
			t.leaf[i] = k
		}
	}
	for _, r := range roots {
		t.roots = append(t.roots, index[r])
	}
	t.values.New = func() any { v := make([]float64, len(t.nodes)); return &v }
	return t
}

// Eval appends the value of each root at the given symbol values to dst, and returns the result. It also returns the sum of the
// absolute values of all nodes: rounding errors are judged relative to this scale.
func (t *Tape) Eval(dst []float64, values []float64) (roots []float64, scale float64) {
	memory := t.values.Get().(*[]float64)
	defer t.values.Put(memory)
	v := *memory
	var x [3]float64
	for i, n := range t.nodes {
		switch {
		case n.Op == Const:
			v[i] = n.Value
		case n.Op == Sym && t.leaf[i] >= 0:
			v[i] = values[t.leaf[i]]
		case n.Op != Sym:
			for j, a := range t.args[i] {
				x[j] = v[a]
			}
			v[i] = n.Op.Info().Eval(x)
		default:
			v[i] = 0
		}
		scale += abs(v[i])
	}
	for _, r := range t.roots {
		dst = append(dst, v[r])
	}
	return dst, scale
}

// EvalComplex does what Eval does, for complex numbers. Operators that are not analytic branch on the real part.
func (t *Tape) EvalComplex(dst []complex128, values []complex128) []complex128 {
	v := make([]complex128, len(t.nodes))
	var x [3]complex128
	for i, n := range t.nodes {
		switch {
		case n.Op == Const:
			v[i] = complex(n.Value, 0)
		case n.Op == Sym && t.leaf[i] >= 0:
			v[i] = values[t.leaf[i]]
		case n.Op != Sym:
			for j, a := range t.args[i] {
				x[j] = v[a]
			}
			v[i] = n.Op.Info().Complex(x)
		}
	}
	for _, r := range t.roots {
		dst = append(dst, v[r])
	}
	return dst
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
