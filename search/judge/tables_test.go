package judge

import (
	"context"
	"math"
	"testing"

	"likc/compiler/expr"
)

// A group of few trials gives from tables what it gives without, to rounding, with the choices on either side.
func TestTabulateAll(t *testing.T) {
	entry := parsed(t, "v - log(rt - t) * z - (a - v * (rt - t))^2 / (rt - t)")
	all := compileModels(context.Background(), []*expr.Model{entry.Model}, 1)
	if why, err := link(context.Background(), all, 1); err != nil || why != nil {
		t.Skip("no plugins here: ", why, err)
	}
	rt, choice := make([]float64, 100), make([]float64, 100)
	for i := range rt {
		rt[i], choice[i] = 0.4+0.01*float64(i*i%97), 1
		if i%3 == 0 {
			choice[i] = -1
		}
	}
	lik, err := all[0].bind([][]float64{rt}, choice)
	if err != nil {
		t.Fatal(err)
	}
	tables, ok := lik.(interface{ UseTables(on bool) })
	if !ok {
		t.Fatalf("%s: no tables to turn off", all[0].tier)
	}
	for _, at := range []float64{0, 0.2, 0.39, 0.3999} {
		theta, got, want := []float64{0.5, 1.1, 0.45, at}, make([]float64, 4), make([]float64, 4)
		x := lik.LogLikGrad(theta, got)
		tables.UseTables(false)
		y := lik.LogLikGrad(theta, want)
		tables.UseTables(true)
		if !(math.Abs(x-y) <= 1e-10*(1+math.Abs(y))) {
			t.Errorf("t = %v: %v and %v", at, x, y)
		}
		for j := range got {
			if !(math.Abs(got[j]-want[j]) <= 1e-9*(1+math.Abs(want[j]))) {
				t.Errorf("t = %v, slope %d: %v and %v", at, j, got[j], want[j])
			}
		}
	}
}
