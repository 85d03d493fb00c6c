// Command asm generates the assembly kernels of package gemm:
//
//	go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors is the number of vectors, of 16 numbers each, in a row of a tile in single precision.
const vectors = 2

func main() {
	build.ConstraintExpr("amd64,!purego")
	for _, rows := range []int{1, 4, 12} {
		emit(rows)
	}
	for _, rows := range []int{1, 2, 5} {
		for _, vectors := range []int{1, 4, 5} {
			emitDouble(double{"AVX512", 64, rows, vectors, build.ZMM})
		}
	}
	emitDouble(double{"AVX512", 64, 8, 1, build.ZMM})
	for _, rows := range []int{1, 2} {
		emitDouble(double{"AVX2", 32, rows, 4, build.YMM})
	}
	build.Generate()
}

// strides holds the registers that a kernel's loop over k needs: the addresses of rows 0 and 8 of a,
// multiples of the distance between rows, by which any of 12 rows is addressed, and the state of the loop.
type strides struct {
	base, late                reg.GPVirtual // addresses of rows 0 and 8
	one, three, five, seven   reg.GPVirtual // 1, 3, 5 and 7 times the distance between rows of a, in bytes
	column, b, nextB, k, left reg.GPVirtual
}

// emit emits the code of the kernel for tiles with the given number of rows.
func emit(rows int) {
	name := fmt.Sprintf("tile%d", rows)
	build.TEXT(name, build.NOSPLIT, "func(dst, a, b *float32, k, row, column, nextB, nextDst int, mask0, mask1 uint16)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s sets a tile of dst, %d rows of up to 32 columns, to a·b over k; strides are in bytes,", name, rows),
		"row and column of a, nextB and nextDst from row to row; the masks say which columns there are.")
	dst := load("dst")
	s := loadStrides(rows)
	s.b, s.k, s.column, s.nextB = load("b"), load("k"), load("column"), load("nextB")
	nextDst := load("nextDst")
	masks := [vectors]reg.OpmaskVirtual{loadMask("mask0"), loadMask("mask1")}
	sums := make([]reg.VecVirtual, rows*vectors)
	for i := range sums {
		sums[i] = build.ZMM()
		build.VPXORD(sums[i], sums[i], sums[i])
	}
	s.multiply(rows, sums, masks)
	for r := range rows {
		for v, mask := range masks {
			build.VMOVUPS(sums[r*vectors+v], mask, operand.Mem{Base: dst, Disp: 64 * v})
		}
		build.ADDQ(nextDst, dst)
	}
	build.VZEROUPPER()
	build.RET()
}

func load(name string) reg.GPVirtual {
	return build.Load(build.Param(name), build.GP64()).(reg.GPVirtual)
}

func loadMask(name string) reg.OpmaskVirtual {
	mask, word := build.K(), build.GP16()
	build.Load(build.Param(name), word)
	build.KMOVW(word.As32(), mask)
	return mask
}

func loadStrides(rows int) strides {
	s := strides{base: load("a"), one: load("row")}
	if rows > 3 {
		s.three = build.GP64()
		build.LEAQ(operand.Mem{Base: s.one, Index: s.one, Scale: 2}, s.three)
	}
	if rows > 5 {
		s.five, s.seven = build.GP64(), build.GP64()
		build.LEAQ(operand.Mem{Base: s.one, Index: s.one, Scale: 4}, s.five)
		build.LEAQ(operand.Mem{Base: s.three, Index: s.one, Scale: 4}, s.seven)
	}
	if rows > 8 {
		s.late = build.GP64()
		build.LEAQ(operand.Mem{Base: s.base, Index: s.one, Scale: 8}, s.late)
	}
	return s
}

// at returns the address of the current element of a in a row.
func (s strides) at(row int) operand.Mem {
	base := s.base
	if row >= 8 {
		base, row = s.late, row-8
	}
	switch row {
	case 0:
		return operand.Mem{Base: base}
	case 1, 2, 4:
		return operand.Mem{Base: base, Index: s.one, Scale: uint8(row)}
	case 3:
		return operand.Mem{Base: base, Index: s.three, Scale: 1}
	case 6:
		return operand.Mem{Base: base, Index: s.three, Scale: 2}
	case 5:
		return operand.Mem{Base: base, Index: s.five, Scale: 1}
	}
	return operand.Mem{Base: base, Index: s.seven, Scale: 1}
}

// multiply emits the loop over k that adds the products to the sums.
func (s strides) multiply(rows int, sums []reg.VecVirtual, masks [vectors]reg.OpmaskVirtual) {
	build.Label("next")
	var b [vectors]reg.VecVirtual
	for v, mask := range masks {
		b[v] = build.ZMM()
		build.VMOVUPS_Z(operand.Mem{Base: s.b, Disp: 64 * v}, mask, b[v])
	}
	for r := range rows {
		a := build.ZMM()
		build.VBROADCASTSS(s.at(r), a)
		for v := range b {
			build.VFMADD231PS(b[v], a, sums[r*vectors+v])
		}
	}
	build.ADDQ(s.column, s.base)
	if rows > 8 {
		build.ADDQ(s.column, s.late)
	}
	build.ADDQ(s.nextB, s.b)
	build.DECQ(s.k)
	build.JNZ(operand.LabelRef("next"))
}
