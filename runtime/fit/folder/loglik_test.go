package folder

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/num/chains"
)

// TestLogLikIsWritten: log_lik.parquet has each trial at each draw, in order, and its sums over trials are the log-likelihoods that
// the model's own tree gives for the draws in the chains' files.
func TestLogLikIsWritten(t *testing.T) {
	d := design{model: "lnr2", trials: 45, theta: func(int, int) []float64 { return []float64{-0.7, -0.3, 0.5, 0.2} }}
	dir, r := d.fitted(t)
	rows, err := parquet.ReadFile[drawnDensity](filepath.Join(dir, logLikFile))
	if err != nil {
		t.Fatal(err)
	}
	trials := r.Trials()
	groups, err := chains.ReadFiles([]string{filepath.Join(dir, "chain_1.csv"), filepath.Join(dir, "chain_2.csv")})
	if err != nil || len(groups) != 1 {
		t.Fatal(len(groups), err)
	}
	draws := groups[0]
	n := draws.Len()
	if trials != 90 || n != 300 || len(rows) != trials*2*n {
		t.Fatalf("%d rows for %d trials and %d draws of a chain", len(rows), trials, n)
	}
	m, err := catalog.Open(d.model)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Open(m, bound.Tree)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	data := d.simulate(t, m)
	of, err := b.Bind(kernel.Trials{Columns: data.Columns, Choice: data.Choice}, bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	for s := range 2 * n {
		sum := 0.0
		for i := range trials {
			row := rows[i*2*n+s]
			if row.Row != int64(i+1) || row.Chain != int32(s/n+1) || row.Draw != int32(s%n+1) {
				t.Fatalf("row %+v, want trial %d, chain %d, draw %d", row, i+1, s/n+1, s%n+1)
			}
			sum += row.LogLik
		}
		theta := make([]float64, len(draws.Names))
		for j := range theta {
			theta[j] = draws.Chains[s/n].Params[j][s%n]
		}
		if want := of.LogLik(theta); !(math.Abs(sum-want) <= 1e-6*float64(trials)) { // files of chains have nine digits
			t.Fatalf("draw %d: sum %v, want %v", s, sum, want)
		}
	}
	if err := Check(dir); err != nil {
		t.Error(err)
	}
}
