package evidence

// arena is memory that one evaluation after another uses. What it hands out is valid until reset.
type arena struct {
	block []float64
	used  int
	total int // asked for since the last reset
}

// take returns n zeros.
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

// reset takes everything back; the next evaluation of the same size finds one block that is large enough.
func (a *arena) reset() {
	if a.total > len(a.block) {
		a.block = make([]float64, a.total)
	}
	a.used, a.total = 0, 0
}
