package tabulate

import (
	"math"
	"sync"
	"testing"
)

// near is the number that lies some steps of the last place below the edge.
func near(edge float64, steps uint64) float64 {
	return math.Float64frombits(math.Float64bits(edge) - steps)
}

// kept is a table with an edge at 0.3, and room for two accumulators.
func kept() (table *Table, edge float64) {
	x := []float64{0.3, 0.4, 0.7}
	return NewTable(2, Domain{Hi: 0.3, Edge: EdgeHi}, streaming(x, shifted["1/tau"], shifted["log tau"])), 0.3
}

func TestKeptSumsComeBack(t *testing.T) {
	table, edge := kept()
	value := make([]float64, 2)
	for steps := uint64(1); steps < 4000; steps = 2*steps + 1 {
		psi := near(edge, steps)
		if table.At(psi, value) {
			t.Fatalf("%d steps from the edge a piece serves", steps)
		}
		want := [2]float64{float64(steps), -float64(steps)}
		table.Keep(psi, want[:]...)
		if !table.At(psi, value) || [2]float64(value) != want {
			t.Errorf("%d steps from the edge: %v, want %v", steps, value, want)
		}
		if table.At(near(edge, steps+1), value) || table.At(psi, value[:1]) {
			t.Errorf("%d steps from the edge: others are served too", steps)
		}
	}
}

// A piece goes before what somebody keeps, and nothing is kept outside the domain.
func TestOnlyTheEdgeIsKept(t *testing.T) {
	table, edge := kept()
	got, want := make([]float64, 2), make([]float64, 2)
	table.At(0.1, want)
	for _, psi := range []float64{0.1, -1, edge, 0.31, math.Inf(1), math.NaN()} {
		table.Keep(psi, 7, 7)
		if table.At(psi, got) && (psi != 0.1 || got[0] != want[0]) {
			t.Errorf("%v: %v is kept", psi, got)
		}
	}
	for _, d := range []Domain{{Lo: 0, Hi: 1}, {Lo: 0, Hi: math.Inf(1), Edge: EdgeHi}} {
		table := NewTable(1, d, func(psi, value, abs []float64) {
			for i := range value {
				value[i], abs[i] = math.NaN(), 1
			}
		})
		if table.Keep(0.5, 7); table.At(0.5, got[:1]) {
			t.Errorf("%+v: %v is kept", d, got[0])
		}
	}
}

// Numbers that share a place take turns, from any goroutine.
func TestPlacesAreShared(t *testing.T) {
	edge := 1e-9 // so close to zero that there are more numbers beyond the last level than places
	table := NewTable(2, Domain{Lo: -1, Hi: edge, Edge: EdgeHi}, streaming([]float64{edge}, shifted["1/tau"], shifted["log tau"]))
	var wait sync.WaitGroup
	for g := range uint64(4) {
		wait.Go(func() {
			psi, want, got := near(edge, 7+g%2*keptPlaces), float64(g%2), make([]float64, 2)
			for range 1000 {
				if table.Keep(psi, want, want); table.At(psi, got) && got[0] != want {
					t.Errorf("%v: %v, want %v", psi, got[0], want)
				}
			}
		})
	}
	wait.Wait()
}
