package hierarchy

import "likc/runtime/chains"

// Rows gives the parameters of the model at single trials, for draws of the study.
type Rows struct {
	values       predictors
	at           [][]int // the predictor of a row, for each parameter
	coefs        []float64
	value, slope []float64
}

// Rows returns the parameters of trials; not safe for concurrent use.
func (s *Study) Rows() *Rows {
	r := &Rows{coefs: make([]float64, len(s.coords))}
	for _, l := range s.params {
		r.at = append(r.at, s.cells(l, &r.values))
	}
	r.value, r.slope = make([]float64, r.values.n()), make([]float64, r.values.n())
	return r
}

// Draw takes draw k of chain c.
func (r *Rows) Draw(d *chains.Draws, c, k int) {
	for j, column := range d.Chains[c].Params {
		r.coefs[j] = column[k]
	}
	r.values.evaluate(r.coefs, r.value, r.slope)
}

// Theta writes the parameters of a trial at the draw.
func (r *Rows) Theta(row int, theta []float64) {
	for i := range theta {
		theta[i] = r.value[r.at[i][row]]
	}
}
