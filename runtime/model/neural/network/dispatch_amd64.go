//go:build !purego

package network

import "likc/runtime/num/isa"

//go:generate go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg network

// kernel replaces z by f(z) and sets slope to f'(z), for a number of vectors of 8 or 4 numbers.
type kernel func(z, slope *float64, vectors int)

// The kernels of each activation, for two instruction sets.
var (
	avx512 = [...]kernel{Tanh: tanhAVX512, Sigmoid: sigmoidAVX512, SiLU: siluAVX512}
	avx2   = [...]kernel{Tanh: tanhAVX2, Sigmoid: sigmoidAVX2, SiLU: siluAVX2}
)

// activate does the same as apply for n numbers, at least one; there must be room for `spare` more.
func activate(a Activation, z, slope []float64, n int) {
	switch isa.Best() {
	case isa.AVX512:
		avx512[a](&z[0], &slope[0], (n+7)/8)
	case isa.AVX2:
		avx2[a](&z[0], &slope[0], (n+3)/4)
	default:
		a.portable(z[:n], slope[:n])
	}
}
