package bound

import (
	"math"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/num/isa"
	"likc/runtime/num/vec"
)

// raceRows binds n simulated trials of a process to the rows of its closed form. All parameters differ from trial to trial.
func raceRows(t testing.TB, name string, n int) (m *catalog.Model, rows kernel.Rows, theta [][]float64, rt, choice []float64) {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	process, err := ssm.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	draw, rng := process.Sampler(process.Example), ssm.NewRand(7, 1)
	for range n {
		x, c := draw(rng)
		rt, choice = append(rt, x), append(choice, c)
	}
	for j, x := range process.Example {
		own := make([]float64, n)
		for i := range own {
			own[i] = x * (1 - 0.2*rng.Float64()*float64(1+j)/float64(len(process.Example)))
		}
		theta = append(theta, own)
	}
	binder, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { binder.Close() })
	of := choice
	if m.Choice == "" {
		of = nil
	}
	if rows, err = binder.Rows(kernel.Responses(rt, of)); err != nil {
		t.Fatal(err)
	}
	return m, rows, theta, rt, choice
}

// evaluated returns the log density and the gradient of each row, at its own parameters.
func evaluated(rows kernel.Rows, theta [][]float64) (logp []float64, grad [][]float64) {
	logp, grad = make([]float64, rows.N()), make([][]float64, len(theta))
	for j := range grad {
		grad[j] = make([]float64, rows.N())
	}
	rows.Each(theta, logp, grad)
	return logp, grad
}

// If all parameters differ from trial to trial, log densities agree with the expression evaluated trial by trial. On every
// instruction set, values and gradients agree with scalar code.
func TestRowsOfRacesAgreeWithScalarCode(t *testing.T) {
	const near = 1e-11 // log densities and slopes are sums of terms of size 1 to 100, each with an error of some 1e-15
	for _, name := range []string{"lba3", "rdm3", "lnr3", "exgaussian"} {
		m, rows, theta, rt, choice := raceRows(t, name, 300)
		restore := vec.Use(isa.Portable)
		want, slopes := evaluated(rows, theta)
		restore()
		symbols := append([]string{"rt"}, m.ParamNames()...)
		for _, g := range m.Groups() {
			tape := expr.NewTape(symbols, g.LogLik)
			for i := range rt {
				if m.Choice != "" && choice[i] != g.Choice {
					continue
				}
				at := []float64{rt[i]}
				for j := range theta {
					at = append(at, theta[j][i])
				}
				if out, _ := tape.Eval(nil, at); !(math.Abs(out[0]-want[i]) <= near*max(1, math.Abs(want[i]))) {
					t.Errorf("%s, trial %d: log density %v of the rows, %v of the expression", name, i+1, want[i], out[0])
				}
			}
		}
		for level := isa.AVX2; level <= isa.Best(); level++ {
			restore := vec.Use(level)
			logp, grad := evaluated(rows, theta)
			restore()
			for i := range rt {
				if !(math.Abs(logp[i]-want[i]) <= near*max(1, math.Abs(want[i]))) {
					t.Errorf("%s, %v, trial %d: log density %v, want %v", name, level, i+1, logp[i], want[i])
				}
				for j := range grad {
					if !(math.Abs(grad[j][i]-slopes[j][i]) <= near*max(1, math.Abs(slopes[j][i]))) {
						t.Errorf("%s, %v, trial %d: derivative in %s is %v, want %v", name, level, i+1, m.Params[j].Name, grad[j][i], slopes[j][i])
					}
				}
			}
		}
	}
}

// BenchmarkRowsOfRaces measures values and gradients of 1,000 trials, each with different parameters.
func BenchmarkRowsOfRaces(b *testing.B) {
	for _, name := range []string{"lba3", "rdm3", "lnr3", "exgaussian"} {
		_, rows, theta, _, _ := raceRows(b, name, 1000)
		logp, grad := evaluated(rows, theta)
		for level := isa.Portable; level <= isa.Best(); level++ {
			b.Run(name+"/"+level.String(), func(b *testing.B) {
				defer vec.Use(level)()
				for b.Loop() {
					rows.Each(theta, logp, grad)
				}
			})
		}
	}
}
