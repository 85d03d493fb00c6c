package applied

import (
	"context"
	"errors"
	"math"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/timing"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/search/study"
)

// Fit is the fit of the study with one likelihood: a line of the file.
type Fit struct {
	Model    string        `json:"model"`
	Kind     Kind          `json:"kind"`
	Expr     string        `json:"expr,omitempty"`
	Size     int           `json:"size,omitempty"`   // number of nodes
	Lambda   finite.Number `json:"lambda"`           // the weight of recovery in the search that found the expression
	WeakestR finite.Number `json:"weakest_r"`        // the weakest correlation in the expression's verdict
	Failed   string        `json:"failed,omitempty"` // why there are no estimates

	Params       []Param       `json:"params"`       // the model's parameters, in its order
	Coefficients []Coefficient `json:"coefficients"` // the coefficients of the regression, except those of single participants

	Rhat        finite.Number `json:"rhat_max"` // the largest R-hat of all coefficients, including those of participants
	ESS         finite.Number `json:"ess_bulk_min"`
	Divergences int           `json:"divergences"`
	Gradients   int           `json:"gradients"`
	Seconds     float64       `json:"seconds"`       // time of the fit, on one core
	Build       float64       `json:"build_seconds"` // time of compiling the likelihood
}

// Param is the posterior of one parameter of the model.
type Param struct {
	Name   string  `json:"name"`
	Varies bool    `json:"varies"` // whether it differs between participants
	Levels []Level `json:"levels"` // the posterior for each participant and cell
}

