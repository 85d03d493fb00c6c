// Package regress is ordinary symbolic regression: it minimises the mean squared error over the rows of a table, and can fit
// constants. [Loss] evaluates trees as they are. [Linear] fits a coefficient for each term of a sum, after a link function of the
// target. [Search] repeats searches of the latter at growing sizes and with each link.
package regress

import (
	"errors"
	"fmt"
	"math"

	"likc/search/columns"
	"likc/search/evolve"
	"likc/search/tree"
)

// Loss is the share of a target's variance that an expression leaves: its mean squared error over the target's variance.
type Loss struct {
	symbols  []string
	table    columns.Table[float64]
	probe    columns.Table[float64]
	target   []float64
	variance float64
}

// New returns the loss over columns of equal length, one a symbol. A target without variance is refused.
func New(symbols []string, column [][]float64, target []float64) (*Loss, error) {
	if len(symbols) != len(column) || len(symbols) == 0 || len(target) == 0 {
		return nil, fmt.Errorf("regress: %d columns for %d symbols over %d rows", len(column), len(symbols), len(target))
	}
	for i, c := range append([][]float64{target}, column...) {
		if len(c) != len(target) {
			return nil, fmt.Errorf("regress: column %d has %d rows, the target %d", i, len(c), len(target))
		}
		for row, v := range c {
			if v-v != 0 {
				return nil, fmt.Errorf("regress: row %d: %v in column %d", row+1, v, i)
			}
		}
	}
	l := &Loss{symbols: symbols, table: columns.Table[float64]{Columns: column}, target: target, variance: variance(target)}
	if l.variance == 0 {
		return nil, errors.New("regress: the target is constant")
	}
	l.probe.Columns = spread(column)
	return l, nil
}

func variance(x []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(x))
}

// probeRows is the number of rows of a fingerprint.
const probeRows = 64

// spread takes evenly spread rows.
func spread(column [][]float64) [][]float64 {
	rows := len(column[0])
	n := min(rows, probeRows)
	out := make([][]float64, len(column))
	for i, c := range column {
		for k := range n {
			out[i] = append(out[i], c[k*rows/n])
		}
	}
	return out
}

// Symbols returns the names of the columns.
func (l *Loss) Symbols() []string { return l.symbols }

// Terms returns the names of the terms: the mean squared error, and the share of the variance that is explained.
func (l *Loss) Terms() []string { return []string{"mse", "r2"} }

// NewScorer returns a scorer, which is an [evolve.Fitter] too.
func (l *Loss) NewScorer() evolve.Scorer {
	s := &scorer{Loss: l, all: columns.NewEvaluator(&l.table), probe: columns.NewEvaluator(&l.probe)}
	s.values = make([]float64, len(l.target))
	s.row = make([]float64, len(l.probe.Columns[0]))
	return s
}

type scorer struct {
	*Loss
	all, probe *columns.Evaluator[float64]
	values     []float64 // of all rows
	row        []float64 // of the probe's rows
	fit        fit
}

// Score is the loss of t; +Inf if t is not finite on every row.
func (s *scorer) Score(t tree.Tree, _ float64, dst []float64) float64 {
	sum, finite := s.all.SquaredError(t, s.target)
	if !finite {
		return math.Inf(1)
	}
	dst[0] = sum / float64(len(s.target))
	loss := dst[0] / s.variance
	dst[1] = 1 - loss
	return loss
}

// keptBits is the number of significant bits that values are rounded to: few enough for forms that round differently, and
// enough to tell constants apart while they are being fitted.
const keptBits = 36

// Fingerprint hashes the values on the probe's rows.
func (s *scorer) Fingerprint(t tree.Tree) (hash uint64, finite bool) {
	if !s.probe.Evaluate(t, s.row) {
		return 0, false
	}
	const dropped = 52 - (keptBits - 1)
	for _, v := range s.row {
		bits := (math.Float64bits(v+0) + 1<<(dropped-1)) >> dropped
		hash = (hash ^ bits) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	return hash, true
}
