package ssm

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
)

// fullRows evaluates the density of full_ddm row by row; a row is one trial. Rows of one choice with the same parameters share the
// average over starts.
type fullRows struct {
	rt, choice []float64     // the columns of the trials
	sides      [2]sharedSide // the rows of each choice, first -1, then +1
}

func newFullRows(rt, choice []float64) (kernel.Rows, error) {
	if _, err := NewExact(rt, choice); err != nil {
		return nil, err
	}
	return &fullRows{rt, choice, [2]sharedSide{newSharedSide(-1, rt, choice), newSharedSide(1, rt, choice)}}, nil
}

// fullRuns holds the working memory of evaluations, *fullRun.
var fullRuns = sync.Pool{New: func() any { return new(fullRun) }}

// N returns the number of rows.
func (f *fullRows) N() int { return len(f.rt) }

// Dim returns 7, the number of parameters: v, a, z, t, sv, sz, st.
func (f *fullRows) Dim() int { return 7 }

// Each evaluates the rows, together if all parameters are shared.
func (f *fullRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	var at, slopes [7]float64
	shared := true
	for j, param := range theta {
		at[j] = param[0]
		shared = shared && len(param) == 1
	}
	if shared {
		for i := range f.sides {
			f.side(&f.sides[i], at[:], logp, grad)
		}
		return
	}
	for i, rt := range f.rt {
		for j := range at {
			at[j] = kernel.At(theta[j], i)
		}
		logp[i] = fullDensity(rt, f.choice[i], at[:], slopes[:])
		setRow(grad, i, logp[i], &slopes)
	}
}

// side evaluates the rows of one choice at one theta.
func (f *fullRows) side(s *sharedSide, theta, logp []float64, grad [][]float64) {
	var slopes [7]float64
	early := 0
	for early < len(s.row) {
		outside := fullOutside(theta, s.rt[s.point[early]])
		if outside == 0 {
			break
		}
		logp[s.row[early]] = outside
		setRow(grad, int(s.row[early]), outside, &slopes)
		early++
	}
	if early == len(s.row) {
		return
	}
	r := fullRuns.Get().(*fullRun)
	defer fullRuns.Put(r)
	first := s.point[early]
	r.begin(s.choice, theta, s.rt[first:])
	value, last := 0.0, int32(-1)
	for k := early; k < len(s.row); k++ {
		if p := s.point[k]; p != last {
			value, slopes = r.trial(s.rt[p])
			last = p
		}
		logp[s.row[k]] = value
		setRow(grad, int(s.row[k]), value, &slopes)
	}
}

// setRow sets a row's gradient. It is zero if the row's value is not finite.
func setRow(grad [][]float64, i int, value float64, slopes *[7]float64) {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		*slopes = [7]float64{}
	}
	for j, g := range grad {
		if g != nil {
			g[i] = slopes[j]
		}
	}
}
