package bound

import (
	"math"
	"path/filepath"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// bothWays binds n trials to a model as rows and as a sum. Columns after the first hold invented numbers.
func bothWays(t testing.TB, name string, n int) (m *catalog.Model, rows kernel.Rows, sum kernel.Sum, fastest float64) {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	columns, choice := simulated(t, n)
	fastest = math.Inf(1)
	for i, rt := range columns[0] {
		fastest = min(fastest, rt)
		columns[0][i] = math.Round(100*rt) / 100 // rounded, so that some response times are equal
	}
	second := make([]float64, n)
	for i := range second {
		second[i] = 0.5 + float64(i%7)
	}
	for len(columns) < len(m.Trials) {
		columns = append(columns, second)
	}
	if m.Choice == "" {
		choice = nil
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if sum, err = b.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{}); err != nil {
		t.Fatal(err)
	}
	if rows, err = b.Rows(kernel.Trials{Columns: columns, Choice: choice}); err != nil {
		t.Fatal(err)
	}
	return m, rows, sum, fastest - 0.01
}

func teacherFolder(kind string) string {
	return filepath.Join("..", "..", "..", "testdata", "teacher", kind)
}

// Values and gradients of rows add up to the log-likelihood that fits use, which is computed by other code.
func TestRowsAddUp(t *testing.T) {
	tolerance := map[string]float64{teacherFolder("flow"): 1e-5} // single precision, with other blocks of trials
	for _, name := range []string{"ddm", "expr1", "expr2", "found31", "lognormal", "sharing", "entangled", "drift", teacherFolder("spline"), teacherFolder("flow")} {
		n, points := 150, 9
		if name == teacherFolder("flow") {
			n, points = 8, 2
		}
		m, rows, lik, fastest := bothWays(t, name, n)
		near := tolerance[name] + 1e-9
		summed := kernel.SumOf(rows)
		got, want := make([]float64, lik.Dim()), make([]float64, lik.Dim())
		for _, theta := range nearby(m, points, fastest) {
			a, b := summed.LogLikGrad(theta, got), lik.LogLikGrad(theta, want)
			if !(math.Abs(a-b) <= near*max(100, math.Abs(b))) {
				t.Errorf("%s at %v: rows add up to %v, the log-likelihood is %v", m.Name, theta, a, b)
			}
			for j := range got {
				if !(math.Abs(got[j]-want[j]) <= near*max(1000, math.Abs(want[j]))) {
					t.Errorf("%s at %v: derivative in %s is %v of the rows, %v of the log-likelihood", m.Name, theta, m.Params[j].Name, got[j], want[j])
				}
			}
		}
	}
}

// For every kind of model, parameters may differ from row to row.
func TestRowsContract(t *testing.T) {
	for _, name := range []string{"ddm", "expr2", "lognormal", "sharing", teacherFolder("spline")} {
		m, rows, _, fastest := bothWays(t, name, 12)
		points := nearby(m, 3, fastest)
		for i, p := range m.Params {
			if p.Name == "t" {
				points = append(points, append([]float64{}, points[0]...))
				points[3][i] = fastest + 0.2 // some trials are outside the support
			}
		}
		kernel.CheckRows(t, rows, points)
	}
}

func TestRowsRefuse(t *testing.T) {
	for _, name := range []string{"ddm", "expr2", teacherFolder("spline")} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Open(m, Ready)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, bad := range [][2][]float64{{{0.5, 0.6}, {1}}, {{0.5}, {0}}, {{0.5}, {math.NaN()}}} {
			if _, err := b.Rows(kernel.Responses(bad[0], bad[1])); err == nil {
				t.Errorf("%s: %v is no error", name, bad)
			}
		}
	}
}

func BenchmarkRows(b *testing.B) {
	for _, name := range []string{"ddm", "expr2", "lognormal", teacherFolder("spline"), teacherFolder("flow")} {
		m, rows, lik, fastest := bothWays(b, name, 1000)
		theta := nearby(m, 1, fastest)[0]
		logp, grad := make([]float64, rows.N()), make([][]float64, rows.Dim())
		for j := range grad {
			grad[j] = make([]float64, rows.N())
		}
		at := kernel.Fixed(theta)
		b.Run(m.Name+"/shared", func(b *testing.B) {
			for b.Loop() {
				rows.Each(at, logp, grad)
			}
		})
		own := append([][]float64{make([]float64, rows.N())}, at[1:]...)
		for i := range own[0] {
			own[0][i] = theta[0] + float64(i)/1e4
		}
		b.Run(m.Name+"/first", func(b *testing.B) {
			for b.Loop() {
				rows.Each(own, logp, grad)
			}
		})
		b.Run(m.Name+"/summed", func(b *testing.B) {
			for b.Loop() {
				lik.LogLikGrad(theta, grad[0][:rows.Dim()])
			}
		})
	}
}
