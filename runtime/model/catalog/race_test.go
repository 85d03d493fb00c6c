package catalog

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

// accumulator is one accumulator of race_angle: evidence begins at z·a, moves with drift v and unit noise, is reflected at 0 and absorbed
// at the bound a - s τ at time τ. The forward equation for the evidence, divided by the bound, is solved on a grid of cells by implicit
// steps.
type accumulator struct {
	v, a, z, s float64
}

const (
	cells    = 200
	timeStep = 5e-4 // seconds
)

// solve returns the density of the first passage, and the probability that there was none before, after each time step until the time last.
func (c accumulator) solve(last float64) (density, survival []float64) {
	const h = 1.0 / cells
	p := make([]float64, cells)
	at := c.z/h - 0.5 // the position of the start, counted in cells from the middle of the first one
	k := int(at)
	p[k], p[k+1] = (1-(at-float64(k)))/h, (at-float64(k))/h
	left, middle, right := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	mass := 1.0
	for tau := timeStep; tau < last; tau += timeStep {
		b := c.a - c.s*tau
		spread := timeStep / (2 * b * b * h * h)
		for i := range cells {
			left[i], middle[i], right[i] = 0, 1, 0
		}
		for i := range cells - 1 { // the flux from cell i to the next
			drift := timeStep / h * (c.v/b + float64(i+1)*h*c.s/b) / 2
			middle[i] += drift + spread
			right[i] += drift - spread
			left[i+1] -= drift + spread
			middle[i+1] -= drift - spread
		}
		middle[cells-1] += 2 * spread
		solveRow(left, middle, right, p)
		rest := 0.0
		for _, x := range p {
			rest += x * h
		}
		density, survival = append(density, (mass-rest)/timeStep), append(survival, rest)
		mass = rest
	}
	return density, survival
}

// solveRow solves a tridiagonal system. On entry x holds the right-hand side, on return the solution.
func solveRow(left, middle, right, x []float64) {
	for i := 1; i < len(x); i++ {
		m := left[i] / middle[i-1]
		middle[i] -= m * right[i-1]
		x[i] -= m * x[i-1]
	}
	x[len(x)-1] /= middle[len(x)-1]
	for i := len(x) - 2; i >= 0; i-- {
		x[i] = (x[i] - right[i]*x[i+1]) / middle[i]
	}
}

// TestTeachersOfRaces compares teachers of races, and the densities that the definitions of these processes have, with an independent density. If accumulators do not interact, the density is that of one
// accumulator's first passage, times the probabilities that the others have none before. The accumulators of lca do not interact if leak
// and inhibition are 0.
func TestTeachersOfRaces(t *testing.T) {
	const n, a, z, onset = 150, 1.6, 0.3, 0.25
	drifts := []float64{1.4, 0.9, 0.3, 0.6}
	for name, angle := range map[string]float64{"race_angle2": 0.25, "race_angle3": 0.25, "race_angle4": 0.25, "lca2": 0, "lca3": 0} {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		density, ok := m.Density()
		if !ok || m.Origin.Kind != Teacher {
			t.Fatalf("%s is %v", name, m.Origin.Kind)
		}
		own := map[string]float64{"a": a, "z": z, "t": onset, "theta": angle}
		var theta []float64
		for i, p := range m.Params {
			x := own[p.Name]
			if i < len(m.Codes()) {
				x = drifts[i]
			}
			theta = append(theta, x)
		}
		simulator, _ := m.Simulator()
		rt, choice, got, all := make([]float64, n), make([]float64, n), make([]float64, n), make([][]float64, n)
		if err := simulator.Process.Simulate(ssm.NewRand(8, 1), theta, ssm.BridgeScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i] = theta
		}
		density.(kernel.PerTrial).LogDensity(got, all, rt, choice)
		numerical := make([]float64, n)
		if simulator.Process.Evidence != "" {
			written, err := Parse(writtenText(simulator.Process))
			if err != nil {
				t.Fatal(err)
			}
			d, _ := written.Density()
			d.(kernel.PerTrial).LogDensity(numerical, all, rt, choice)
		}
		var first, none [][]float64
		for _, v := range drifts[:len(m.Codes())] {
			f, s := accumulator{v, a, z, math.Tan(angle)}.solve(5)
			first, none = append(first, f), append(none, s)
		}
		off, offNumerical := 0.0, 0.0
		for i := range rt {
			at := int((rt[i] - onset) / timeStep)
			want := 0.0
			for k := range none {
				if float64(k) == choice[i] {
					want += math.Log(first[k][at])
				} else {
					want += math.Log(none[k][at])
				}
			}
			off += math.Abs(got[i]-want) / n
			offNumerical += math.Abs(numerical[i]-want) / n
		}
		if simulator.Process.Evidence != "" && !(offNumerical < 0.006) { // the error of the steps: at a quarter of them a quarter of the difference is left
			t.Errorf("%s: the numerical density is %.4f nats a trial off", name, offNumerical)
		}
		if t.Logf("%s: %.4f nats a trial off", name, off); !(off < 0.03) {
			t.Errorf("%s: %.3f nats a trial off", name, off)
		}
	}
}
