package sbc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/num/quadrature"
	"likc/search/study"
)

// The normalisation uses a fixed grid over u = rt - onset, in seconds. Simulated times come from a finer grid, because their density
// is linear between its points.
const (
	gridFrom, gridTo = 1e-5, 200
	gridPoints       = 400
	finePoints       = 8*(gridPoints-1) + 1
)

// Open prepares a model for calibration. The function done releases it. With process, trials come from the process whose trials
// the model describes, and are fitted as usual. Then a biased expression is detected.
func Open(ctx context.Context, src *catalog.Model, process bool) (m Model, done func() error, err error) {
	if _, ok := src.Sequence(); ok {
		return m, nil, fmt.Errorf("%s: its trials depend on columns or on one another, which sbc does not draw: likc recover --data does", src.Name)
	}
	process = process || src.Called != nil // there is no expression to draw from
	if len(src.Trials) != 1 {
		return m, nil, fmt.Errorf("%s reads trial columns %s: sbc can draw one column, the response time", src.Name, strings.Join(src.Trials, ", "))
	}
	if !process && (src.Lapse != nil || src.Binding != nil) {
		return m, nil, fmt.Errorf("%s has lapses or is bound to other parameters: sbc can draw from its expression alone; likc judge says whether it is honest", src.Name)
	}
	ranges, err := src.Parameters(nil, nil, nil)
	if err != nil {
		return m, nil, err
	}
	m = Model{Name: src.Name, Params: ranges}
	if _, ok := src.Density(); ok || process {
		if _, ok := src.Simulator(); !ok {
			return m, nil, fmt.Errorf("%s has no simulator: it does not say which process its trials come from", src.Name)
		}
		binder, err := bound.Prepare(ctx, src, bound.Auto)
		if err != nil {
			return m, nil, err
		}
		m.ofProcess(ctx, src, binder)
		return m, binder.Close, nil
	}
	if src.Normalise { // the generator normalises the density itself
		unnormalised := *src.Model
		unnormalised.Normalise = false
		src = catalog.OfExpression(&unnormalised)
	}
	c, done, err := newGenerator(ctx, src)
	if err != nil {
		return m, nil, err
	}
	m.Simulate, m.Bind, m.Gap = c.simulate, c.bind, c.gap
	return m, done, nil
}

// ofProcess simulates trials with the model's process, without a time step if possible. For a density that should integrate to one,
// the gap is log Z on the grid. It is NaN for an expression.
func (m *Model) ofProcess(ctx context.Context, src *catalog.Model, binder *bound.Prepared) {
	simulator, _ := src.Simulator()
	simulator = simulator.From(ctx)
	m.Simulate = func(rng *rand.Rand, theta []float64, trials int) (hierarchy.Data, error) {
		rt, choice := make([]float64, trials), make([]float64, trials)
		scheme, _, err := simulator.Process.Scheme("")
		if err != nil {
			return hierarchy.Data{}, err
		}
		err = simulator.Simulate(rng, theta, scheme, rt, choice)
		return hierarchy.Data{Columns: [][]float64{rt}, Choice: choice}, err
	}
	m.Bind = study.Binding(src, binder)
	m.Gap = func([]float64) float64 { return math.NaN() }
	if exact, ok := src.Density(); ok {
		m.Gap = exactGap(exact.(kernel.PerTrial), simulator.Process)
	}
}

// exactGap returns a function that integrates a density on the grid and returns log Z.
func exactGap(exact kernel.PerTrial, process *ssm.Model) func(theta []float64) float64 {
	onset := process.OnsetIndex()
	grid := quadrature.NewGrid(gridFrom, gridTo, gridPoints)
	density := func(theta []float64, choice float64, u, dst []float64) {
		rt, at, of := make([]float64, len(u)), make([][]float64, len(u)), make([]float64, len(u))
		from, begin := atOnset(process, theta, onset)
		for i := range u {
			rt[i], at[i], of[i] = begin+u[i], from, choice
		}
		exact.LogDensity(dst, at, rt, of)
	}
	return func(theta []float64) float64 {
		return math.Abs(quadrature.NewTable(density, theta, process.Choices, grid).LogZ())
	}
}

// atOnset returns parameters, and the time `begin` at which responses begin under them. If the process is defined with onset 0,
// the onset is set to 0, so that short times are not rounded. Otherwise the parameters are theta, and begin is the time that all
// responses exceed.
func atOnset(process *ssm.Model, theta []float64, onset int) (from []float64, begin float64) {
	if onset < 0 {
		return theta, process.Earliest(theta)
	}
	if !process.Params[onset].Domain.Has(0) {
		return theta, theta[onset]
	}
	from = slices.Clone(theta)
	from[onset] = 0
	return from, 0
}
