package bound

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/testdata/reference"
)

// Values and gradients of races are right near and at the edges of their ranges, in every engine: at A = 0 (starts do not vary), at v = 0
// (no drift), and close to both. The reference has 17 digits.
func TestRacesAtTheEdges(t *testing.T) {
	for _, name := range []string{"lba2", "rdm2"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []Engine{Tree, IR, Go, Tabled} {
			b, err := Open(m, e)
			if err != nil {
				t.Fatal(err)
			}
			checkEdges(t, m, b, string(e))
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// checkEdges compares values to 1e-8 and slopes to 1e-6, of max(1, |answer|). Close to an edge a difference over 2vA or A keeps some nine
// digits of a value, and seven of a slope.
func checkEdges(t *testing.T, m *catalog.Model, b *Prepared, engine string) {
	t.Helper()
	const copies = 19 // copies of each trial: this number fills several vector registers and leaves a remainder
	worst := [2]float64{}
	for i, row := range reference.Rows(t, "densities/races_edges_reference.csv") {
		if row["model"] != m.Name {
			continue
		}
		theta, grad := make([]float64, len(m.Params)), make([]float64, len(m.Params))
		for j, p := range m.Params {
			theta[j] = number(t, row, p.Name)
		}
		rt, choice := slices.Repeat([]float64{number(t, row, "rt")}, copies), slices.Repeat([]float64{number(t, row, "choice")}, copies)
		lik, err := b.Bind(kernel.Responses(rt, choice), Design{})
		if err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("%s, %s, row %d: %v", m.Name, engine, i+2, theta)
		compare := func(what string, got, want, within float64, worst *float64) {
			got /= copies
			off := math.Abs(got-want) / max(1, math.Abs(want))
			if *worst = max(*worst, off); !(off <= within) {
				t.Errorf("%s: %s is %v, want %v", where, what, got, want)
			}
		}
		compare("log density", lik.LogLikGrad(theta, grad), number(t, row, "logp"), 1e-8, &worst[0])
		for j, p := range m.Params {
			compare("d/d"+p.Name, grad[j], number(t, row, "d_"+p.Name), 1e-6, &worst[1])
		}
	}
	t.Logf("%s, %s: values are off by %.1e at most, slopes by %.1e", m.Name, engine, worst[0], worst[1])
}
