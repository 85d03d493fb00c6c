package lane

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// sequences are the operations under test. Their values are tested in runtime/num/vec, where they become kernels. The tests in this
// package check how they use registers and constants.
var sequences = map[string]func(l Lanes, x reg.VecVirtual) reg.VecVirtual{
	"exp":        Lanes.Exp,
	"log":        Lanes.Log,
	"expm1":      Lanes.Expm1,
	"log1p":      Lanes.Log1p,
	"sin":        Lanes.Sin,
	"cos":        Lanes.Cos,
	"erf":        Lanes.Erf,
	"erfc":       Lanes.Erfc,
	"normcdf":    Lanes.NormCDF,
	"mills":      Lanes.InverseMills,
	"lognormcdf": Lanes.LogNormCDF,
	"log1mexp":   Lanes.Log1mExp,
	"pow":        func(l Lanes, x reg.VecVirtual) reg.VecVirtual { return l.Pow(x, l.Set(1)) },
	"reciprocal": Lanes.ReciprocalNormal,
	"max":        func(l Lanes, x reg.VecVirtual) reg.VecVirtual { return l.Max(x, l.Set(1)) },
	"select":     func(l Lanes, x reg.VecVirtual) reg.VecVirtual { return l.Select(x, Less, l.Const(1), x, l.Set(1)) },
}

// inFunction writes a sequence into a function of its own.
func inFunction(isa ISA, element Element, sequence func(Lanes, reg.VecVirtual) reg.VecVirtual) (ctx *build.Context, x reg.VecVirtual) {
	ctx = build.NewContext()
	l := NewFile(ctx).Lanes(isa, element)
	ctx.Function("f")
	ctx.SignatureExpr("func()")
	x = l.Set(2)
	sequence(l, x)
	ctx.VZEROUPPER()
	ctx.RET()
	return ctx, x
}

func TestSequencesLeaveTheirArguments(t *testing.T) {
	each(t, func(t *testing.T, isa ISA, element Element, sequence func(Lanes, reg.VecVirtual) reg.VecVirtual) {
		ctx, x := inFunction(isa, element, sequence)
		file, err := ctx.Result()
		if err != nil {
			t.Fatal(err)
		}
		writes := 0
		for _, i := range file.Functions()[0].Instructions() {
			for _, out := range i.OutputRegisters() {
				if out.ID() == x.ID() {
					writes++
				}
			}
		}
		if writes != 1 {
			t.Errorf("x is written %d times, want once, where it is made", writes)
		}
	})
}

// TestSequencesAssemble allocates registers: AVX2 has sixteen, and a sequence
// must leave some of them to the kernel around it.
func TestSequencesAssemble(t *testing.T) {
	scarce := regexp.MustCompile(`\bY(1[2-9]|2\d|3[01])\b|\bZ`)
	selfMove := regexp.MustCompile(`VMOVUP[DS] +([YZ]0, [YZ]0|[YZ]1, [YZ]1|[YZ]2, [YZ]2)\n`)
	each(t, func(t *testing.T, isa ISA, element Element, sequence func(Lanes, reg.VecVirtual) reg.VecVirtual) {
		ctx, _ := inFunction(isa, element, sequence)
		file, err := ctx.Result()
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Concat(pass.Compile, PruneSelfMoves).Execute(file); err != nil {
			t.Fatal(err)
		}
		text, err := printer.NewGoAsm(printer.Config{Pkg: "p"}).Print(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := selfMove.Find(text); found != nil {
			t.Errorf("has %s", found)
		}
		if found := scarce.Find(text); isa == AVX2 && found != nil {
			t.Errorf("uses %s", found)
		}
	})
}

func each(t *testing.T, test func(*testing.T, ISA, Element, func(Lanes, reg.VecVirtual) reg.VecVirtual)) {
	for name, sequence := range sequences {
		for _, isa := range []ISA{AVX2, AVX512} {
			for _, element := range []Element{Float32, Float64} {
				t.Run(fmt.Sprintf("%s%v%d", name, isa, 8*element), func(t *testing.T) { test(t, isa, element, sequence) })
			}
		}
	}
}

func TestConstantsAreKeptOnce(t *testing.T) {
	ctx := build.NewContext()
	file := NewFile(ctx)
	a := file.Lanes(AVX2, Float64).Const(0.5)
	b := file.Lanes(AVX512, Float64).Const(0.5)
	c := file.Lanes(AVX512, Float32).Const(0.5)
	if a.Symbol != b.Symbol || a.Symbol == c.Symbol {
		t.Errorf("0.5 is %v, %v and, in float32, %v", a.Symbol, b.Symbol, c.Symbol)
	}
	if !strings.Contains(a.Symbol.Name, "3fe0000000000000") {
		t.Errorf("0.5 is called %s", a.Symbol.Name)
	}
}
