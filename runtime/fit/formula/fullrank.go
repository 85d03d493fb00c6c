package formula

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
)

// coded is a term whose categorical factors are coded in full (a column for each level) or by treatment (no column for the
// reference level).
type coded struct {
	Term
	full []bool // for each factor, whether it is coded in full
}

// codings yields terms that together give a design of full rank if the data have every combination of levels. The rule is patsy's
// ("Redundancy and categorical factors" in its manual), after Chambers & Hastie, Statistical Models in S (1992), §2. A categorical
// term spans the products of all subsets of its factors, each with treatment coding. Subsets that an earlier term with the same
// numeric factors spans are omitted. Two subsets that differ by one factor are joined into one, in which that factor is coded in
// full. If several terms remain, each has its own name.
func codings(terms []Term, categorical func(Factor) bool) iter.Seq[coded] {
	return func(yield func(coded) bool) {
		spanned := map[string]bool{}
		for _, t := range terms {
			for _, s := range merge(newSubsets(t, categorical, spanned)) {
				if !yield(s.partOf(t, categorical)) {
					return
				}
			}
		}
	}
}

// subset is a set of categorical factors of a term. Bit n-1-i stands for factor i of n, so that descending numbers have the order
// of the factors.
type subset struct{ factors, full uint } // the factors of the set, and those of them that are coded in full

// newSubsets returns the subsets of the term's categorical factors that are not in spanned, smallest first, and adds them to
// spanned.
func newSubsets(t Term, categorical func(Factor) bool, spanned map[string]bool) []subset {
	var mask uint
	for i, f := range t.Factors {
		if categorical(f) {
			mask |= t.bit(i)
		}
	}
	var all []subset
	for s := mask; ; s = (s - 1) & mask {
		// Each key includes the numeric factors.
		if key := t.only(func(i int) bool { return t.bit(i)&(s|^mask) != 0 }).key(); !spanned[key] {
			spanned[key] = true
			all = append(all, subset{factors: s})
		}
		if s == 0 {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b subset) int {
		return cmp.Compare(bits.OnesCount(a.factors), bits.OnesCount(b.factors))
	})
	return all
}

func (t Term) bit(i int) uint { return 1 << (len(t.Factors) - 1 - i) }

// only returns the term with only those factors i for which keep(i) is true.
func (t Term) only(keep func(i int) bool) Term {
	part := Term{Pos: t.Pos}
	for i, f := range t.Factors {
		if keep(i) {
			part.Factors = append(part.Factors, f)
		}
	}
	return part
}

// merge joins two subsets that differ by one factor, until there are no such subsets.
func merge(all []subset) []subset {
	for i := 0; i < len(all); i++ {
		for j := i + 1; j < len(all); j++ {
			short, long := all[i], all[j]
			extra := long.factors &^ short.factors
			if short.factors&^long.factors == 0 && bits.OnesCount(extra) == 1 && short.full == long.full {
				all[j].full |= extra
				return merge(slices.Delete(all, i, i+1))
			}
		}
	}
	return all
}

// partOf returns the part of t with the subset's categorical factors and all of t's numeric factors.
func (s subset) partOf(t Term, categorical func(Factor) bool) coded {
	keep := func(i int) bool { return !categorical(t.Factors[i]) || s.factors&t.bit(i) != 0 }
	c := coded{Term: t.only(keep)}
	for i := range t.Factors {
		if keep(i) {
			c.full = append(c.full, s.full&t.bit(i) != 0)
		}
	}
	return c
}
