// Package gemm multiplies matrices in single precision. On processors with AVX-512 it uses a kernel of its own, on the calling
// goroutine; elsewhere it calls gonum's blas32, which may use several goroutines for large products. For the matrices of small
// networks (128 by 128), the kernel is 5 to 10 times as fast as blas32 on one thread.
//
// The bits of an element of the product depend only on its row of a and its column of b, not on the shape of the matrices.
package gemm

//go:generate go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg gemm

// Product sets dst, row-major [m][n], to a·b: a(i, j) = a[i·row + j·column] for i < m, j < k, where one of row and column
// is 1, and b is row-major [k][n]. So a is row-major for (row, column) = (k, 1), and transposed for (1, m). dst overlaps
// neither. Slices that are too short are a broken invariant and panic.
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

// AddRow adds x·b to dst in double precision; b is row-major [len(x)][len(dst)]. dst overlaps neither. A matrix that is too
// short is a broken invariant and panics.
func AddRow(dst, x, b []float64) { AddRows(dst, x, b, len(x), len(dst)) }

// AddRows adds a·b to dst in double precision: a is row-major with k columns, dst with n and as many rows as a, b is row-major [k][n].
// dst overlaps neither. Matrices that do not fit are a broken invariant and panic.
func AddRows(dst, a, b []float64, k, n int) {
	if k > 0 && n > 0 && len(dst) >= n {
		m := len(dst) / n
		addRows(dst[:m*n], a[:m*k], b[:k*n], k, n)
	}
}

// portableRows does what AddRows does, in Go, for the columns from first on.
func portableRows(dst, a, b []float64, k, first, n int) {
	for ; len(dst) >= n; dst, a = dst[n:], a[k:] {
		for j, v := range a[:k] {
			for c := first; c < n; c++ {
				dst[c] += v * b[j*n+c]
			}
		}
	}
}
