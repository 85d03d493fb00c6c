// Package recovery asks whether fits of simulated subjects recover the parameters from which they were simulated.
//
//	Plan: a source, a fitter ─Run─▶ a Subject each ─▶ Summary: Figures of each parameter
package recovery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study"
)

// HighRhat is the largest R-hat of a fit whose draws can be trusted.
const HighRhat = 1.01

// Plan holds the source of cases, their fitter, and the summary, which has no results yet.
type Plan struct {
	study.Source
	study.Fitter
	summary Summary
	names   []string
	hasZero func(name string) bool // whether 0 means no effect for the named parameter; nil if no true value is stated
	close   func() error
}

// New prepares the subjects of a model; see [study.NewSubjects]. Close releases the plan.
func New(m *catalog.Model, s study.Settings) (*Plan, error) {
	subjects, err := study.NewSubjects(m, s)
	if err != nil {
		return nil, err
	}
	subjects.Of, subjects.Labels = "recovery", study.Numbered
	return &Plan{Source: subjects, Fitter: subjects, summary: Summary{Model: m.Name, Settings: s}, names: subjects.Names(), close: subjects.Close}, nil
}

// NewStudies returns the plan of simulated experiments that are already open. Close closes them.
func NewStudies(m *catalog.Model, s *study.Studies) *Plan {
	p := &Plan{Source: s, Fitter: s, names: s.Names(), close: s.Close,
		summary: Summary{Model: m.Name, Settings: s.Settings, Studies: s.N(), Design: &s.Design}}
	if len(s.Design.Truths) > 0 {
		p.summary.NoVerdict = stated
		p.hasZero = func(name string) bool { return s.IsStated(name) && s.HasZero(name) }
	}
	return p
}

// Close releases the model's code.
func (p *Plan) Close() error { return p.close() }

// Subject is the result of one simulated subject, or of one simulated experiment.
type Subject struct {
	Truth       []finite.Number `json:"truth"` // true values of the parameters that are not fixed
	Mean        []finite.Number `json:"mean"`
	Quantiles   [][]float64     `json:"quantiles"` // 5, 25, 75 and 95 % quantiles of each parameter's draws
	Rhat        finite.Number   `json:"rhat"`      // largest R-hat of all parameters
	Divergences int             `json:"divergences"`
	Omitted     int             `json:"omitted,omitempty"` // number of trials without response
	Error       string          `json:"error,omitempty"`   // why the fit failed
}

// levels are the probabilities of Subject.Quantiles.
var levels = []float64{0.05, 0.25, 0.75, 0.95}

// compare returns the result of a case.
func compare(c *study.Case, f *study.Fitted) Subject {
	out := Subject{Truth: finite.Numbers(c.Truth), Rhat: finite.Number(math.NaN()), Omitted: c.Omitted}
	if f.Err != nil {
		out.Error = f.Err.Error()
		return out
	}
	worst := math.Inf(-1)
	for _, name := range c.Names {
		x := f.Draws.Param(f.Draws.Index(name))
		out.Mean = append(out.Mean, finite.Number(chains.Mean(x)))
		worst = max(worst, chains.Rhat(x))
		sorted := slices.Concat(x...)
		slices.Sort(sorted)
		var q []float64
		for _, level := range levels {
			q = append(q, statistic.Quantile(sorted, level))
		}
		out.Quantiles = append(out.Quantiles, q)
	}
	out.Rhat, out.Divergences = finite.Number(worst), f.Draws.Divergences()
	return out
}

// Summary says how well a model's parameters are recovered.
type Summary struct {
	Model          string        `json:"model"`
	study.Settings               // settings of the run
	Studies        int           `json:"studies,omitempty"` // number of experiments; 0 if every subject is fitted separately
	Design         *study.Design `json:"design,omitempty"`  // design of experiments
	Params         Params        `json:"params"`
	Failed         int           `json:"failed"`            // subjects that could not be fitted; the other figures ignore them
	Omitted        float64       `json:"omitted,omitempty"` // share of all trials that have no response before the deadline
	RhatHigh       int           `json:"rhat_above_1.01"`   // number of fits with R-hat above HighRhat
	Divergent      int           `json:"divergent_fits"`
	Why            string        `json:"why,omitempty"`        // reason of the first failure
	Band50         []float64     `json:"band_50"`              // ends of the interval that contains Covered50 of an honest posterior in 99 of 100 cases
	Band90         []float64     `json:"band_90"`              // the same for Covered90
	NoVerdict      string        `json:"no_verdict,omitempty"` // why coverage is not compared with the bands; "" if it is
}

// stated is the reason why the coverage of experiments has no verdict if a true value is stated.
const stated = "true values of --theta are not drawn from the prior, and an honest posterior need not cover them at the level of its intervals"

// Param is the recovery of one parameter.
type Param struct {
	Name string `json:"-"`
	Figures
	Estimates []Estimate `json:"-"`
}

// Params are the parameters, in the model's order. In JSON they are an object: {"v": {"r": …}, …}.
type Params []Param

// MarshalJSON encodes the parameters as a JSON object, in their order.
func (p Params) MarshalJSON() ([]byte, error) {
	return fit.Object(len(p), func(i int) (string, any) { return p[i].Name, p[i].Figures })
}

// Run fits all cases and compares them with the truth. It writes the check's files, with the figure that draw
// draws. It returns an error if no case could be fitted.
func (p *Plan) Run(ctx context.Context, check *study.Check, draw func(*Summary) (study.Drawing, error)) (Summary, error) {
	all, err := study.Run(ctx, check, p, p, compare)
	return study.Conclude(check, all, err, p.summarise, draw)
}

// summarise compares the parameters of all fits with the truth.
func (p *Plan) summarise(all []Subject) (Summary, error) {
	s := p.summary
	for _, name := range p.names {
		s.Params = append(s.Params, Param{Name: name})
	}
	trials := len(all) * s.Trials
	if s.Studies > 0 {
		trials *= s.Subjects
	}
	for _, subject := range all {
		s.Omitted += float64(subject.Omitted) / float64(trials)
		if subject.Error == "" {
			s.add(&subject)
		} else if s.Failed++; s.Why == "" {
			s.Why = subject.Error
		}
	}
	fitted := len(all) - s.Failed
	if fitted == 0 {
		return s, fmt.Errorf("%s: no subject could be fitted: %s", s.Model, s.Why)
	}
	for j := range s.Params {
		param := &s.Params[j]
		param.Figures = Compare(param.Estimates)
		if p.hasZero != nil && p.hasZero(param.Name) {
			power := Power(param.Estimates)
			param.Power = &power
		}
	}
	half, ninety := Band(fitted, 0.5), Band(fitted, 0.9)
	s.Band50, s.Band90 = []float64{half.Low, half.High}, []float64{ninety.Low, ninety.High}
	return s, nil
}

// add adds the estimates of a fitted subject.
func (s *Summary) add(subject *Subject) {
	if !(subject.Rhat <= HighRhat) {
		s.RhatHigh++
	}
	if subject.Divergences > 0 {
		s.Divergent++
	}
	for j := range s.Params {
		q := subject.Quantiles[j]
		s.Params[j].Estimates = append(s.Params[j].Estimates, Estimate{Truth: float64(subject.Truth[j]), Mean: float64(subject.Mean[j]),
			In50: Interval{q[1], q[2]}, In90: Interval{q[0], q[3]}})
	}
}
