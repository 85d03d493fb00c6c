//go:build !amd64 || purego

package spline

import "likc/runtime/num/isa"

// addBin adds the trials of a bin; see portableBin.
func addBin(b *binNumbers, g *totals, rt []float64) (taken int) { return portableBin(b, g, rt) }

// addBinBy calls addBin: there is one instruction set.
func addBinBy(_ isa.Level, b *binNumbers, g *totals, rt []float64) (taken int) {
	return portableBin(b, g, rt)
}
