package bound

import (
	"math"
	"sync"

	"likc/compiler/normal"
	"likc/runtime/model/kernel"
	"likc/runtime/num/quadrature"
)

// ownPoints makes the tables from which trials of a normalised model are drawn. The points of a table are the
// same for all parameters, so that the expression is bound to them once. They have the range of the grid of
// the model's integral.
type ownPoints struct {
	parts     *normal.Parts              // the model's density and its integral
	of        *expression                // the log density before it is normalised: parts.Log
	few, many func() (*boundGrid, error) // grids for few trials and for many, prepared at the first use
}

// boundGrid is a grid, with the expression bound to its points for each choice.
type boundGrid struct {
	quadrature.Grid
	rows map[float64]kernel.Rows
}

// fineStep is the step of the grid for few trials, in log time.
const fineStep = 0.02

func newOwnPoints(p *normal.Parts) *ownPoints {
	o := &ownPoints{parts: p, of: with(p.Log, nil)}
	u := p.Grid.U
	few := 1 + int(math.Ceil(math.Log(u[len(u)-1]/u[0])/fineStep))
	o.few = sync.OnceValues(func() (*boundGrid, error) { return o.grid(few) })
	o.many = sync.OnceValues(func() (*boundGrid, error) { return o.grid(max(few, drawPoints)) })
	return o
}

// grid binds the expression to n points.
func (o *ownPoints) grid(n int) (*boundGrid, error) {
	u := o.parts.Grid.U
	g := &boundGrid{quadrature.NewGrid(u[0], u[len(u)-1], n), map[float64]kernel.Rows{}}
	for _, code := range o.choices() {
		var choice []float64
		if o.parts.Bare.Choice != "" {
			choice = make([]float64, n)
			for i := range choice {
				choice[i] = code
			}
		}
		rows, err := o.of.Rows(kernel.Trials{Columns: [][]float64{g.U, make([]float64, n)}, Choice: choice})
		if err != nil {
			return nil, err
		}
		g.rows[code] = rows
	}
	return g, nil
}

// choices returns the codes of the choices: 0 for a model without choice.
func (o *ownPoints) choices() []float64 {
	if o.parts.Bare.Choice == "" {
		return []float64{0}
	}
	return o.parts.Bare.Codes()
}

// table returns the density at theta, for drawing a number of trials.
func (o *ownPoints) table(theta []float64, trials int) (*quadrature.Table, error) {
	prepared := o.few
	if trials >= manyTrials {
		prepared = o.many
	}
	g, err := prepared()
	if err != nil {
		return nil, err
	}
	params := kernel.Fixed(append(append(make([]float64, 0, len(theta)+1), theta...), 0)) // the last parameter is the shift, 0
	at := func(_ []float64, choice float64, _, dst []float64) { g.rows[choice].Each(params, dst, nil) }
	t := quadrature.NewTable(at, theta, o.choices(), g.Grid)
	if z := t.LogZ(); math.IsNaN(z) || math.IsInf(z, 0) {
		return nil, quadrature.ErrNoMass
	}
	return t, nil
}
