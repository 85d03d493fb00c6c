package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// double describes a kernel in double precision: its tile has `rows` rows, each of `vectors` vector registers.
type double struct {
	isa           string
	bytes         int // the size of a vector in bytes
	rows, vectors int
	vector        func() reg.VecVirtual
}

// masked reports whether the kernel takes masks, which select the columns that exist. A kernel without masks needs all columns of the tile.
func (d double) masked() bool { return d.isa == "AVX512" }

// emitDouble emits the code of a kernel.
func emitDouble(d double) {
	name := fmt.Sprintf("add%dx%d%s", d.rows, d.vectors, d.isa)
	signature, columns := "func(dst, a, b *float64, k, row, next int)", fmt.Sprintf("%d columns", d.vectors*d.bytes/8)
	if d.masked() {
		signature, columns = "func(dst, a, b *float64, k, row, next int, mask uint64)", fmt.Sprintf("up to %d columns, which the mask says", d.vectors*d.bytes/8)
	}
	build.TEXT(name, build.NOSPLIT, signature)
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s adds a·b over k to a tile of dst: %d rows of %s. Strides are in bytes:", name, d.rows, columns),
		"row that of a, next that of b and dst.")
	dst, b, k, next := load("dst"), load("b"), load("k"), load("next")
	a := loadStrides(d.rows)
	masks := d.loadMasks()
	sums := d.loadSums(dst, next, masks)
	build.Label("next")
	column := make([]reg.VecVirtual, d.vectors)
	for v := range column {
		column[v] = d.vector()
		d.load(operand.Mem{Base: b, Disp: d.bytes * v}, masks[v], column[v])
	}
	for r := range d.rows {
		x := d.vector()
		build.VBROADCASTSD(a.at(r), x)
		for v := range column {
			build.VFMADD231PD(column[v], x, sums[r*d.vectors+v])
		}
	}
	build.ADDQ(operand.U8(8), a.base)
	build.ADDQ(next, b)
	build.DECQ(k)
	build.JNZ(operand.LabelRef("next"))
	d.store(dst, next, sums, masks)
	build.VZEROUPPER()
	build.RET()
}

// loadMasks emits code that loads the masks, and returns the mask of each vector in a row; nil masks if the kernel takes none.
func (d double) loadMasks() []reg.OpmaskVirtual {
	masks := make([]reg.OpmaskVirtual, d.vectors)
	if !d.masked() {
		return masks
	}
	word := load("mask")
	for v := range masks {
		masks[v] = build.K()
		build.KMOVW(word.As32(), masks[v])
		build.SHRQ(operand.U8(8), word)
	}
	return masks
}

// loadSums emits code that loads the tile of dst, and returns its registers, row by row.
func (d double) loadSums(dst, next reg.GPVirtual, masks []reg.OpmaskVirtual) []reg.VecVirtual {
	sums, at := make([]reg.VecVirtual, d.rows*d.vectors), build.GP64()
	build.MOVQ(dst, at)
	for i := range sums {
		sums[i] = d.vector()
		d.load(operand.Mem{Base: at, Disp: d.bytes * (i % d.vectors)}, masks[i%d.vectors], sums[i])
		if i%d.vectors == d.vectors-1 {
			build.ADDQ(next, at)
		}
	}
	return sums
}

func (d double) load(from operand.Mem, mask reg.OpmaskVirtual, to reg.VecVirtual) {
	if d.masked() {
		build.VMOVUPD_Z(from, mask, to)
	} else {
		build.VMOVUPD(from, to)
	}
}

// store emits code that writes the sums back to the tile of dst.
func (d double) store(dst, next reg.GPVirtual, sums []reg.VecVirtual, masks []reg.OpmaskVirtual) {
	for i, sum := range sums {
		to := operand.Mem{Base: dst, Disp: d.bytes * (i % d.vectors)}
		if d.masked() {
			build.VMOVUPD(sum, masks[i%d.vectors], to)
		} else {
			build.VMOVUPD(sum, to)
		}
		if i%d.vectors == d.vectors-1 {
			build.ADDQ(next, dst)
		}
	}
}
