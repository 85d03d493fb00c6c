//go:build !purego

package spline

import "likc/runtime/num/isa"

// level is the best instruction set of this machine.
var level = isa.Best()

// addBin adds the trials of a bin; see portableBin. There is one trial at least.
func addBin(b *binNumbers, g *totals, rt []float64) (taken int) { return addBinBy(level, b, g, rt) }

// addBinBy does what addBin does, with an instruction set.
func addBinBy(l isa.Level, b *binNumbers, g *totals, rt []float64) (taken int) {
	switch l {
	case isa.AVX512:
		return addBinAVX512(&b.t, &g.bin.xi, &rt[0], len(rt))
	case isa.AVX2:
		return addBinAVX2(&b.t, &g.bin.xi, &rt[0], len(rt))
	}
	return portableBin(b, g, rt)
}
