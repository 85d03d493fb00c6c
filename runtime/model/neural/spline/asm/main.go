// Command asm generates the assembly kernels of package spline:
//
//	go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg spline
package main

import (
	"flag"
	"log"
	"os"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"

	"likc/compiler/emit/goasm/lane"
)

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
	ones := newOnes(ctx)
	for _, isa := range []lane.ISA{lane.AVX2, lane.AVX512} {
		k := kernel{Lanes: file.Lanes(isa, lane.Float64), ctx: ctx, ones: ones}
		k.emit()
	}
	config.Passes = slices.Insert(config.Passes, 1, pass.Interface(lane.PruneSelfMoves))
	os.Exit(build.Main(config, ctx))
}
