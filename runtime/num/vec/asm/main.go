//go:build ignore

// Command asm writes the vector kernels of package vec: assembly, stubs, the
// dispatch between them, and functions that portable kernels call.
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
	dispatch := flags.String("dispatch", "dispatch_amd64.go", "where the dispatch goes")
	other := flags.String("other", "dispatch_other.go", "where the dispatch for machines without kernels goes")
	scalar := flags.String("scalar", "scalar.go", "where the functions go that portable kernels call")
	avo := build.NewFlags(flags)
	if err := flags.Parse(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
	if err := writeDispatch(*dispatch, *other); err != nil {
		log.Fatal(err)
	}
	if err := writeScalars(*scalar); err != nil {
		log.Fatal(err)
	}
	config := avo.Config() // compiles, then prints
	ctx := kernels()
	config.Passes = slices.Insert(config.Passes, 1, pass.Interface(lane.PruneSelfMoves))
	config.Passes = slices.Insert(config.Passes, 0, hoist(ctx))
	os.Exit(build.Main(config, ctx))
}

// kernels writes all kernels, by instruction set, element and name.
func kernels() *build.Context {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego")
	file := lane.NewFile(ctx)
	for _, isa := range []lane.ISA{lane.AVX2, lane.AVX512} {
		for _, m := range maps {
			for _, element := range m.elements() {
				writer{file.Lanes(isa, element), ctx, element}.mapping(m)
			}
		}
		for _, r := range reductions {
			for _, element := range r.elements {
				writer{file.Lanes(isa, lane.Float64), ctx, element}.reduction(r)
			}
		}
		for _, p := range passages {
			writer{file.Lanes(isa, lane.Float64), ctx, lane.Float64}.passage(p)
		}
	}
	return ctx
}
