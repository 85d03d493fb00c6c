package compiler

import (
	"sync"
	"testing"
)

// TestTreeIsSafeForConcurrentUse: goroutines that evaluate one tree at different parameters get the results of a single goroutine.
func TestTreeIsSafeForConcurrentUse(t *testing.T) {
	m := builtin(t, "expr2").Model
	rt, choice := make([]float64, 50), make([]float64, 50)
	for i := range rt {
		rt[i], choice[i] = 0.4+float64(i)/30, 1-2*float64(i%2)
	}
	tree, err := BindTree(m, [][]float64{rt}, choice)
	if err != nil {
		t.Fatal(err)
	}
	at := func(k int) []float64 { return []float64{float64(k) / 4, 1 + float64(k)/8, 0.5, 0.1} }
	var want [8]float64
	for k := range want {
		want[k] = tree.LogLik(at(k))
	}
	var all sync.WaitGroup
	for k := range want {
		all.Go(func() {
			for range 500 {
				if got := tree.LogLik(at(k)); got != want[k] {
					t.Errorf("at %v: %v, alone %v", at(k), got, want[k])
					return
				}
			}
		})
	}
	all.Wait()
}
