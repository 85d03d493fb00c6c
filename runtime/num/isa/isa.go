// Package isa says which instruction set kernels in assembly may use. It is the one place that detects what the processor
// has and reads LIKC_ISA.
//
// LIKC_ISA is an environment variable for tests and benchmarks. Its values are avx512, avx2 and portable; kernels then use
// no better instruction set than that, even if the processor has one. Unset or empty, they use the best. It holds for the
// kernels of package runtime and for generated packages that are bound in this process (package load); a harness, which is
// a process of its own, uses the best. The build tag purego leaves assembly out, of generated packages too.
package isa

import (
	"fmt"
	"os"
)

// Level is an instruction set.
type Level int

// The instruction sets, slowest first. Generated packages number their engines alike.
const (
	Portable Level = iota // Go, everywhere
	AVX2                  // AVX2 with FMA and BMI2
	AVX512                // F, DQ and VL, with FMA and BMI2
)

// String returns the usual name.
func (l Level) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[l] }

// Variable is the name of the environment variable.
const Variable = "LIKC_ISA"

// best is settled once, so that all kernels of a process agree.
var best = func() Level {
	l, err := limit(detect(), os.Getenv(Variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "likc:", err)
		os.Exit(2)
	}
	return l
}()

// Best returns the fastest instruction set that kernels may use: what the processor, the operating system and the build
// have, and the environment variable allows.
func Best() Level { return best }

// limit returns the lower of two instruction sets: the best that there is, and the one that the text names.
func limit(there Level, text string) (Level, error) {
	switch text {
	case "", "avx512":
		return there, nil
	case "avx2":
		return min(there, AVX2), nil
	case "portable":
		return Portable, nil
	}
	return Portable, fmt.Errorf("%s=%q: unknown; want avx512, avx2 or portable", Variable, text)
}
