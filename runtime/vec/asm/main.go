//go:build ignore

// Command asm writes the vector kernels of package vec: assembly, stubs, and
// the dispatch between them.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"

	"likc/compiler/emit/goasm/lane"
)

func main() {
	dispatch := flag.String("dispatch", "dispatch_amd64.go", "where the dispatch goes")
	other := flag.String("other", "dispatch_other.go", "where that of machines without kernels goes")
	flag.Parse()
	build.ConstraintExpr("!purego")
	var constants lane.Constants
	for _, isa := range []lane.ISA{lane.AVX2, lane.AVX512} {
		for _, m := range maps {
			for _, element := range m.elements() {
				writer{lane.New(isa, element, &constants), element}.mapping(m)
			}
		}
		writer{lane.New(isa, lane.Float64, &constants), lane.Float64}.sum()
	}
	if err := writeDispatch(*dispatch, *other); err != nil {
		log.Fatal(err)
	}
	build.Generate()
}
