package evidence

// arena is memory that successive evaluations reuse. A slice from it is valid until reset.
type arena struct {
	block []float64 // the memory
	used  int       // how much of block is taken
	total int       // the number of values taken since the last reset
}

// take returns a slice of n zeros.
func (a *arena) take(n int) []float64 {
	a.total += n
	if a.used+n > len(a.block) {
		a.block, a.used = make([]float64, max(n, 2*len(a.block), 1<<12)), 0
	}
	out := a.block[a.used : a.used+n : a.used+n]
	a.used += n
	clear(out)
	return out
}

// reset makes all memory free again. It replaces the memory by one block large enough for another evaluation of the same size.
func (a *arena) reset() {
	if a.total > len(a.block) {
		a.block = make([]float64, a.total)
	}
	a.used, a.total = 0, 0
}
