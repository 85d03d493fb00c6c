package polynomial

import "likc/runtime/num/isa"

// lanes is the number of polynomials that are evaluated together, and nested the number of inputs over which a kernel sums. Go
// code around the kernel sums over the other inputs.
const (
	lanes  = 8
	nested = 3
)

// octet holds up to eight polynomials that are evaluated together.
type octet struct {
	outputs int
	blocks  []block
	spare   int // the number of missing inputs, for which a kernel gets the constant 1
}

// block holds the terms whose outer inputs, all except the last three, have the same degrees.
type block struct {
	outer  []int
	rows   [][lanes]float64 // coefficients, by the degrees of the last three inputs
	counts []int64          // counts of the degrees of the first input here; for each degree, counts of those of the second; and so on
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
	o.add(tree, inputs-nested, nil)
	return o
}

// add adds the blocks below a node; above is the number of inputs between the node and the blocks.
func (o *octet) add(n *node, above int, outer []int) {
	if above > 0 {
		for d, c := range n.children {
			o.add(c, above-1, append(outer[:len(outer):len(outer)], d))
		}
		return
	}
	b := block{outer: outer}
	b.add(n, nested)
	if len(b.rows) > 0 {
		o.blocks = append(o.blocks, b)
	}
}

// add appends the rows below a node; above is the number of inputs between the node and the rows.
func (b *block) add(n *node, above int) {
	if above == 0 {
		b.rows = append(b.rows, n.row)
		return
	}
	b.counts = append(b.counts, int64(len(n.children)))
	for _, c := range n.children {
		b.add(c, above-1)
	}
}

// node holds the terms that have the same degrees of the first inputs.
type node struct {
	children []*node // children by the degree of the next input
	row      [lanes]float64
}

func (n *node) child(degree int) *node {
	for len(n.children) <= degree {
		n.children = append(n.children, &node{})
	}
	return n.children[degree]
}

// constant is the table of polynomials for a missing input.
var constant = [][2]float64{{1, 0}}

// results are the values of eight polynomials, then their derivatives in each input, the spare ones first.
type results [][lanes]float64

// sum sets `to` to the values and derivatives of the polynomials, at the inputs whose tables w holds.
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

// addRow adds weight·row.
func addRow(to *[lanes]float64, weight float64, row *[lanes]float64) {
	for i := range to {
		to[i] += weight * row[i]
	}
}

// portableSum is a kernel: it sets part to the sum of rows, each times the polynomials of three inputs, and the derivatives of the sum in each.
func (b *block) portableSum(part results, first, second, third [][2]float64) {
	clear(part)
	rows, counts := b.rows, b.counts[1:]
	for _, p := range first[:b.counts[0]] {
		var middle [nested][lanes]float64 // the sum, and its derivatives in the second and the third input
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
