// Command asm generates the assembly kernels of package lan:
//
//	go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go
//
// Every kernel multiplies a layer's weights by a block of 32 trials: one trial in each lane, and a tile of rows of the product in registers.
package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	blockBytes = 4 * 32 // one row of a block of trials
	constBytes = 64     // a constant, repeated over the widest vector
)

// isa holds the properties in which instruction sets differ. A tile is the part of the product that is kept in registers.
type isa struct {
	name       string
	bytes      int                                             // size of a vector in bytes
	vectors    int                                             // number of vectors side by side in a tile
	tile       int                                             // number of rows of a tile
	vector     func() reg.VecVirtual                           // returns a new register
	power      func(y, n, p reg.VecVirtual, polynomial func()) // emits p = 2^y/2, where polynomial computes the power of y's fraction
	complement func(k *kernel, d, r reg.VecVirtual)            // emits r = 1 - 1/d
}

func main() {
	build.ConstraintExpr("amd64,!purego")
	constants := newConstants()
	avx512 := isa{"AVX512", 64, 2, 10, build.ZMM, power512, complement512}
	avx2 := isa{"AVX2", 32, 2, 5, build.YMM, power2, complement2}
	for _, i := range []isa{avx512, avx2} {
		forward := kernel{isa: i, name: "forward" + i.name, last: "bias", constants: constants}
		forward.emit("dst = tanh(weights·x + bias), where weights and bias come multiplied by 2/ln 2.", forward.tanh)
		backward := kernel{isa: i, name: "backward" + i.name, last: "active", constants: constants}
		backward.emit("dst = weights·x ⊙ (1 - active²).", backward.slope)
		linear := kernel{isa: i, name: "linear" + i.name, last: "bias", constants: constants}
		linear.tile = 2
		linear.emit("dst = weights·x + bias.", func(reg.VecVirtual, operand.Mem) {})
	}
	build.Generate()
}

// constants is the read-only data of all kernels.
type constants struct {
	table operand.Mem
	index map[string]int
}

// newConstants lays out the constants of tanh. The polynomial is the
// Chebyshev fit of 2^f/2 on [-1/2, 1/2], relative error 8e-8.
func newConstants() constants {
	values := []struct {
		name  string
		value float32
	}{
		{"largest", 60}, {"smallest", -60}, {"half", 0.5}, {"one", 1}, {"two", 2},
		{"c0", 0.500000037727}, {"c1", 0.346573594013}, {"c2", 0.120110537427},
		{"c3", 0.0277517855711}, {"c4", 0.00483801595916}, {"c5", 0.000669543168234},
	}
	c := constants{index: map[string]int{}}
	c.table = build.GLOBL("constants", attr.RODATA|attr.NOPTR)
	for i, v := range values {
		c.index[v.name] = i * constBytes
		for lane := 0; lane < constBytes; lane += 4 {
			build.DATA(i*constBytes+lane, operand.U32(math.Float32bits(v.value)))
		}
	}
	return c
}

func (c constants) at(name string) operand.Mem { return c.table.Offset(c.index[name]) }

// kernel is one function being generated.
type kernel struct {
	isa
	name      string
	last      string // name of the fourth argument
	constants constants
}

// emit writes the function. finish replaces a sum by its result; `at` is the address of the fourth argument's element for the sum's row and
// column.
func (k *kernel) emit(doc string, finish func(sum reg.VecVirtual, at operand.Mem)) {
	build.TEXT(k.name, build.NOSPLIT, fmt.Sprintf("func(dst, x, weights, %s *float32, inputs, tiles int)", k.last))
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s is %s", k.name, doc),
		fmt.Sprintf("x holds inputs rows of 32 trials; weights hold tiles of %d rows, [tiles][inputs][%d];", k.tile, k.tile),
		"dst holds all tiles' rows of 32 trials.")
	dst := build.Load(build.Param("dst"), build.GP64())
	x := build.Load(build.Param("x"), build.GP64())
	weights := build.Load(build.Param("weights"), build.GP64())
	last := build.Load(build.Param(k.last), build.GP64())
	inputs := build.Load(build.Param("inputs"), build.GP64())
	tiles := build.Load(build.Param("tiles"), build.GP64())
	end := build.GP64()

	build.Label("tile")
	for group := 0; group < blockBytes; group += k.bytes * k.vectors {
		sums := k.start(last)
		k.multiply(fmt.Sprintf("inputs%d", group), sums, x, weights, inputs, end, group)
		for i, sum := range sums {
			offset := i/k.vectors*blockBytes + group + i%k.vectors*k.bytes
			finish(sum, operand.Mem{Base: last, Disp: offset})
			build.VMOVUPS(sum, operand.Mem{Base: dst, Disp: offset})
		}
	}
	build.MOVQ(end, weights)
	build.ADDQ(operand.U32(uint32(k.tile*blockBytes)), dst)
	build.ADDQ(operand.U32(uint32(k.tile*k.lastRow())), last)
	build.DECQ(tiles)
	build.JNZ(operand.LabelRef("tile"))
	build.VZEROUPPER()
	build.RET()
}

