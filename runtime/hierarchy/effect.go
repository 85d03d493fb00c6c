package hierarchy

import (
	"slices"

	"likc/compiler/formula"
	"likc/runtime/chains"
)

// Effect is how a parameter, on its own scale and for the population, depends on one column of the data. Other columns have their
// means; over the labels of others the parameter is averaged.
type Effect struct {
	Param, Column string
	Labels        []string      // of the points; nil for a column of numbers
	At            []float64     // values of a column of numbers, ascending
	Draws         [][][]float64 // of each point, a slice a chain
}

// effectPoints is the number of points along a column of numbers.
const effectPoints = 21

// Effects returns an effect for each parameter with a formula and each column among its common terms; d are the study's draws.
func (r *Record) Effects(d *chains.Draws) ([]Effect, error) {
	var all []Effect
	for i := range r.Params {
		p := &r.Params[i]
		for _, c := range r.Columns {
			if p.Formula == nil || !p.readsForAll(c.Name) || c.Labels == nil && !(c.Low < c.High) {
				continue
			}
			e, err := r.effect(p, c, d)
			if err != nil {
				return nil, err
			}
			all = append(all, *e)
		}
	}
	return all, nil
}

func (r *Record) effect(p *ParamRecord, c ColumnRecord, d *chains.Draws) (*Effect, error) {
	e := &Effect{Param: p.Name, Column: c.Name, Labels: slices.Clone(c.Labels)}
	values := e.Labels
	if c.Labels == nil {
		for k := range effectPoints {
			x := float64(c.Low) + float64(c.High-c.Low)*float64(k)/(effectPoints-1)
			e.At, values = append(e.At, x), append(values, textOf(x))
		}
	}
	for _, value := range values {
		tables, err := r.tables(p, &formula.Condition{Name: p.Name, Settings: []formula.Setting{{Column: c.Name, Value: value}}})
		if err != nil {
			return nil, err
		}
		x, err := p.draws(tables, d)
		if err != nil {
			return nil, err
		}
		e.Draws = append(e.Draws, x)
	}
	return e, nil
}
