package recovery

import (
	"fmt"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
)

// HighRhat is the R-hat above which a fit's draws are not to be trusted.
const HighRhat = 1.01

// Summary says how well a model's parameters are recovered.
type Summary struct {
	Model     string    `json:"model"`
	Settings            // of the run
	Studies   int       `json:"studies,omitempty"` // 0 where every subject is on its own
	Design    *Design   `json:"design,omitempty"`  // of studies
	Params    Params    `json:"params"`
	Failed    int       `json:"failed"`          // subjects that could not be fitted: they are left out
	RhatHigh  int       `json:"rhat_above_1.01"` // fits with R-hat above HighRhat
	Divergent int       `json:"divergent_fits"`
	Why       string    `json:"why,omitempty"` // of the first failure
	Band50    []float64 `json:"band_50"`       // where Covered50 of an honest posterior lies in 99 of 100 cases, from low to high
	Band90    []float64 `json:"band_90"`
	NoVerdict string    `json:"no_verdict,omitempty"` // why coverage is not compared with the bands; "" where it is
}

// stated says why coverage of studies has no verdict if a true value is stated.
const stated = "true values of --theta are not drawn from the prior, and an honest posterior need not cover them at the level of its intervals"

// Param is one parameter.
type Param struct {
	Name string `json:"-"`
	Figures
	Estimates []Estimate `json:"-"`
}

// Params are the parameters, in the model's order. In JSON they are an object: {"v": {"r": …}, …}.
type Params []Param

// MarshalJSON keeps the order.
func (p Params) MarshalJSON() ([]byte, error) {
	return fit.Object(len(p), func(i int) (string, any) { return p[i].Name, p[i].Figures })
}

// Summarise compares all fits with the truth. It fails where no subject could be fitted.
func (p *Plan) Summarise(all []Subject) (Summary, error) {
	out := Summary{Model: p.spec.Model.Name, Settings: p.Settings}
	err := out.compare(p.Names(), all)
	return out, err
}

// Summarise compares the population of each study with the truth. It fails where no study could be fitted.
func (p *StudyPlan) Summarise(all []Subject) (Summary, error) {
	out := Summary{Model: p.model.Name, Settings: p.Settings, Studies: p.Studies, Design: &p.Design}
	if err := out.compare(p.Population(), all); err != nil {
		return out, err
	}
	if len(p.truths) > 0 {
		out.NoVerdict = stated
	}
	for j := range out.Params {
		of := &out.Params[j]
		if _, known := p.truths[of.Name]; known && p.generator.Study().ZeroMeans(of.Name) {
			power := Power(of.Estimates)
			of.Power = &power
		}
	}
	return out, nil
}

// compare compares the named parameters of all fits with the truth.
func (s *Summary) compare(names []string, all []Subject) error {
	for _, name := range names {
		s.Params = append(s.Params, Param{Name: name})
	}
	for _, subject := range all {
		if subject.Error != "" {
			if s.Failed++; s.Why == "" {
				s.Why = subject.Error
			}
			continue
		}
		s.add(&subject)
	}
	fitted := len(all) - s.Failed
	if fitted == 0 {
		return fmt.Errorf("%s: no subject could be fitted: %s", s.Model, s.Why)
	}
	for j := range s.Params {
		s.Params[j].Figures = Compare(s.Params[j].Estimates)
	}
	half, ninety := Band(fitted, 0.5), Band(fitted, 0.9)
	s.Band50, s.Band90 = []float64{half.Low, half.High}, []float64{ninety.Low, ninety.High}
	return nil
}

// add takes in a subject that was fitted.
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

// Draw draws a scatter plot of truth against estimate for each parameter.
func (s *Summary) Draw() (*figure.Figure, error) {
	var params []figure.Recovered
	for _, p := range s.Params {
		r := figure.Recovered{Name: p.Name, Note: fmt.Sprintf("r = %.3f", p.R)}
		for _, e := range p.Estimates {
			r.Truth, r.Estimate = append(r.Truth, e.Truth), append(r.Estimate, e.Mean)
		}
		params = append(params, r)
	}
	return figure.Recovery(params)
}
