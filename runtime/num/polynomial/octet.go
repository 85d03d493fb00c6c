package polynomial

import "likc/runtime/num/isa"

// lanes is the number of polynomials that are evaluated together, and nested the number of inputs over whose degrees a kernel sums. Go code
// around the kernel sums over the degrees of the other inputs.
const (
	lanes  = 8
	nested = 3
)

// octet holds up to eight polynomials that are evaluated together.
type octet struct {
	outputs int
	blocks  []block
	spare   int // how many inputs fewer than three there are: a kernel gets the constant polynomial 1 for each
}

// block holds the terms whose outer inputs, all except the last three, have the same degrees.
type block struct {
	outer  []int            // the degrees of the outer inputs
	rows   [][lanes]float64 // coefficients, by the degrees of the last three inputs
	counts []int64          // how many degrees the first of these inputs has; for each of them, how many the second has; for each of those, how many the third has
}

func newOctet(inputs int, outputs [][]Term) octet {
	o := octet{outputs: len(outputs), spare: max(0, nested-inputs)}
	tree := &node{}
	for lane, terms := range outputs {
		for _, t := range terms {
			at := tree
			for range o.spare {
				at = at.child(0)
			}
			for _, d := range t.Degrees {
				at = at.child(d)
			}
			at.row[lane] += t.Coefficient
		}
	}
	o.appendBlocks(tree, inputs-nested, nil)
	return o
}

// appendBlocks appends the blocks below a node of the tree; above is the number of outer inputs between the node and the blocks, and outer the
// degrees on the way to the node.
func (o *octet) appendBlocks(n *node, above int, outer []int) {
	if above > 0 {
		for d, c := range n.children {
			o.appendBlocks(c, above-1, append(outer[:len(outer):len(outer)], d))
		}
		return
	}
	b := block{outer: outer}
	b.appendRows(n, nested)
	if len(b.rows) > 0 {
		o.blocks = append(o.blocks, b)
	}
}

// appendRows appends the coefficients below a node of the tree; above is the number of inputs between the node and the rows.
func (b *block) appendRows(n *node, above int) {
	if above == 0 {
		b.rows = append(b.rows, n.row)
		return
	}
	b.counts = append(b.counts, int64(len(n.children)))
	for _, c := range n.children {
		b.appendRows(c, above-1)
	}
}

// node is a node of the tree of terms. The terms below it have the same degrees in the first inputs.
type node struct {
	children []*node        // children by the degree of the next input
	row      [lanes]float64 // at a leaf, the coefficient of each polynomial
}

func (n *node) child(degree int) *node {
	for len(n.children) <= degree {
		n.children = append(n.children, &node{})
	}
	return n.children[degree]
}

// constant is the table for a missing input: only the polynomial 1, with the derivative 0.
var constant = [][2]float64{{1, 0}}

// results are the values of eight polynomials, then their derivatives with respect to each input. Derivatives for missing inputs come first.
type results [][lanes]float64

// sum sets `to` to the values and derivatives of the polynomials, at the inputs for which w holds tables.
func (o *octet) sum(w *Space, to results, level isa.Level) {
	tables := [nested][][2]float64{constant, constant, constant}
	outer := max(0, len(w.tables)-nested)
	copy(tables[o.spare:], w.tables[outer:])
	if outer == 0 && len(o.blocks) == 1 {
		o.blocks[0].sum(to, &tables, o.outputs, level)
		return
	}
	clear(to)
	for k := range o.blocks {
		b := &o.blocks[k]
		b.sum(w.part, &tables, o.outputs, level)
		b.addTo(to, w.tables[:outer], w.part)
	}
}

// addTo adds a block's part to results, times the polynomials of the outer inputs.
func (b *block) addTo(to results, outer [][][2]float64, part results) {
	weight := 1.0
	for i, d := range b.outer {
		weight *= outer[i][d][0]
	}
	addRow(&to[0], weight, &part[0])
	for i := range nested {
		addRow(&to[1+len(outer)+i], weight, &part[1+i])
	}
	for i, d := range b.outer {
		slope := outer[i][d][1]
		for j, other := range b.outer {
			if j != i {
				slope *= outer[j][other][0]
			}
		}
		addRow(&to[1+i], slope, &part[0])
	}
}

// addRow adds weight·row to `to`.
func addRow(to *[lanes]float64, weight float64, row *[lanes]float64) {
	for i := range to {
		to[i] += weight * row[i]
	}
}

// portableSum is the kernel in Go. It sets part to the sum of rows, each multiplied by polynomials of the three inputs, and to the
// derivatives of this sum with respect to each input.
func (b *block) portableSum(part results, first, second, third [][2]float64) {
	clear(part)
	rows, counts := b.rows, b.counts[1:]
	for _, p := range first[:b.counts[0]] {
		var middle [nested][lanes]float64 // the sum, and its derivatives with respect to the second and the third input
		degrees := counts[0]
		counts = counts[1:]
		for _, q := range second[:degrees] {
			var inner [2][lanes]float64
			for k, r := range third[:counts[0]] {
				addRow(&inner[0], r[0], &rows[k])
				addRow(&inner[1], r[1], &rows[k])
			}
			rows, counts = rows[counts[0]:], counts[1:]
			addRow(&middle[0], q[0], &inner[0])
			addRow(&middle[1], q[1], &inner[0])
			addRow(&middle[2], q[0], &inner[1])
		}
		addRow(&part[0], p[0], &middle[0])
		addRow(&part[1], p[1], &middle[0])
		addRow(&part[2], p[0], &middle[1])
		addRow(&part[3], p[0], &middle[2])
	}
}
