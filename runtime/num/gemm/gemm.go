// Package gemm multiplies matrices in single precision, and small ones in double precision. On processors with AVX-512 it uses its own
// kernel for single precision, on the calling goroutine; on others it calls gonum's blas32, which may use several goroutines for large
// products. For the matrices of small networks (128 by 128), the kernel is 5 to 10 times as fast as blas32 on one thread.
//
// The bits of an element of the product depend only on its row of a and its column of b, not on the shape of the matrices.
package gemm

//go:generate go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg gemm

// Product sets dst, row-major [m][n], to a·b: a(i, j) = a[i·row + j·column] for i < m, j < k, where one of row and column
// is 1, and b is row-major [k][n]. So a is row-major for (row, column) = (k, 1), and transposed for (1, m). dst must not overlap a or
// b. Slices that are too short cause a panic.
func Product(dst []float32, m, n, k int, a []float32, row, column int, b []float32) {
	if m == 0 || n == 0 {
		return
	}
	dst = dst[:m*n]
	if k == 0 {
		clear(dst)
		return
	}
	b = b[:k*n]
	a = a[:(m-1)*row+(k-1)*column+1]
	product(dst, m, n, k, a, row, column, b)
}

// AddRow adds x·b to dst in double precision; b is row-major [len(x)][len(dst)]. dst must not overlap x or b. A matrix that is too
// short causes a panic.
func AddRow(dst, x, b []float64) { AddRows(dst, x, b, len(x), len(dst)) }

// AddRows adds a·b to dst in double precision. All are row-major: a is [m][k], b is [k][n] and dst is [m][n], where m follows from the
// length of dst. dst must not overlap a or b. Matrices that are too short cause a panic.
func AddRows(dst, a, b []float64, k, n int) {
	if k > 0 && n > 0 && len(dst) >= n {
		m := len(dst) / n
		addRows(dst[:m*n], a[:m*k], b[:k*n], k, n)
	}
}

// portableRows does what AddRows does, in Go, for the columns first to n-1.
func portableRows(dst, a, b []float64, k, first, n int) {
	for ; len(dst) >= n; dst, a = dst[n:], a[k:] {
		for j, v := range a[:k] {
			for c := first; c < n; c++ {
				dst[c] += v * b[j*n+c]
			}
		}
	}
}
