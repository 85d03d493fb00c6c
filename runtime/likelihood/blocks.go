package likelihood

// InBlocks are rows of a density that is quick for many trials with the same parameters: value sets logp to the log densities of all
// rows at one parameter vector. Where parameters differ between rows, or derivatives are wanted, alone evaluates the rows.
func InBlocks(alone Rows, value func(theta, logp []float64)) Rows { return &blocks{alone, value} }

type blocks struct {
	Rows
	value func(theta, logp []float64)
}

func (b *blocks) Each(theta [][]float64, logp []float64, grad [][]float64) {
	if grad != nil || !shared(theta) {
		b.Rows.Each(theta, logp, grad)
		return
	}
	var few [16]float64 // more parameters than most models have: no allocation
	at := few[:0]
	for _, param := range theta {
		at = append(at, param[0])
	}
	b.value(at, logp)
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
