package likc

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/fit/nuts"
	"likc/runtime/num/chains"
)

// Settings say how to fit. The zero value is a good start.
type Settings struct {
	Priors  map[string]string     // priors by parameter or coefficient, such as "normal(0, 2)"; without a prior, a parameter is uniform over its range
	Ranges  map[string][2]float64 // ranges by parameter, which replace the model's; an end may be infinite
	Fixed   map[string]float64    // values by parameter, which are not estimated
	Regress *Regression           // formulas for parameters that depend on columns; nil if each parameter is one number
	LOO     bool                  // estimate how well the model predicts trials: see [Fit.LOO]
	Chains  int                   // Markov chains; 0: 4
	Warmup  int                   // transitions of each chain before its draws are kept; 0: 1000
	Draws   int                   // draws of each chain; 0: 1000
	Seed    uint64                // the same seed gives the same draws, on any number of threads
	Threads int                   // number of chains that run at a time; 0: one for each processor
}

// Fit holds draws from a posterior.
type Fit struct {
	data   *Data
	result *fit.Result
	draws  *chains.Draws
}

// Parameter is the summary of the draws of one parameter. A number that the draws do not define, such as R-hat of very few
// draws, is NaN.
type Parameter struct {
	Name            string
	Mean, SD        float64 // mean and standard deviation of the posterior
	Q5, Median, Q95 float64 // quantiles of the posterior
	Rhat            float64 // near 1 if the chains agree; above 1.01 do not trust them
	ESSBulk         float64 // effective number of draws, for the mean and the median
	ESSTail         float64 // effective number of draws, for the quantiles 5 % and 95 %
}

// Fit draws from the posterior of the parameters. If ctx ends, or chains fail, it returns an error together with
// a Fit that holds the draws made so far; the Fit is nil if there are none.
func (d *Data) Fit(ctx context.Context, s Settings) (*Fit, error) {
	defer runtime.KeepAlive(d)
	settings, err := d.settings(s)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	spec, subject, err := d.spec(s)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	out := &Fit{data: d, result: fit.Run(ctx, spec, d.model.binder, []fit.Subject{subject}, settings)[0]}
	if out.result.Err != nil {
		err = fmt.Errorf("likc: fit of %s: %w", d.model.catalog.Name, out.result.Err)
	}
	if out.result.Draws == nil {
		return nil, err
	}
	out.draws = out.result.Draws.Common()
	return out, err
}

// spec returns the specification of the fit, and adds the columns that formulas name to the trials.
func (d *Data) spec(s Settings) (*fit.Spec, fit.Subject, error) {
	subject, w := d.trials, fit.Wishes{Priors: texts(s.Priors), Ranges: ranges(s.Ranges), Fixed: numbers(s.Fixed)}
	if r := s.Regress; r != nil {
		w.Formulas, w.Links = r.Formulas, texts(r.Links)
		var err error
		if subject.Table, err = r.table(subject.Trials()); err != nil {
			return nil, subject, err
		}
	}
	spec, err := fit.NewSpec(d.model.catalog, w)
	return spec, subject, err
}

// texts lists NAME=TEXT in the order of the names.
func texts(named map[string]string) []string {
	return wishes(named, func(text string) string { return text })
}

func ranges(named map[string][2]float64) []string {
	return wishes(named, func(r [2]float64) string { return fmt.Sprintf("%v,%v", r[0], r[1]) })
}

func numbers(named map[string]float64) []string {
	return wishes(named, func(x float64) string { return fmt.Sprint(x) })
}

// wishes returns a map as texts NAME=TEXT, sorted by name.
func wishes[T any](named map[string]T, text func(T) string) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, name+"="+text(named[name]))
	}
	return all
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
	out.Threads, out.Sampler, out.LOO = s.Threads, nuts.DefaultSettings(), s.LOO
	out.Sampler.NumChains = cmp.Or(s.Chains, out.Sampler.NumChains)
	out.Sampler.NumWarmup = cmp.Or(s.Warmup, out.Sampler.NumWarmup)
	out.Sampler.NumSamples = cmp.Or(s.Draws, out.Sampler.NumSamples)
	out.Sampler.Threads, out.Sampler.Seed = s.Threads, s.Seed
	return out, out.Sampler.Validate()
}

// Summary returns a summary of the draws of each estimated parameter, in the order of [Model.Params]. With a [Regression] it summarises the
// coefficients, on the scales of their links; for the parameters in each cell of the design see [Fit.Cells].
func (f *Fit) Summary() []Parameter {
	all := make([]Parameter, len(f.result.Summary.Params))
	for i, s := range f.result.Summary.Params {
		all[i] = Parameter{s.Name, s.Mean, s.SD, s.Q5, s.Q50, s.Q95, s.Rhat, s.ESSBulk, s.ESSTail}
	}
	return all
}

// Draws returns the draws of a parameter, or of a coefficient: a slice for each chain, all of the same length. It returns
// nil for an unknown name.
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

// Problems returns a text for each problem of the fit. Problems of the draws are described mostly in the words of CmdStan: chains that disagree, too
// few effective draws, divergent transitions. There may also be problems of the posterior, such as a prior that pulls an estimate away from
// where the data would put it. Whether the model predicts the data is not tested here: see [Fit.Predict]. Read the problems before you use
// the draws.
func (f *Fit) Problems() []string {
	var all []string
	for _, finding := range f.result.Findings {
		if !finding.OK {
			all = append(all, finding.Text)
		}
	}
	return append(all, f.result.Summary.Warnings...)
}

// LOO says how well a model predicts each trial from all other trials, summed over the trials: PSIS-LOO [vehtari2017]. Of two models of the same
// trials, the one with the larger ELPD predicts better.
type LOO struct {
	ELPD float64 // expected log density of new trials
	SE   float64 // standard error of ELPD
	P    float64 // effective number of parameters
	Bad  int     // number of trials whose contribution to ELPD may be far off
}

// LOO returns the estimate that [Settings] asked for. It fails if they did not ask for it, and for a model that is not a density.
func (f *Fit) LOO() (LOO, error) {
	l := f.result.Summary.LOO
	if l == nil {
		return LOO{}, fmt.Errorf("likc: fit of %s: no LOO: %s", f.data.model.catalog.Name, cmp.Or(f.result.Summary.Missing, "the settings did not ask for it"))
	}
	return LOO{float64(l.ELPD), float64(l.SE), float64(l.P), l.KBad}, nil
}

// Lapses returns the posterior probability of each trial that it is a lapse; nil for a model without lapses.
func (f *Fit) Lapses() []float64 { return slices.Clone(f.result.Lapses) }
