// Package isa determines which instruction set kernels in assembly may use. Only this package detects the processor's
// instruction sets and reads LIKC_ISA.
//
// LIKC_ISA is an environment variable for tests and benchmarks. Its values are avx512, avx2 and portable; kernels then
// use no better instruction set than the named one, even if the processor has one. If it is unset or empty, they use
// the best. The variable limits the kernels of this program, and generated packages that run in the same process
// (package load). A model that runs in a separate process uses the best instruction set. The build tag purego excludes
// assembly, also from generated packages.
package isa

import (
	"fmt"
	"os"
)

// Level is an instruction set.
type Level int

// The instruction sets, slowest first. Generated packages use the same numbers.
const (
	Portable Level = iota // no assembly: Go, on every processor
	AVX2                  // AVX2 with FMA and BMI2
	AVX512                // AVX-512 F, DQ and VL, with FMA and BMI2
)

// String returns the usual name.
func (l Level) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[l] }

// Variable is the name of the environment variable.
const Variable = "LIKC_ISA"

// best is determined once, so that all kernels of a process agree.
var best = func() Level {
	l, err := limit(detect(), os.Getenv(Variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "likc:", err)
		os.Exit(2)
	}
	return l
}()

// Best returns the fastest instruction set that kernels may use: the processor, the operating system and the build
// have it, and the environment variable allows it.
func Best() Level { return best }

// limit returns the slower of two instruction sets: the detected one, and the one that the text names.
func limit(detected Level, text string) (Level, error) {
	switch text {
	case "", "avx512":
		return detected, nil
	case "avx2":
		return min(detected, AVX2), nil
	case "portable":
		return Portable, nil
	}
	return Portable, fmt.Errorf("%s=%q: unknown; want avx512, avx2 or portable", Variable, text)
}
