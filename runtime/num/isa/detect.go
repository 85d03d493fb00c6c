//go:build amd64 && !purego

package isa

import "golang.org/x/sys/cpu"

// detect returns the instruction sets that the processor has and whose registers the operating system saves.
func detect() Level {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return Portable
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL:
		return AVX2
	}
	return AVX512
}
