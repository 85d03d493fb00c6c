package bound

import (
	"encoding/binary"
	"math"

	"likc/runtime/model/kernel"
)

// Design says how a model's parameters depend on coefficients. In the zero design, coefficient j is parameter j.
type Design struct {
	Coefficients int         // number of coefficients
	Params       []Predictor // one predictor for each parameter
}

// Predictor is a parameter as a function of the trials: link⁻¹(Offset + Inside) + Outside.
type Predictor struct {
	Link            Link      // the function from the parameter to its linear predictor; "" for [Identity]
	Low, Width      []float64 // the range of a logit: one number, or one for each trial
	Offset          []float64 // a known addend: nil for 0, one number, or one for each trial
	Inside, Outside []Term    // sums of terms inside the inverse link and outside it
}

// Term is a coefficient times a column. The index of the coefficient is First, or First + Level[i] in trial i.
type Term struct {
	Values []float64 // the column: a number for each trial; nil for 1
	First  int       // index of the coefficient of level 0
	Level  []int32   // for each trial, the number of its group, such as its participant; nil for 0
}

// In returns the index of the coefficient in a trial.
func (t *Term) In(trial int) int {
	if t.Level == nil {
		return t.First
	}
	return t.First + int(t.Level[trial])
}

// value returns the factor of the coefficient in a trial.
func (t *Term) value(trial int) float64 {
	if t.Values == nil {
		return 1
	}
	return t.Values[trial]
}

// alike reports whether the predictor is the same in all trials, because the parameter is a number or one coefficient.
func (p *Predictor) alike() bool {
	for _, terms := range [][]Term{p.Inside, p.Outside} {
		for _, t := range terms {
			if t.Values != nil || t.Level != nil {
				return false
			}
		}
	}
	return len(p.Offset) <= 1 && len(p.Low) <= 1
}

// Numbers returns the design in which each of n parameters is a number: its own coefficient. The zero design means the same, but it
// lists no predictors.
func Numbers(n int) Design {
	d := Design{Coefficients: n}
	for j := range n {
		d.Params = append(d.Params, Predictor{Inside: []Term{{First: j}}})
	}
	return d
}

// combine returns the linear combination of coefficients in a trial. Its Columns are the indices of the coefficients.
func combine(terms []Term, trial int) (c Combination) {
	for i := range terms {
		if x := terms[i].value(trial); x != 0 {
			c.Columns, c.Values = append(c.Columns, terms[i].In(trial)), append(c.Values, x)
		}
	}
	return c
}

// offset returns the offset in a trial.
func (p *Predictor) offset(trial int) float64 {
	if p.Offset == nil {
		return 0
	}
	return kernel.At(p.Offset, trial)
}

// Inverse returns the inverse link in a trial.
func (p *Predictor) Inverse(trial int) Inverse {
	switch {
	case p.Link == "":
		return Inverse{Link: Identity}
	case p.Low == nil:
		return Inverse{Link: p.Link}
	}
	return Inverse{p.Link, kernel.At(p.Low, trial), kernel.At(p.Width, trial)}
}

// add appends the predictor of a trial to others and returns its index.
func (p *Predictor) add(to *Predictors, trial int) int {
	return to.Add(combine(p.Inside, trial), combine(p.Outside, trial), p.offset(trial), p.Inverse(trial))
}

// cells appends the distinct predictors of the parameter among n trials. It returns the index of each trial's predictor, or one
// number if all trials share it.
func (p *Predictor) cells(to *Predictors, n int) []int {
	if p.alike() {
		return []int{p.add(to, 0)}
	}
	at, first := distinct(n, func(key []byte, trial int) []byte { return p.key(key, trial, true) })
	index := make([]int, len(first))
	for k, trial := range first {
		index[k] = p.add(to, trial)
	}
	for i, k := range at {
		at[i] = index[k]
	}
	return at
}

// key appends bytes that identify the predictor of a trial, with or without the part outside the link.
func (p *Predictor) key(key []byte, trial int, outside bool) []byte {
	key = append(appendKey(p.endsKey(appendFloat(key, p.offset(trial)), trial), combine(p.Inside, trial)), '|')
	if outside {
		key = appendKey(key, combine(p.Outside, trial))
	}
	return key
}

// endsKey appends bytes that identify the ends of a trial's link.
func (p *Predictor) endsKey(key []byte, trial int) []byte {
	if len(p.Low) <= 1 {
		return key
	}
	return appendFloat(appendFloat(key, p.Low[trial]), p.Width[trial])
}

// appendFloat appends the bytes of a number.
func appendFloat(key []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
}

// appendKey appends bytes that identify a combination.
func appendKey(key []byte, c Combination) []byte {
	for k, column := range c.Columns {
		key = appendFloat(binary.LittleEndian.AppendUint64(key, uint64(column)), c.Values[k])
	}
	return key
}

// distinct numbers the distinct keys of n trials, in the order of their first trials. It returns the number of each trial's key, and
// the first trial of each.
func distinct(n int, key func(key []byte, trial int) []byte) (at, first []int) {
	known, text := map[string]int{}, []byte(nil)
	at = make([]int, n)
	for trial := range at {
		text = key(text[:0], trial)
		k, ok := known[string(text)]
		if !ok {
			k = len(first)
			known[string(text)], first = k, append(first, trial)
		}
		at[trial] = k
	}
	return at, first
}

// Parameters are the parameters of a design as functions of the trials.
type Parameters struct {
	Predictors
	trials int
	at     [][]int // for each parameter: the predictor of each trial, or of all
}

// Parameters returns the parameters of n trials.
func (d Design) Parameters(n int) *Parameters {
	p := &Parameters{trials: n}
	for j := range d.Params {
		p.at = append(p.at, d.Params[j].cells(&p.Predictors, n))
	}
	return p
}

// Of returns the predictor of a parameter in a trial.
func (p *Parameters) Of(param, trial int) int { return cellOf(p.at[param], trial) }

// All writes the parameters of all trials to dst, given the values of the predictors. A parameter has one number if all trials share
// it, otherwise one for each trial. It returns dst, which it makes if dst is nil.
func (p *Parameters) All(value []float64, dst [][]float64) [][]float64 {
	if dst == nil {
		for _, cells := range p.at {
			dst = append(dst, make([]float64, len(cells)))
		}
	}
	for j, cells := range p.at {
		for i, k := range cells {
			dst[j][i] = value[k]
		}
	}
	return dst
}

// Groups returns groups of trials whose parameters are equal for all coefficients, in the order of their first trials.
func (p *Parameters) Groups() [][]int { return partition(p.at, p.trials) }

// cellOf returns the index of a trial's predictor. The trials that share a predictor are a cell.
func cellOf(cells []int, trial int) int {
	if len(cells) == 1 {
		return cells[0]
	}
	return cells[trial]
}

// partition groups the trials that are in the same cells, in the order of their first trials. A list of cells with one number, or
// none, separates no trials.
func partition(cells [][]int, n int) [][]int {
	at, first := distinct(n, func(key []byte, trial int) []byte {
		for _, c := range cells {
			if len(c) > 1 {
				key = binary.LittleEndian.AppendUint64(key, uint64(c[trial]))
			}
		}
		return key
	})
	sizes := make([]int, len(first))
	for _, k := range at {
		sizes[k]++
	}
	all, room := make([][]int, max(1, len(first))), make([]int, n)
	for k, size := range sizes {
		all[k], room = room[:0:size], room[size:]
	}
	for trial, k := range at {
		all[k] = append(all[k], trial)
	}
	return all
}
