//go:build !purego

package spline

import "likc/runtime/isa"

var level = isa.Best()

// addBin adds the trials of a bin, at least one.
func addBin(b *binNumbers, g *totals, rt []float64) { addBinBy(level, b, g, rt) }

// addBinBy is addBin with an instruction set.
func addBinBy(l isa.Level, b *binNumbers, g *totals, rt []float64) {
	switch l {
	case isa.AVX512:
		addBinAVX512(&b.t, &g.bin.xi, &rt[0], len(rt))
	case isa.AVX2:
		addBinAVX2(&b.t, &g.bin.xi, &rt[0], len(rt))
	default:
		portableBin(b, g, rt)
	}
}
