package lan

import "slices"

// LogDensity fills dst with the network's output at every trial, without floor: theta[i], of length Dim, belongs to trial i,
// rt is in seconds, choice +1 or -1, or a number from 0. Neighbours of equal theta and choice are run together. It is NaN where theta is not
// finite. Any number of goroutines may call it at once.
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

// sameValues reports whether two parameter vectors are equal; the same slice is, at no cost.
func sameValues(a, b []float64) bool {
	return &a[0] == &b[0] || slices.Equal(a, b)
}
