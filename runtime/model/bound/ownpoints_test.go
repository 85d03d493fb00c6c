package bound

import (
	"math"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/num/quadrature"
)

// The tables from which trials of a normalised model are drawn, for few and for many trials, have the right
// distribution function, up to some 1e-4: the error of linear interpolation over steps of 0.02 in log time. The
// reference is a finer table, made for the parameters at hand.
func TestTablesOfNormalised(t *testing.T) {
	for _, m := range []*catalog.Model{found60(t), model(t, gammaText)} {
		b, err := Open(m, Ready)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		over, err := b.Timed()
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range Spread(m, 3) {
			fitted, err := quadrature.Fit(over.at, theta, over.choices)
			if err != nil {
				t.Fatal(err)
			}
			fine := fitted.Finer(over.at, theta, 16000)
			for _, trials := range []int{1, manyTrials} {
				table, err := over.table(theta, trials)
				if err != nil {
					t.Fatal(err)
				}
				for u := 1e-3; u < 20; u *= 1.1 {
					for _, choice := range over.choices {
						if got, want := table.Distribution(u, choice), fine.Distribution(u, choice); !(math.Abs(got-want) < 2e-4) {
							t.Fatalf("%s at %v, %d trials: %v up to %v s, want %v", m.Name, theta, trials, got, u, want)
						}
					}
				}
			}
		}
	}
}
