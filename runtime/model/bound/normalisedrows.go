package bound

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
)

// newNormalisedRows returns the rows of a normalised density, from f as [newNormalised] takes it, row by row.
func newNormalisedRows(f kernel.Rows, z *logZ, isMixed bool) kernel.Rows {
	if !isMixed {
		r := &normalisedRows{Rows: f, z: z}
		r.spaces.New = func() any { return newRowsZ(z.dim) }
		return r
	}
	r := &mixedRows{Rows: f, z: z}
	r.spaces.New = func() any {
		return &mixedRowsSpace{newRowsZ(z.dim), make([]float64, f.N()), make([][]float64, z.dim+1), make([][]float64, z.dim+1)}
	}
	return r
}

// normalisedRows are rows of a density before it is normalised, each less log Z at its own parameters.
type normalisedRows struct {
	kernel.Rows
	z      *logZ
	spaces sync.Pool // of *rowsZ
}

// Each evaluates the rows.
func (r *normalisedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	r.Rows.Each(theta, logp, grad)
	s := r.spaces.Get().(*rowsZ)
	defer r.spaces.Put(s)
	vectors := r.z.rows(s, theta, len(logp), grad != nil)
	for i := range logp {
		if !math.IsInf(logp[i], -1) {
			logp[i] -= s.values[min(i, vectors-1)]
		}
	}
	for j, g := range grad {
		for i := range g {
			if g[i] -= s.slopes[j][min(i, vectors-1)]; logp[i]-logp[i] != 0 {
				g[i] = 0
			}
		}
	}
}

// mixedRows are the rows of a density mixed with lapses.
type mixedRows struct {
	kernel.Rows // of parameters and log Z
	z           *logZ
	spaces      sync.Pool // of *mixedRowsSpace
}

// mixedRowsSpace is the memory of an evaluation: log Z, the derivatives of the rows in it, and the parameters and derivatives of the rows
// with log Z behind them.
type mixedRowsSpace struct {
	*rowsZ
	bars       []float64
	all, grads [][]float64
}

// Dim is the number of parameters.
func (r *mixedRows) Dim() int { return r.z.dim }

// Each evaluates the rows.
func (r *mixedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*mixedRowsSpace)
	defer r.spaces.Put(s)
	vectors := r.z.rows(s.rowsZ, theta, len(logp), grad != nil)
	copy(s.all, theta)
	s.all[r.z.dim] = s.values[:vectors]
	if grad == nil {
		r.Rows.Each(s.all, logp, nil)
		return
	}
	copy(s.grads, grad)
	s.grads[r.z.dim] = s.bars
	r.Rows.Each(s.all, logp, s.grads)
	for j, g := range grad {
		for i := range g {
			g[i] += s.bars[i] * s.slopes[j][min(i, vectors-1)]
		}
	}
}
