package lan

import "golang.org/x/sys/cpu"

// available returns the kernels that this machine runs, fastest first.
func available() []kernels {
	var all []kernels
	if cpu.X86.HasAVX512F {
		all = append(all, kernels{"avx512", 10, forwardAVX512, backwardAVX512, linearAVX512})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, kernels{"avx2", 5, forwardAVX2, backwardAVX2, linearAVX2})
	}
	return append(all, portable)
}
