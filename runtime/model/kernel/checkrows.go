package kernel

import "math"

// CheckRows reports errors in rows at the given points, each of length Dim. It checks that
//
//   - their sum is a likelihood that passes [Check], so that the sum of the rows' gradients agrees with finite differences;
//   - if rows differ in one parameter or in all, each has the same result as with shared parameters;
//   - a row that has no finite value has no gradient, and gradients that are not wanted are not written;
//   - no call allocates.
func CheckRows(t TB, r Rows, points [][]float64) {
	t.Helper()
	scale := 0.0
	shared := make([]evaluated, len(points))
	for k, theta := range points {
		shared[k] = evaluate(r, Fixed(theta))
		shared[k].checkZeros(t, theta)
		for _, x := range shared[k].logp {
			if x-x == 0 {
				scale = max(scale, math.Abs(x)*float64(r.N()))
			}
		}
	}
	Check(t, SumOf(r), points, scale)
	for j := -1; j < r.Dim(); j++ {
		checkMixed(t, r, points, j)
	}
	checkWanted(t, r, points[0])
	checkRowAllocations(t, r, points)
}

// evaluated holds the results of Each.
type evaluated struct {
	logp []float64
	grad [][]float64
}

// room returns memory for the results of r.Each, filled with NaN.
func room(r Rows) evaluated {
	e := evaluated{make([]float64, r.N()), make([][]float64, r.Dim())}
	for j := range e.grad {
		e.grad[j] = make([]float64, r.N())
		for i := range e.grad[j] {
			e.grad[j][i] = math.NaN() // must be overwritten
		}
	}
	return e
}

func evaluate(r Rows, theta [][]float64) evaluated {
	e := room(r)
	r.Each(theta, e.logp, e.grad)
	return e
}

// checkZeros checks that rows without a finite value have zero gradients.
func (e *evaluated) checkZeros(t TB, theta []float64) {
	t.Helper()
	for i, x := range e.logp {
		for j := range e.grad {
			if x-x != 0 && e.grad[j][i] != 0 {
				t.Errorf("at %v: row %d is %v with ∂%d %v, want 0", theta, i, x, j, e.grad[j][i])
				return
			}
		}
	}
}

// checkMixed evaluates rows at different points in turn. The points differ only in the parameter `only`, or in all parameters if
// only is -1.
func checkMixed(t TB, r Rows, points [][]float64, only int) {
	t.Helper()
	theta := Fixed(points[0])
	for j := range theta {
		if j == only || only < 0 {
			theta[j] = make([]float64, r.N())
			for i := range theta[j] {
				theta[j][i] = points[i%len(points)][j]
			}
		}
	}
	mixed := evaluate(r, theta)
	for k := range points {
		at := append([]float64(nil), points[0]...)
		for j := range at {
			if j == only || only < 0 {
				at[j] = points[k][j]
			}
		}
		alone := evaluate(r, Fixed(at))
		for i := k; i < r.N(); i += len(points) {
			if !close(mixed.logp[i], alone.logp[i]) {
				t.Errorf("row %d at %v: %v among rows with other parameters, %v with equal ones", i, at, mixed.logp[i], alone.logp[i])
				return
			}
			for j := range at {
				if !close(mixed.grad[j][i], alone.grad[j][i]) {
					t.Errorf("row %d at %v: ∂%d is %v among rows with other parameters, %v with equal ones", i, at, j, mixed.grad[j][i], alone.grad[j][i])
					return
				}
			}
		}
	}
}

// close reports whether two numbers agree to 1e-9, relative or absolute.
func close(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

// checkWanted checks that the results are the same without a gradient, with only one derivative, and with all.
func checkWanted(t TB, r Rows, theta []float64) {
	t.Helper()
	all, at := evaluate(r, Fixed(theta)), Fixed(theta)
	values := make([]float64, r.N())
	r.Each(at, values, nil)
	for j := range all.grad {
		one := make([][]float64, r.Dim())
		one[j] = make([]float64, r.N())
		logp := make([]float64, r.N())
		r.Each(at, logp, one)
		for i := range logp {
			if !close(logp[i], all.logp[i]) || !close(values[i], all.logp[i]) || !close(one[j][i], all.grad[j][i]) {
				t.Errorf("row %d at %v: alone %v, with ∂%d %v and %v, with all %v and %v", i, theta, values[i], j, logp[i], one[j][i], all.logp[i], all.grad[j][i])
				return
			}
		}
	}
}

func checkRowAllocations(t TB, r Rows, points [][]float64) {
	t.Helper()
	if raced {
		return
	}
	e := room(r)
	for _, theta := range points {
		at := Fixed(theta)
		if n := allocations(func() { r.Each(at, e.logp, e.grad) }); n > 0 {
			t.Errorf("at %v: Each allocates %d times", theta, n)
		}
	}
}
