// Command asm generates the assembly kernels of package network:
//
//	go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg network
package main

import (
	"flag"
	"log"
	"os"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// vector is a register of several numbers.
type vector = reg.VecVirtual

// activations lists functions that return f(z) and f'(z).
var activations = []struct {
	name string
	of   func(l lane.Lanes, z vector) (y, slope vector)
}{
	{"tanh", func(l lane.Lanes, z vector) (y, slope vector) { // 2σ(2z) - 1
		s := sigmoid(l, l.Add(z, z))
		y = l.Sub(l.Add(s, s), l.Const(1))
		return y, l.FNMA(y, y, l.Const(1))
	}},
	{"sigmoid", func(l lane.Lanes, z vector) (y, slope vector) {
		y = sigmoid(l, z)
		return y, l.Mul(y, l.Sub(l.Set(1), y))
	}},
	{"silu", func(l lane.Lanes, z vector) (y, slope vector) { // zσ(z), with the slope σ + zσ(1 - σ)
		s := sigmoid(l, z)
		y = l.Mul(z, s)
		return y, l.FMA(y, l.Sub(l.Set(1), s), s)
	}},
}

// sigmoid returns σ(x).
func sigmoid(l lane.Lanes, x vector) vector {
	return l.Div(l.Set(1), l.Add(l.Exp(l.Neg(x)), l.Const(1)))
}

func main() {
	flags := flag.NewFlagSet("asm", flag.ExitOnError)
	avo := build.NewFlags(flags)
	if err := flags.Parse(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
	config := avo.Config() // compiles, then prints
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego")
	file := lane.NewFile(ctx)
	for _, isa := range []lane.ISA{lane.AVX2, lane.AVX512} {
		for _, a := range activations {
			emit(ctx, file.Lanes(isa, lane.Float64), a.name, a.of)
		}
	}
	config.Passes = slices.Insert(config.Passes, 1, pass.Interface(lane.PruneSelfMoves))
	os.Exit(build.Main(config, ctx))
}

// emit writes the kernel of an activation. It replaces a number of vectors z by f(z), and sets slope to f'(z).
func emit(c *build.Context, l lane.Lanes, name string, of func(l lane.Lanes, z vector) (y, slope vector)) {
	c.Function(name + l.ISA().String())
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(z, slope *float64, vectors int)")
	c.Pragma("noescape")
	z := c.Load(c.Param("z"), c.GP64())
	slope := c.Load(c.Param("slope"), c.GP64())
	left := c.Load(c.Param("vectors"), c.GP64())
	c.Label("next")
	y, d := of(l, l.Copy(operand.Mem{Base: z}))
	c.VMOVUPD(y, operand.Mem{Base: z})
	c.VMOVUPD(d, operand.Mem{Base: slope})
	c.ADDQ(operand.U8(l.Bytes()), z)
	c.ADDQ(operand.U8(l.Bytes()), slope)
	c.DECQ(left)
	c.JNZ(operand.LabelRef("next"))
	c.VZEROUPPER()
	c.RET()
}
