// Command asm generates the assembly kernels of package polynomial:
//
//	go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sizes in bytes: of a count of degrees, of a row of eight coefficients, and of the value of a polynomial with its derivative.
const (
	count = 8
	row   = 64
	pair  = 16
)

func main() {
	build.ConstraintExpr("amd64,!purego")
	emit("AVX512", build.ZMM)
	emit("AVX2", build.YMM)
	build.Generate()
}

// sums holds registers: a sum over the degrees of some inputs, and its derivatives with respect to each of these inputs.
type sums struct {
	value  reg.VecVirtual
	slopes []reg.VecVirtual
}

// kernel is the state of the kernel being written.
type kernel struct {
	vector       func() reg.VecVirtual
	rows, counts reg.GPVirtual
}

// emit writes a kernel for an instruction set.
func emit(isa string, vector func() reg.VecVirtual) {
	build.TEXT("sum"+isa, build.NOSPLIT, "func(dst, rows *float64, counts *int64, first, second, third *[2]float64)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("sum%s sets rows of dst to the sums and their derivatives in each input; see portableSum. It computes as many", isa),
		"outputs as a register has lanes.")
	k := &kernel{vector: vector, rows: load("rows"), counts: load("counts")}
	dst := load("dst")
	all := k.over([]string{"first", "second", "third"})
	for i, v := range append([]reg.VecVirtual{all.value}, all.slopes...) {
		build.VMOVUPD(v, operand.Mem{Base: dst, Disp: row * i})
	}
	build.VZEROUPPER()
	build.RET()
}

func load(name string) reg.GPVirtual {
	return build.Load(build.Param(name), build.GP64()).(reg.GPVirtual)
}

// over emits nested loops over the degrees of the named inputs, the first one outermost, and returns the registers of the sum.
func (k *kernel) over(inputs []string) sums {
	name, inner := inputs[0], inputs[1:]
	total := sums{value: k.zero()}
	for range inputs {
		total.slopes = append(total.slopes, k.zero())
	}
	at, left := load(name), build.GP64()
	build.MOVQ(operand.Mem{Base: k.counts}, left)
	build.ADDQ(operand.U8(count), k.counts)
	build.TESTQ(left, left)
	build.JE(operand.LabelRef(name + "_done"))
	build.Label(name)
	var term sums
	if len(inner) == 0 {
		term.value = k.vector()
		build.VMOVUPD(operand.Mem{Base: k.rows}, term.value)
		build.ADDQ(operand.U8(row), k.rows)
	} else {
		term = k.over(inner)
	}
	polynomial, slope := k.broadcast(at, 0), k.broadcast(at, pair/2)
	build.VFMADD231PD(polynomial, term.value, total.value)
	build.VFMADD231PD(slope, term.value, total.slopes[0])
	for i, s := range term.slopes {
		build.VFMADD231PD(polynomial, s, total.slopes[1+i])
	}
	build.ADDQ(operand.U8(pair), at)
	build.DECQ(left)
	build.JNZ(operand.LabelRef(name))
	build.Label(name + "_done")
	return total
}

func (k *kernel) zero() reg.VecVirtual {
	v := k.vector()
	build.VXORPD(v, v, v)
	return v
}

func (k *kernel) broadcast(from reg.Register, disp int) reg.VecVirtual {
	v := k.vector()
	build.VBROADCASTSD(operand.Mem{Base: from, Disp: disp}, v)
	return v
}