// Level is the posterior of a parameter for one participant in one cell of the design. Numeric columns are at their means over the
// participant's trials.
type Level struct {
	Level string  `json:"level"`
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`
	Q5    float64 `json:"q5"`
	Q95   float64 `json:"q95"`
	Bound bool    `json:"at_bound,omitempty"` // whether the mean lies within 1 % of an end of the range
}

// Coefficient is the posterior of one coefficient, spread or shared parameter.
type Coefficient struct {
	Name string        `json:"name"`
	Mean finite.Number `json:"mean"`
	SD   finite.Number `json:"sd"`
	Q5   finite.Number `json:"q5"`
	Q95  finite.Number `json:"q95"`
}

// mostRhat is the paper's limit: a fit counts as converged if its largest R-hat is below it.
const mostRhat = 1.01

// Converged reports whether R-hat of every coefficient is below 1.01.
func (f *Fit) Converged() bool { return f.Failed == "" && float64(f.Rhat) < mostRhat }

// newFit returns a Fit that describes a candidate and has no estimates yet.
func newFit(c *Candidate) Fit {
	f := Fit{Model: c.Name, Kind: c.Kind, Lambda: finite.Number(math.NaN()), WeakestR: finite.Number(math.NaN()), Rhat: finite.Number(math.NaN()),
		ESS: finite.Number(math.NaN()), Params: []Param{}, Coefficients: []Coefficient{}}
	if m, ok := c.Model.Expression(); ok {
		f.Expr, f.Size = m.LogLik.String(), m.LogLik.Size()
	}
	if v := c.Verdict; v != nil {
		f.Expr, f.Size, f.Lambda, f.WeakestR = v.Expr, v.Size, v.Lambda, v.WeakestR
	}
	return f
}

// N returns the number of candidates.
func (j *Job) N() int { return len(j.Candidates) }

// Case returns the study of real participants, the same for every candidate. Its true parameters are unknown, so fits are compared
// with the reference's.
func (j *Job) Case(context.Context, int) (study.Case, error) { return study.Case{Data: j.Data}, nil }

// Fit fits the study with a candidate.
func (j *Job) Fit(ctx context.Context, c *study.Case) (*study.Fitted, error) {
	out, start := &study.Fitted{}, timing.ProcessSeconds()
	spec, b, err := j.open(ctx, &j.Candidates[c.Index])
	out.Binding = timing.ProcessSeconds() - start
	if b != nil {
		defer b.Close()
	}
	if err != nil {
		return out, err
	}
	start = timing.ProcessSeconds()
	out.Result = fit.Run(ctx, spec, b, []fit.Subject{j.trials()}, fit.Settings{Sampler: j.Settings.sampler(), Limit: j.Settings.Limit, Threads: j.Threads})[0]
	out.Sampling = timing.ProcessSeconds() - start
	return out, out.Result.Err
}

// compare returns a candidate's line of the file. If the fit failed, the line says why.
func (j *Job) compare(c *study.Case, fitted *study.Fitted) Fit {
	f := newFit(&j.Candidates[c.Index])
	f.Build, f.Seconds = fitted.Binding, fitted.Sampling
	err := fitted.Err
	if err == nil {
		err = f.describe(fitted.Result)
	}
	switch {
	case errors.Is(err, hierarchy.ErrLimit):
		f.Failed = hierarchy.ErrLimit.Error() // any chain's error may have come first
	case err != nil:
		f.Failed = err.Error()
	}
	return f
}

// open compiles a candidate, and returns its specification.
func (j *Job) open(ctx context.Context, c *Candidate) (*fit.Spec, *bound.Prepared, error) {
	spec, err := j.Settings.Spec(c.Model)
	if err != nil {
		return nil, nil, err
	}
	e := j.Settings.Engine
	if _, expression := c.Model.Expression(); !expression {
		e = bound.Auto
	}
	b, err := bound.Prepare(ctx, c.Model, e)
	return spec, b, err
}

// trials returns the trials of the study.
func (j *Job) trials() fit.Subject {
	return fit.Subject{Columns: j.Data.Columns, Choice: j.Data.Choice, Table: j.Data.Table}
}

// errWild means that draws became infinite: an expression that is no density may have a posterior of infinite mass.
var errWild = errors.New("estimates are not finite: the posterior has no end")

// describe sets the figures that follow from the draws.
func (f *Fit) describe(r *fit.Result) error {
	params := paramsOf(r.Cells)
	for _, p := range params {
		for _, l := range p.Levels {
			if x := l.Mean + l.SD + l.Q5 + l.Q95; x-x != 0 {
				return errWild
			}
		}
	}
	f.Params = params
	population := map[string]bool{}
	for _, name := range r.Study.Population() {
		population[name] = true
	}
	rhat, ess := math.Inf(-1), math.Inf(1)
	for _, s := range r.Summary.Params {
		rhat, ess = max(rhat, s.Rhat), min(ess, s.ESSBulk) // NaN if any value is NaN
		if population[s.Name] {
			f.Coefficients = append(f.Coefficients, coefficientOf(s))
		}
	}
	f.Rhat, f.ESS = finite.Number(rhat), finite.Number(ess)
	f.Divergences, f.Gradients = r.Summary.Divergences, r.Summary.Gradients
	return nil
}

func coefficientOf(s chains.Summary) Coefficient {
	return Coefficient{s.Name, finite.Number(s.Mean), finite.Number(s.SD), finite.Number(s.Q5), finite.Number(s.Q95)}
}

// paramsOf returns each parameter with its posterior at the levels of the study's first grouping.
func paramsOf(cells []hierarchy.Cell) []Param {
	var all []Param
	at := map[string]int{}
	by := ""
	for i := range cells {
		l := &cells[i]
		if l.By == "" || l.At != "" {
			continue
		}
		if by == "" {
			by = l.By
		}
		if l.By != by {
			break
		}
		i, known := at[l.Param]
		if !known {
			i = len(all)
			at[l.Param] = i
			all = append(all, Param{Name: l.Param})
		}
		p := &all[i]
		p.Levels = append(p.Levels, Level{l.Level + l.Factors(), l.Mean, l.SD, l.Q5, l.Q95, atBound(l)})
	}
	for i := range all {
		all[i].Varies = varies(all[i].means())
	}
	return all
}

// varies reports whether means differ by more than rounding.
func varies(means []float64) bool {
	low, high := slices.Min(means), slices.Max(means)
	return high-low > 1e-9*max(math.Abs(low), math.Abs(high))
}

// atBound reports whether a level's mean lies within 1 % of an end of its range, as in the judge's rule for estimates.
func atBound(l *hierarchy.Cell) bool {
	const near = 0.01
	width := l.High - l.Low
	return !math.IsInf(width, 1) && min(l.Mean-l.Low, l.High-l.Mean) < near*width
}