// lastRow returns the number of bytes that a row of dst has in the fourth argument.
func (k *kernel) lastRow() int {
	if k.last == "bias" {
		return 4
	}
	return blockBytes
}

// start returns a tile's accumulators, [rows][vectors], holding the bias or 0.
func (k *kernel) start(last reg.Register) []reg.VecVirtual {
	sums := make([]reg.VecVirtual, k.tile*k.vectors)
	for i := range sums {
		sums[i] = k.vector()
		if k.last == "bias" {
			build.VBROADCASTSS(operand.Mem{Base: last, Disp: 4 * (i / k.vectors)}, sums[i])
		} else {
			build.VXORPS(sums[i], sums[i], sums[i])
		}
	}
	return sums
}

// multiply adds the products over all inputs to the sums. On return, end points after the tile's weights.
func (k *kernel) multiply(label string, sums []reg.VecVirtual, x, weights, inputs, end reg.Register, group int) {
	row, left := build.GP64(), build.GP64()
	build.MOVQ(weights, end)
	build.MOVQ(x, row)
	build.MOVQ(inputs, left)
	build.Label(label)
	columns := make([]reg.VecVirtual, k.vectors)
	for v := range columns {
		columns[v] = k.vector()
		build.VMOVUPS(operand.Mem{Base: row, Disp: group + v*k.bytes}, columns[v])
	}
	for r := range k.tile {
		weight := k.vector()
		build.VBROADCASTSS(operand.Mem{Base: end, Disp: 4 * r}, weight)
		for v, column := range columns {
			build.VFMADD231PS(column, weight, sums[r*k.vectors+v])
		}
	}
	build.ADDQ(operand.U32(uint32(4*k.tile)), end)
	build.ADDQ(operand.U32(blockBytes), row)
	build.DECQ(left)
	build.JNZ(operand.LabelRef(label))
}

// tanh replaces y, which is 2x/ln 2, by tanh(x) = 1 - 1/d with d = (2^y+1)/2.
func (k *kernel) tanh(y reg.VecVirtual, _ operand.Mem) {
	n, p := k.vector(), k.vector()
	build.VMINPS(k.constants.at("largest"), y, y)
	build.VMAXPS(k.constants.at("smallest"), y, y)
	k.power(y, n, p, func() {
		build.VMOVUPS(k.constants.at("c5"), p)
		for _, c := range []string{"c4", "c3", "c2", "c1", "c0"} {
			build.VFMADD213PS(k.constants.at(c), y, p)
		}
	})
	build.VADDPS(k.constants.at("half"), p, p)
	k.complement(k, p, y)
}

// complement512 sets r to 1 - 1/d by an estimate of 1/d and one Newton step. For every estimate within the documented relative error of
// 2^-14, the error after the step is 2^-28, which is below the rounding error of single precision.
func complement512(k *kernel, d, r reg.VecVirtual) {
	build.VRCP14PS(d, r)
	build.VFNMADD213PS(k.constants.at("two"), r, d) // 2 - d·r
	build.VFNMADD213PS(k.constants.at("one"), d, r) // 1 - r·(2 - d·r)
}

// complement2 sets r to 1 - 1/d by a division. The documented relative error of VRCPPS is 1.5·2^-12; after a Newton step it would exceed
// the rounding error of single precision.
func complement2(k *kernel, d, r reg.VecVirtual) {
	one := k.vector()
	build.VMOVUPS(k.constants.at("one"), one)
	build.VDIVPS(d, one, r)
	build.VSUBPS(r, one, r)
}

// power512 sets p to 2^y/2. It sets n to the integer part of y and y to the fraction, at which it evaluates the polynomial.
func power512(y, n, p reg.VecVirtual, polynomial func()) {
	build.VRNDSCALEPS(operand.U8(0), y, n)
	build.VSUBPS(n, y, y)
	polynomial()
	build.VSCALEFPS(n, p, p)
}

// power2 does what power512 does, without its scaling instruction.
func power2(y, n, p reg.VecVirtual, polynomial func()) {
	build.VROUNDPS(operand.U8(0), y, n)
	build.VSUBPS(n, y, y)
	build.VCVTPS2DQ(n, n)
	build.VPSLLD(operand.U8(23), n, n)
	polynomial()
	build.VPADDD(n, p, p)
}

// slope multiplies sum by 1 - active².
func (k *kernel) slope(sum reg.VecVirtual, active operand.Mem) {
	h, one := k.vector(), k.vector()
	build.VMOVUPS(active, h)
	build.VMOVUPS(k.constants.at("one"), one)
	build.VFNMADD231PS(h, h, one)
	build.VMULPS(one, sum, sum)
}
