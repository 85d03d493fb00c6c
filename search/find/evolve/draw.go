package evolve

import "likc/search/find/tree"

// draw chooses a kind of mutation for the tree p at random by weight, among the kinds that can change p.
func (w *worker) draw(p tree.Tree) (kind int, ok bool) {
	weights := w.settings.Weights.list()
	unary, binary := w.arities(p)
	if unary+binary == 0 {
		for _, k := range []int{operator, swap, remove, hoist, simpler, rotate} {
			weights[k] = 0
		}
	}
	if binary == 0 {
		weights[swap] = 0
	}
	weights[constant] *= float64(min(8, p.Constants())) / 8
	if p.Size() >= w.mostNodes {
		weights[add], weights[insert], weights[grown] = 0, 0, 0
	}
	sum := 0.0
	for _, x := range weights {
		sum += x
	}
	u := w.random.Float64() * sum
	for k, x := range weights {
		if u -= x; u < 0 {
			return k, true
		}
	}
	return 0, false
}

// arities returns the numbers of unary and binary operators of p.
func (w *worker) arities(p tree.Tree) (unary, binary int) {
	for _, c := range p.Codes {
		switch c.Arity() {
		case 1:
			unary++
		case 2:
			binary++
		}
	}
	return unary, binary
}

// pick returns the index of a random node of p for which keep holds, or -1.
func (w *worker) pick(p tree.Tree, keep func(i int) bool) int {
	w.nodes = w.nodes[:0]
	for i := range p.Codes {
		if keep(i) {
			w.nodes = append(w.nodes, i)
		}
	}
	if len(w.nodes) == 0 {
		return -1
	}
	return w.nodes[w.random.IntN(len(w.nodes))]
}

// isOperator returns a function that reports whether a node of p is an operator.
func isOperator(p tree.Tree) func(int) bool {
	return func(i int) bool { return p.Codes[i].Arity() > 0 }
}

// operand returns the index of the root of a random operand of the operator at i.
func (w *worker) operand(p tree.Tree, i int) int {
	if p.Codes[i].Arity() == 2 && w.random.IntN(2) == 0 {
		return w.starts[i-1] - 1
	}
	return i - 1
}

// drawOperator returns a random operator. First it draws the arity, in proportion to the numbers of operators.
func (w *worker) drawOperator() tree.Code {
	k := w.random.IntN(len(w.set.Unary) + len(w.set.Binary))
	if k < len(w.set.Unary) {
		return w.set.Unary[k]
	}
	return w.set.Binary[k-len(w.set.Unary)]
}
