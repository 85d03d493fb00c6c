package hierarchy

import (
	"sync"

	"likc/runtime/model/engine"
)

// Pointwise is the study asked for the log density of single trials, given draws of its coefficients: the form in which
// cross-validation needs it. It is safe for concurrent use.
type Pointwise struct {
	study  *Study
	trials *engine.Pointwise // nil where the trials are evaluated by [engine.Binder.Rows]
	values predictors
	at     [][]int   // the predictor of a row, for each parameter
	rooms  sync.Pool // of *[][]float64: parameters of one trial at every draw
}

// Pointwise returns the study's trials one by one. Those of a normalised model are evaluated together as far as they differ in one
// parameter alone, because one interpolation has the integrals of all of them.
func (s *Study) Pointwise() (*Pointwise, error) {
	p := &Pointwise{study: s}
	if s.binder == nil || !s.model.Normalise {
		var err error
		if p.trials, err = engine.NewPointwise(s.model, s.data.Columns, s.data.Choice); err != nil {
			return nil, err
		}
	}
	for _, l := range s.params {
		p.at = append(p.at, s.cells(l, &p.values))
	}
	p.rooms.New = func() any { return &[][]float64{} }
	return p, nil
}

// N returns the number of trials.
func (p *Pointwise) N() int { return p.study.Trials() }

// LogDensity sets dst[i][s] to the log density of trial first+i at the coefficients coefs[s], in the order of [Study.Names].
func (p *Pointwise) LogDensity(dst, coefs [][]float64, first int) {
	if p.trials == nil {
		p.logDensityOfRows(dst, coefs, first)
		return
	}
	room := p.rooms.Get().(*[][]float64)
	defer p.rooms.Put(room)
	for len(*room) < len(coefs) {
		*room = append(*room, make([]float64, len(p.at)))
	}
	theta := (*room)[:len(coefs)]
	for i := 0; i < len(dst); {
		k := i + 1
		for k < len(dst) && p.sameCell(first+i, first+k) {
			k++
		}
		for j, at := range p.at {
			for s, c := range coefs {
				theta[s][j] = p.values.at(at[first+i], c)
			}
		}
		p.trials.LogDensity(dst[i:k], theta, first+i)
		i = k
	}
}

// sameCell reports whether two trials have the same parameters whatever the draw.
func (p *Pointwise) sameCell(i, k int) bool {
	for _, at := range p.at {
		if at[i] != at[k] {
			return false
		}
	}
	return true
}
