package nuts

// subtree is a part of a trajectory with 2^depth points. beg and end are the momenta at its first and last point, in the order of
// integration; a leaf sets only beg.
type subtree struct {
	depth    int
	beg, end []float64
	sum      []float64 // sum of the momenta
	weight   float64   // sum of the weights of its points
	draw     *point    // the point that was drawn from this part
}

func newSubtree(dim int) subtree {
	all := make([]float64, 3*dim)
	return subtree{beg: all[:dim:dim], end: all[dim : 2*dim : 2*dim], sum: all[2*dim:], draw: newPoint(dim)}
}

// join appends b to a, which has the same depth, and draws one of their points. Without favourNew it draws in proportion to the
// weights; with favourNew it prefers b. It reports whether the trajectory may continue. It may not if there is a U-turn across
// the joined part, or across either half with the nearest point of the other. [betancourt2017], appendix A.3-A.4.
func (t *tree) join(a, b *subtree, favourNew bool) bool {
	total := a.weight + b.weight
	against := total
	if favourNew {
		against = a.weight
	}
	if t.rng.Float64()*against < b.weight {
		a.draw, b.draw = b.draw, a.draw
	}
	a.weight = total
	a.depth++
	if b.depth == 0 {
		straight := joinLeaves(a.sum, a.beg, b.beg)
		a.end, b.beg = b.beg, a.end
		return straight
	}
	straight := joinSums(a, b)
	a.end, b.end = b.end, a.end
	return straight
}

// joinLeaves sets sum = first + last and reports whether both momenta point along it.
func joinLeaves(sum, first, last []float64) bool {
	var c0, c1 float64
	first, last = first[:len(sum)], last[:len(sum)]
	for i := range sum {
		x, y := first[i], last[i]
		r := x + y
		sum[i] = r
		c0 += x * r
		c1 += y * r
	}
	return c0 > 0 && c1 > 0
}

// joinSums adds b's sum to a's and evaluates the six criteria of [tree.join] in one pass: for the joined part, and for each half
// with the nearest point of the other.
func joinSums(a, b *subtree) bool {
	n := len(a.sum)
	sum, other := a.sum, b.sum[:n]
	aBeg, aEnd, bBeg, bEnd := a.beg[:n], a.end[:n], b.beg[:n], b.end[:n]
	var c0, c1, c2, c3, c4, c5 float64
	for i, left := range sum {
		right := other[i]
		first, inner, outer, last := aBeg[i], aEnd[i], bBeg[i], bEnd[i]
		r := left + right
		sum[i] = r
		c0 += first * r
		c1 += last * r
		r = left + outer
		c2 += first * r
		c3 += outer * r
		r = right + inner
		c4 += inner * r
		c5 += last * r
	}
	return c0 > 0 && c1 > 0 && c2 > 0 && c3 > 0 && c4 > 0 && c5 > 0
}
