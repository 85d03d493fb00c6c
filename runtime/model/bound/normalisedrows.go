package bound

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
)

// newNormalisedRows returns the log densities of bound trials, one a row, by a normalised density. f evaluates the density before it is
// normalised; log Z is the log of its integral. With isMixed, f mixes lapses, responses unrelated to the task, with the density. Then log
// Z is the last parameter of f.
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

// normalisedRows evaluates a normalised density without lapses: each row of the embedded Rows minus log Z at the row's parameters.
type normalisedRows struct {
	kernel.Rows
	z      *logZ
	spaces sync.Pool // memory of evaluations: *rowsZ
}

// Each evaluates the rows.
func (r *normalisedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	r.Rows.Each(theta, logp, grad)
	s := r.spaces.Get().(*rowsZ)
	defer r.spaces.Put(s)
	vectors := r.z.rows(s, theta, len(logp), grad != nil) // 1 if all rows share their parameters; otherwise one for each row
	for i := range logp {
		if !math.IsInf(logp[i], -1) {
			logp[i] -= s.values[min(i, vectors-1)]
		}
	}
	for j, g := range grad {
		for i := range g {
			if g[i] -= s.slopes[j][min(i, vectors-1)]; logp[i]-logp[i] != 0 { // logp is infinite or NaN
				g[i] = 0
			}
		}
	}
}

// mixedRows evaluates a normalised density mixed with lapses.
type mixedRows struct {
	kernel.Rows // its parameters are those of the density, then log Z
	z           *logZ
	spaces      sync.Pool // memory of evaluations: *mixedRowsSpace
}

// mixedRowsSpace is the working memory of an evaluation.
type mixedRowsSpace struct {
	*rowsZ                 // log Z of each row
	bars       []float64   // derivative of each row with respect to log Z
	all, grads [][]float64 // arguments of the embedded Rows, which are the parameters and then log Z, and derivatives with respect to them
}

// Dim returns the number of parameters, without log Z, which Each adds.
func (r *mixedRows) Dim() int { return r.z.dim }

// Each evaluates the rows.
func (r *mixedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*mixedRowsSpace)
	defer r.spaces.Put(s)
	vectors := r.z.rows(s.rowsZ, theta, len(logp), grad != nil) // 1 if all rows share their parameters; otherwise one for each row
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
