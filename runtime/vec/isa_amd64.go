//go:build !purego

package vec

import "golang.org/x/sys/cpu"

func best() ISA {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return Portable
	case !x.HasAVX512F || !x.HasAVX512DQ:
		return AVX2
	}
	return AVX512
}
