package lan

import "slices"

// LogDensity sets dst to the network's output for every trial. It does not apply the floor, the smallest log density that the network's
// publisher uses. theta[i], of length Dim, belongs to trial i, rt is in seconds, and choice is +1 or -1, or a number from 0. Neighbours with
// equal theta and choice are evaluated together. The output is NaN if theta is not finite. LogDensity is safe for concurrent use.
func (n *Network) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	p := newPlan(n, available()[0])
	w := newWorkspace(p)
	times := make([]float32, lanes)
	for from := 0; from < len(dst); {
		to := from + 1
		for to < len(dst) && to-from < lanes && choice[to] == choice[from] && sameValues(theta[to], theta[from]) {
			to++
		}
		if from == 0 || choice[from] != choice[from-1] || !sameValues(theta[from], theta[from-1]) {
			p.firstBias(w.bias, theta[from], choice[from])
		}
		for lane := range times {
			times[lane] = float32(rt[min(from+lane, to-1)])
		}
		p.value(w, times)
		for i := from; i < to; i++ {
			dst[i] = float64(w.out[i-from])
		}
		from = to
	}
}

// sameValues reports whether two parameter vectors are equal. It does not compare numbers if both are the same slice.
func sameValues(a, b []float64) bool {
	return &a[0] == &b[0] || slices.Equal(a, b)
}
