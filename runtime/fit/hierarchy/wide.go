package hierarchy

import (
	"encoding/binary"
	"math"
	"slices"
)

// fewValues is the number of values up to which a column counts as conditions, which tell blocks apart; one with more is
// compiled into the likelihood.
const fewValues = 16

// wide is a parameter with columns that have many values: in a block it is the predictor of its other columns, plus one for
// each of the many-valued ones times the column.
type wide struct {
	*linear
	narrow  [2][]column // inside and outside the link
	sources []source
}

// source is a column of many values, and the columns of coefficients that it multiplies: a common one, and those of groups.
type source struct {
	values  []float64
	columns []column
}

// asWide divides a parameter's columns; nil if it has none with many values, or if such stand behind a link or are an offset,
// so that the parameter is no linear combination of them.
func (l *linear) asWide() *wide {
	w := &wide{linear: l}
	for side, columns := range l.columns {
		for _, c := range columns {
			if !manyValues(c.values) {
				w.narrow[side] = append(w.narrow[side], c)
				continue
			}
			if side == 0 && l.link != Identity {
				return nil
			}
			i := slices.IndexFunc(w.sources, func(s source) bool { return slices.Equal(s.values, c.values) })
			if i < 0 {
				i = len(w.sources)
				w.sources = append(w.sources, source{values: c.values})
			}
			w.sources[i].columns = append(w.sources[i].columns, c)
		}
	}
	if len(w.sources) == 0 || manyValues(l.offset) {
		return nil
	}
	return w
}

func manyValues(values []float64) bool {
	seen := map[float64]bool{}
	for _, x := range values {
		if seen[x] = true; len(seen) > fewValues {
			return true
		}
	}
	return false
}

// entries is the linear combination of some columns in a row.
func entries(columns []column, row int) (c combination) {
	for i := range columns {
		if x := columns[i].values[row]; x != 0 {
			c.columns, c.values = append(c.columns, columns[i].in(row)), append(c.values, x)
		}
	}
	return c
}

// coefficients is the sum of the coefficients of a source in a row.
func (s *source) coefficients(row int) (c combination) {
	for i := range s.columns {
		c.columns, c.values = append(c.columns, s.columns[i].in(row)), append(c.values, 1)
	}
	return c
}

// cells numbers the rows whose predictors are the same.
func (w *wide) cells(rows int) []int {
	known, all := map[string]int{}, make([]int, rows)
	for row := range all {
		key := binary.LittleEndian.AppendUint64(nil, math.Float64bits(w.offsetOf(row)))
		for _, columns := range w.narrow {
			key = append(entries(columns, row).key(key), '|')
		}
		key = w.endsKey(key, row)
		for i := range w.sources {
			key = append(w.sources[i].coefficients(row).key(key), '|')
		}
		at, ok := known[string(key)]
		if !ok {
			at = len(known)
			known[string(key)] = at
		}
		all[row] = at
	}
	return all
}

// wideInputs adds the predictors of a block of rows of one cell.
func (s *Study) wideInputs(w *wide, rows []int) (inputs []int, columns [][]float64) {
	row := rows[0]
	inputs = []int{s.predictors.add(entries(w.narrow[0], row), entries(w.narrow[1], row), w.offsetOf(row), w.inverse(row))}
	for i := range w.sources {
		x := make([]float64, len(rows))
		for k, at := range rows {
			x[k] = w.sources[i].values[at]
		}
		columns = append(columns, x)
		inputs = append(inputs, s.predictors.add(w.sources[i].coefficients(row), combination{}, 0, inverse{link: Identity}))
	}
	return inputs, columns
}
