package hierarchy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// TestCorrelatedOffsetsAreNormal: whatever the shares, the density of the coordinates is that of offsets which are jointly normal, times the
// determinant of the offsets' derivatives; and coordinates of offsets give these offsets.
func TestCorrelatedOffsetsAreNormal(t *testing.T) {
	const step = 1e-5
	s := newStudy(t, "expr2", Auto, "v ~ x * cond + (1 + x + cond | subject)")
	g := s.groups[0]
	k := len(g.effects)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		for i := range g.shares {
			g.shares[i] = []float64{0, 1, rng.Float64()}[rng.IntN(3)]
		}
		q, r := somewhere(s), newWorkspace(g)
		for _, e := range g.effects {
			q[e.spread] = 0.3 + rng.Float64()
		}
		for i := range k * (k - 1) / 2 {
			q[g.partial+i] = 2*rng.Float64() - 1
		}
		u, back := slices.Clone(q), slices.Clone(q)
		g.toOffsets(q, u, r)
		g.toCoordinates(u, back, r)
		for i := range q {
			if math.Abs(back[i]-q[i]) > 1e-12*(1+math.Abs(q[i])) {
				t.Fatalf("coordinate %v comes back as %v", q[i], back[i])
			}
		}
		got := g.density(q, u, make([]float64, len(q)), r) - uniformOverCorrelations(g, q)
		want := 0.0
		for level := range g.levels {
			want += normalOf(t, g, u, level) + logDeterminant(g, q, level, step)
		}
		if math.Abs(got-want) > 1e-7*math.Abs(want) {
			t.Errorf("shares %.2v: log density %v, want %v", g.shares, got, want)
		}
	}
}

// uniformOverCorrelations returns the log density of partial correlations under LKJ(1), without its constant.
func uniformOverCorrelations(g *group, q []float64) (lp float64) {
	k := len(g.effects)
	for i := range k {
		for j := range i {
			lp += float64(k-2-j) / 2 * math.Log(1-math.Pow(q[g.partialIndex(i, j)], 2))
		}
	}
	return lp
}

// normalOf returns the log density of the offsets of one level.
func normalOf(t *testing.T, g *group, u []float64, level int) float64 {
	k, correlations := len(g.effects), slices.Clone(u)
	g.correlations(correlations, newWorkspace(g))
	covariance := mat.NewSymDense(k, nil)
	for i, e := range g.effects {
		covariance.SetSym(i, i, u[e.spread]*u[e.spread])
		for j := range i {
			covariance.SetSym(i, j, u[e.spread]*u[g.effects[j].spread]*correlations[g.partialIndex(i, j)])
		}
	}
	normal, ok := distmv.NewNormal(make([]float64, k), covariance, nil)
	if !ok {
		t.Fatal("no covariance matrix")
	}
	return normal.LogProb(u[g.offset(level, 0) : g.offset(level, 0)+k])
}

// logDeterminant returns the log determinant of the derivatives of one level's offsets with respect to its coordinates.
func logDeterminant(g *group, q []float64, level int, step float64) float64 {
	k, at, r := len(g.effects), g.offset(level, 0), newWorkspace(g)
	slopes := mat.NewDense(k, k, nil)
	high, low := slices.Clone(q), slices.Clone(q)
	for j := range k {
		moved := slices.Clone(q)
		moved[at+j] += step
		g.toOffsets(moved, high, r)
		moved[at+j] -= 2 * step
		g.toOffsets(moved, low, r)
		for i := range k {
			slopes.Set(i, j, (high[at+i]-low[at+i])/(2*step))
		}
	}
	log, _ := mat.LogDet(slopes)
	return log
}
