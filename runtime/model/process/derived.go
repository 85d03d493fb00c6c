package process

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/model/evidence"
	"likc/runtime/model/ssm"
)

// Declared returns the process that a model declares as its simulator, and the parameters of that process as expressions of the model's
// parameters.
func Declared(m *expr.Model) (p *ssm.Model, values []*expr.Expr, err error) {
	if p, err = ssm.Lookup(m.Simulator.Name); err != nil {
		return nil, nil, fmt.Errorf("simulator: %w", err)
	}
	given := map[string]*expr.Expr{}
	for _, a := range m.Simulator.Params {
		if p.Index(a.Param) < 0 {
			return nil, nil, fmt.Errorf("simulator %s: has no parameter %s", p.Name, a.Param)
		}
		given[a.Param] = a.Value
	}
	var missing []string
	for _, param := range p.Params {
		value := given[param.Name]
		if value == nil {
			missing = append(missing, param.Name)
		}
		values = append(values, value)
	}
	if len(missing) > 0 {
		return nil, nil, fmt.Errorf("simulator %s: no value for %s", p.Name, strings.Join(missing, ", "))
	}
	return p, values, nil
}

// derived returns the process of a model that has no log density and declares another process as its simulator. The result is that process,
// as a function of the model's own parameters.
func derived(m *expr.Model) (*ssm.Model, error) {
	of, values, err := Declared(m)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	tape := expr.NewTape(m.ParamNames(), values...)
	at := func(theta []float64) []float64 {
		out, _ := tape.Eval(nil, theta)
		return out
	}
	p := &ssm.Model{Name: m.Name, Process: of.Process, Notes: "The process is " + of.Name + " at other parameters.", Choices: of.Choices, Modes: of.Modes,
		Inside: func(theta []float64) error { return of.Check(at(theta)) }}
	for _, q := range m.Params {
		p.Params = append(p.Params, ssm.Param{Name: q.Name, Lower: q.Lower, Upper: q.Upper})
		p.Example = append(p.Example, (q.Lower+q.Upper)/2)
	}
	if on := of.OnsetIndex(); on >= 0 && values[on].Op == expr.Sym {
		p.Onset = values[on].Name
		p.Params[p.Index(p.Onset)].Domain = ssm.NonNegative
	}
	if of.HasChoice() && !of.Numbered() {
		mirrors, ok := mirrorsOf(m, of, at)
		for j := range mirrors {
			p.Params[j].Mirror = mirrors[j]
		}
		p.Lopsided = !ok
	}
	simulateBy(p, of, at)
	return p, nil
}

// simulateBy makes p simulate like the process `of`, at the parameters that `at` returns.
func simulateBy(p, of *ssm.Model, at func(theta []float64) []float64) {
	if of.Diffusion != nil {
		p.Diffusion = func(theta []float64) ssm.Diffusion { return of.Diffusion(at(theta)) }
	}
	if of.Flight != nil {
		p.Flight = func(theta []float64) ssm.Flight { return of.Flight(at(theta)) }
	}
	if of.Accumulators != nil {
		p.Accumulators = func(theta []float64) ssm.Accumulators { return of.Accumulators(at(theta)) }
	}
	if of.Sampler != nil {
		p.Sampler = func(theta []float64) ssm.Sampler { return of.Sampler(at(theta)) }
	}
	if of.Steps != nil {
		p.Steps = func(theta []float64, scheme ssm.Scheme) (ssm.Sampler, error) { return of.Steps(at(theta), scheme) }
	}
}

// mirrorsOf returns how the reflection that swaps the two boundaries changes each parameter of the model m. `at` returns the parameters
// of the process `of` for those of m. mirrorsOf tries possible changes at random parameters, and returns false if none swaps the
// boundaries.
func mirrorsOf(m *expr.Model, of *ssm.Model, at func(theta []float64) []float64) ([]ssm.Mirror, bool) {
	if of.Lopsided {
		return nil, false
	}
	const points = 4
	r := rand.New(rand.NewPCG(1, 1))
	var thetas, images [points][]float64
	for i := range thetas {
		for _, q := range m.Params {
			thetas[i] = append(thetas[i], q.Lower+(q.Upper-q.Lower)*(0.2+0.6*r.Float64()))
		}
		images[i] = at(thetas[i])
		of.Reflect(images[i], images[i])
	}
	trial := &ssm.Model{Params: make([]ssm.Param, len(m.Params))} // only for its method Reflect
	return evidence.Mirrors(m.Params, func(found []ssm.Mirror) bool {
		for j := range found {
			trial.Params[j].Mirror = found[j]
		}
		for i, theta := range thetas {
			reflected := slices.Clone(theta)
			trial.Reflect(reflected, theta)
			for j, got := range at(reflected) {
				if want := images[i][j]; !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
					return false
				}
			}
		}
		return true
	})
}
