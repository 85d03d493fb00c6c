package likc

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"likc/runtime/chains"
	"likc/runtime/fit"
	"likc/runtime/nuts"
)

// Settings say how to fit. The zero value is a good start.
type Settings struct {
	Priors  map[string]string // by parameter, such as "normal(0, 2)"; a parameter without one is uniform over its range
	Chains  int               // Markov chains; 0: 4
	Warmup  int               // transitions of each chain before its draws are kept; 0: 1000
	Draws   int               // draws of each chain; 0: 1000
	Seed    uint64            // the same seed gives the same draws, on any number of threads
	Threads int               // chains at a time; 0: one a processor
}

// Fit holds draws from a posterior.
type Fit struct {
	draws     *chains.Draws
	summaries []chains.Summary
	findings  chains.Diagnosis
}

// Parameter says what the draws say of one parameter. A number that the draws do not define, as R-hat of very few, is NaN.
type Parameter struct {
	Name            string
	Mean, SD        float64 // of the posterior
	Q5, Median, Q95 float64 // quantiles of the posterior
	Rhat            float64 // near 1 if the chains agree; above 1.01 do not trust them
	ESSBulk         float64 // effective number of draws, for the mean and the median
	ESSTail         float64 // effective number of draws, for the quantiles 5 % and 95 %
}

// Fit draws from the posterior of the parameters. If ctx ends, or chains fail, the error says so, and the Fit that comes with it
// holds the draws that there are: it is nil if there are none.
func (d *Data) Fit(ctx context.Context, s Settings) (*Fit, error) {
	settings, err := d.settings(s)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	spec, err := d.spec(s)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	trials := fit.Subject{Columns: d.columns, Choice: d.choice}
	r := fit.Run(ctx, spec, d.model.binder, []fit.Subject{trials}, settings)[0]
	if r.Err != nil {
		err = fmt.Errorf("likc: fit of %s: %w", d.model.catalog.Name, r.Err)
	}
	if r.Draws == nil {
		return nil, err
	}
	return &Fit{draws: r.Draws.Common(), summaries: r.Summary.Params, findings: r.Findings}, err
}

// spec says what is fitted.
func (d *Data) spec(s Settings) (*fit.Spec, error) {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(s.Priors)) {
		texts = append(texts, name+"="+s.Priors[name])
	}
	priors, err := fit.ParsePriors(d.model.catalog, texts)
	if err != nil {
		return nil, fmt.Errorf("prior %w", err)
	}
	return fit.NewSpec(d.model.catalog, fit.Wishes{Priors: priors})
}

func (d *Data) settings(s Settings) (out fit.Settings, err error) {
	for _, c := range []struct {
		name  string
		value int
		most  int
	}{{"Chains", s.Chains, 1 << 20}, {"Warmup", s.Warmup, math.MaxInt32}, {"Draws", s.Draws, math.MaxInt32}, {"Threads", s.Threads, math.MaxInt32}} {
		if c.value < 0 || c.value > c.most {
			return out, fmt.Errorf("Settings.%s is %d: want 0 to %d", c.name, c.value, c.most)
		}
	}
	out.Threads, out.Sampler = s.Threads, nuts.DefaultSettings()
	out.Sampler.NumChains = cmp.Or(s.Chains, out.Sampler.NumChains)
	out.Sampler.NumWarmup = cmp.Or(s.Warmup, out.Sampler.NumWarmup)
	out.Sampler.NumSamples = cmp.Or(s.Draws, out.Sampler.NumSamples)
	out.Sampler.Threads, out.Sampler.Seed = s.Threads, s.Seed
	return out, out.Sampler.Validate()
}

// Summary returns what the draws say of each parameter, in the order of [Model.Params].
func (f *Fit) Summary() []Parameter {
	all := make([]Parameter, len(f.summaries))
	for i, s := range f.summaries {
		all[i] = Parameter{s.Name, s.Mean, s.SD, s.Q5, s.Q50, s.Q95, s.Rhat, s.ESSBulk, s.ESSTail}
	}
	return all
}

// Draws returns the draws of a parameter: a slice for each chain, all of one length. It is nil if the model has no such
// parameter.
func (f *Fit) Draws(name string) [][]float64 {
	i := f.draws.Index(name)
	if i < 0 {
		return nil
	}
	out := f.draws.Param(i)
	for c := range out {
		out[c] = slices.Clone(out[c])
	}
	return out
}

// Problems says what is wrong with the draws, a text for each problem, in the words of CmdStan: chains that disagree, too few
// effective draws, divergent transitions. Do not use draws with problems before you have read them.
func (f *Fit) Problems() []string {
	var all []string
	for _, finding := range f.findings {
		if !finding.OK {
			all = append(all, finding.Text)
		}
	}
	return all
}
