package kernel

import "sync"

// InBlocks returns rows of a density that is fast for many trials with the same parameters. value sets logp to the log densities of
// all rows at one parameter vector. If parameters differ between rows, or derivatives are wanted, singly evaluates the rows.
func InBlocks(singly Rows, value func(theta, logp []float64)) Rows {
	b := &blocks{Rows: singly, value: value}
	b.spaces.New = func() any { x := make([]float64, singly.Dim()); return &x }
	return b
}

// blocks evaluates rows together if they share parameters, and otherwise one by one.
type blocks struct {
	Rows   // evaluates the rows one by one
	value  func(theta, logp []float64)
	spaces sync.Pool // memory of evaluations: *[]float64, a parameter vector
}

func (b *blocks) Each(theta [][]float64, logp []float64, grad [][]float64) {
	if grad != nil || !shared(theta) {
		b.Rows.Each(theta, logp, grad)
		return
	}
	point := b.spaces.Get().(*[]float64)
	defer b.spaces.Put(point)
	for j, param := range theta {
		(*point)[j] = param[0]
	}
	b.value(*point, logp)
}

// shared reports whether all rows have the same parameters.
func shared(theta [][]float64) bool {
	for _, param := range theta {
		if len(param) != 1 {
			return false
		}
	}
	return true
}
