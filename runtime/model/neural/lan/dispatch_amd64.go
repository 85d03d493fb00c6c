//go:build !purego

package lan

import "likc/runtime/num/isa"

// available returns the kernels that may be used here, fastest first.
func available() []kernels {
	var all []kernels
	if isa.Best() >= isa.AVX512 {
		all = append(all, kernels{"avx512", 10, forwardAVX512, backwardAVX512, linearAVX512})
	}
	if isa.Best() >= isa.AVX2 {
		all = append(all, kernels{"avx2", 5, forwardAVX2, backwardAVX2, linearAVX2})
	}
	return append(all, portable)
}
