package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"likc/runtime/fit/light"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
)

// Request holds the arguments of a call; each call uses some of them.
type Request struct {
	Model  string
	RT     []float64 // response times in seconds
	Choice []float64 // choices; empty for a model of one response
	Theta  []float64 // parameters
	Trials int       // number of trials to simulate

	Chains, Warmup, Draws int // numbers of chains, and of transitions in each; 0 for 4, 500 and 500
	Seed                  uint64
	Times                 []float64 // times in seconds at which the density is predicted
}

// These are bounds of what a call may ask for: more would not end within a minute.
const (
	mostTrials = 100_000
	mostDraws  = 100_000
	mostChains = 16
)

// functions are the calls by name. watch is called with JSON while a call is under way.
var functions = map[string]func(r *Request, watch func([]byte)) (any, error){
	"models":   func(*Request, func([]byte)) (any, error) { return models(), nil },
	"logLik":   func(r *Request, _ func([]byte)) (any, error) { return r.logLik() },
	"simulate": func(r *Request, _ func([]byte)) (any, error) { return r.simulate() },
	"fit":      (*Request).fit,
}

// Call calls a function by its name with arguments in JSON, the fields of [Request].
func Call(name string, arguments []byte, watch func([]byte)) (any, error) {
	f := functions[name]
	if f == nil {
		return nil, fmt.Errorf("likc: %s: no such function", name)
	}
	r := new(Request)
	err := json.Unmarshal(arguments, r)
	var value any
	if err == nil {
		value, err = f(r, watch)
	}
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	return value, nil
}

// described is a model as pages show it.
type described struct {
	Name    string    `json:"name"`
	Process string    `json:"process"`
	Choices []float64 `json:"choices"`
	Params  []param   `json:"params"`
	Example []float64 `json:"example"` // parameters of an ordinary participant
}

type param struct {
	Name    string        `json:"name"`
	Lower   finite.Number `json:"lower"`
	Upper   finite.Number `json:"upper"`
	Meaning string        `json:"meaning"`
}

func models() (all []described) {
	for _, m := range light.Models() {
		d := described{Name: m.Name, Process: m.Process, Choices: m.Choices, Example: m.Example}
		for _, p := range m.Params {
			d.Params = append(d.Params, param{p.Name, finite.Number(p.Lower), finite.Number(p.Upper), p.Meaning})
		}
		all = append(all, d)
	}
	return all
}

// logLik returns the log-likelihood with its gradient. JSON has null for a value that is not finite.
func (r *Request) logLik() (any, error) {
	d, err := light.Bind(r.Model, r.RT, r.Choice)
	if err != nil {
		return nil, err
	}
	if err := r.checkTheta(); err != nil {
		return nil, err
	}
	grad := make([]float64, len(r.Theta))
	value := d.LogLikGrad(r.Theta, grad)
	return map[string]any{"value": finite.Number(value), "gradient": grad}, nil
}

func (r *Request) checkTheta() error {
	m, err := ssm.Lookup(r.Model)
	if err == nil && len(r.Theta) != m.Dim() {
		err = fmt.Errorf("%d parameters: %s has %d", len(r.Theta), r.Model, m.Dim())
	}
	return err
}

func (r *Request) simulate() (any, error) {
	m, err := ssm.Lookup(r.Model)
	if err == nil {
		err = r.checkTheta()
	}
	if err == nil && !(r.Trials > 0 && r.Trials <= mostTrials) {
		err = fmt.Errorf("%d trials: want 1 to %d", r.Trials, mostTrials)
	}
	if err != nil {
		return nil, err
	}
	rt, choice := make([]float64, r.Trials), make([]float64, r.Trials)
	scheme, _, err := m.Scheme("")
	if err == nil {
		err = m.SimulateDecided(context.Background(), ssm.NewRand(r.Seed, 0), r.Theta, scheme, rt, choice)
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"rt": rt, "choice": choice}, nil
}

// estimate is a row of the table of estimates. Names are those of the columns of likc fit.
type estimate struct {
	Name    string        `json:"name"`
	Mean    finite.Number `json:"mean"`
	SD      finite.Number `json:"sd"`
	Q5      finite.Number `json:"q5"`
	Q50     finite.Number `json:"q50"`
	Q95     finite.Number `json:"q95"`
	Rhat    finite.Number `json:"rhat"`
	ESSBulk finite.Number `json:"essBulk"`
	ESSTail finite.Number `json:"essTail"`
}

// fitted is the result of a fit.
type fitted struct {
	Estimates []estimate    `json:"estimates"`
	Draws     [][][]float64 `json:"draws"`     // draws of each parameter, by chain and draw
	Problems  []string      `json:"problems"`  // warnings about the draws, a sentence each
	Gradients int           `json:"gradients"` // evaluations of the likelihood with its gradient
	Predicted [][]float64   `json:"predicted"` // densities that the posterior predicts, by choice and time
}

// predicting is the number of draws over which predicted densities are averaged.
const predicting = 50

// position is what watch gets while chains run.
type position struct {
	Chain     int       `json:"chain"`
	Iteration int       `json:"iteration"`
	Total     int       `json:"total"`
	Warmup    bool      `json:"warmup"`
	Theta     []float64 `json:"theta"`
}

func (r *Request) fit(watch func([]byte)) (any, error) {
	d, err := light.Bind(r.Model, r.RT, r.Choice)
	if err != nil {
		return nil, err
	}
	s, err := r.settings()
	if err != nil {
		return nil, err
	}
	f, err := d.Fit(context.Background(), s, func(p nuts.Progress, theta []float64) {
		text, _ := json.Marshal(position{p.Chain, p.Iteration, p.Total, p.Warmup, theta})
		watch(text)
	})
	if err != nil {
		return nil, err
	}
	out := fitted{Gradients: f.Draws.TotalGradients(), Predicted: f.Predicted(d, r.Times, predicting), Problems: []string{}}
	for i, e := range f.Summary {
		out.Estimates = append(out.Estimates, estimate{e.Name, finite.Number(e.Mean), finite.Number(e.SD), finite.Number(e.Q5), finite.Number(e.Q50),
			finite.Number(e.Q95), finite.Number(e.Rhat), finite.Number(e.ESSBulk), finite.Number(e.ESSTail)})
		out.Draws = append(out.Draws, f.Draws.Param(i))
	}
	for _, found := range f.Found {
		if !found.OK {
			out.Problems = append(out.Problems, found.Text)
		}
	}
	return out, nil
}

// settings returns the settings of the sampler.
func (r *Request) settings() (nuts.Settings, error) {
	s := nuts.DefaultSettings()
	s.NumWarmup, s.NumSamples, s.Report, s.Seed, s.Threads = 500, 500, 5, r.Seed, 1
	for _, n := range []struct {
		name        string
		asked, most int
		set         *int
	}{{"chains", r.Chains, mostChains, &s.NumChains}, {"warmup", r.Warmup, mostDraws, &s.NumWarmup}, {"draws", r.Draws, mostDraws, &s.NumSamples}} {
		if n.asked < 0 || n.asked > n.most {
			return s, fmt.Errorf("%s: %d: want 1 to %d", n.name, n.asked, n.most)
		}
		if n.asked > 0 {
			*n.set = n.asked
		}
	}
	for _, x := range r.Times {
		if !(x > 0) || math.IsInf(x, 1) {
			return s, fmt.Errorf("times: %v is not a time", x)
		}
	}
	return s, nil
}
