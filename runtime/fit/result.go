package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/loo"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// Format is the version of summary.json.
const Format = 1

// Result is the outcome of the fit of one subject.
type Result struct {
	Subject
	Lapses   []float64        // for each trial, the probability that it is a lapse; nil without lapses, or if Save dropped it
	Draws    *chains.Draws    // draws of the parameters; nil if there are none, or if Save dropped them
	Summary  *Summary         // nil if there are no draws
	Findings chains.Diagnosis // findings of each test of the draws, whether they passed or not
	LOO      *loo.Result      // estimates for each trial; nil if Summary has none, or if Save dropped them
	Mode     *Mode            // nil unless Settings.Mode

	Study *hierarchy.Study // the parameters as functions of the trials; nil if the trials could not be bound, or if Save dropped it
	Cells []hierarchy.Cell // cells of the design of formulas; nil without formulas, or if they could not be computed

	Err     error // why the result, or a part of it, is missing
	Unsaved error // error of Save
	Figures error // why figures that Save should draw are missing

	recordOfAll *Record // record of the fit of all subjects
}

// Kept reports whether the result has draws or a mode. Only such results are saved.
func (r *Result) Kept() bool { return r.Summary != nil || r.Mode != nil }

// IsComplete reports whether no part of the result is missing.
func (r *Result) IsComplete() bool { return r.Err == nil && r.Kept() }

// Interrupted reports whether the end of the context cut the fit short.
func (r *Result) Interrupted() bool { return errors.Is(r.Err, context.Canceled) }

// NameOf returns the data's own name of a choice; "" if the data have the model's numbers, or are unknown: see [trials.Source.NameOf].
// symbol is the model's symbol of the choice.
func (r *Result) NameOf(symbol string, choice float64) string {
	if r.recordOfAll == nil || r.recordOfAll.Data == nil {
		return ""
	}
	return r.recordOfAll.Data.NameOf(symbol, choice)
}

// Seconds returns how long the fit took.
func (r *Result) Seconds() float64 {
	switch {
	case r.Summary != nil:
		return r.Summary.Seconds
	case r.Mode != nil:
		return r.Mode.Seconds
	}
	return 0
}

// Summary is the content of summary.json for a subject's draws.
type Summary struct {
	Format        int          `json:"format"`
	Model         string       `json:"model"`
	Subject       string       `json:"subject,omitempty"`
	Folder        string       `json:"folder,omitempty"`     // name of the folder, if the subject is one of many
	N             int          `json:"n"`                    // number of trials
	Seed          uint64       `json:"seed"`                 // seed that the user gave
	Partial       bool         `json:"partial,omitempty"`    // whether draws or chains are missing
	PriorOnly     bool         `json:"prior_only,omitempty"` // whether the draws are from the priors
	Params        Parameters   `json:"params"`
	Chains        int          `json:"chains"`
	Draws         int          `json:"draws"`                   // number of draws of each chain from which the figures are computed
	DrawsPerChain []int        `json:"draws_per_chain"`         // number of draws in each file
	FailedChains  []int        `json:"failed_chains,omitempty"` // numbers of the chains that failed, from 1
	Divergences   int          `json:"divergences"`
	Gradients     int          `json:"gradients"` // number of gradients, including the warm-up's
	Seconds       float64      `json:"seconds"`
	Warnings      []string     `json:"warnings"`         // faults of the draws, one on each line; empty if there are none
	Advice        string       `json:"advice,omitempty"` // steps against faults of the sampler, in their order; "" for none
	Leaning       []Lean       `json:"-"`                // parameters whose draws accumulate at an end of their range
	Pulls         []Pull       `json:"-"`                // priors that have a large influence on the posterior of a coefficient
	Lapse         *LapseRecord `json:"lapse,omitempty"`

	PredictiveCheck *PredictiveCheck `json:"predictive_check,omitempty"` // nil if there was no check
	Prediction
	Cells      []CellSummary     `json:"cells,omitempty"`      // cells of a study's design, for the typical level
	Regression *hierarchy.Record `json:"regression,omitempty"` // how parameters depend on columns of the data; nil if none does
	*Record
}

// Leans reports whether the draws of a parameter accumulate at an end of its range.
func (s *Summary) Leans(name string) bool {
	return slices.ContainsFunc(s.Leaning, func(l Lean) bool { return l.Name == name })
}

// Parameters holds the summaries of a model's parameters, in its order. In JSON it is an object: {"v": {"mean": …}, …}.
type Parameters []chains.Summary

// Named returns the summary of a parameter. If there is none, its numbers are NaN and its name is "".
func (p Parameters) Named(name string) chains.Summary {
	if i := slices.IndexFunc(p, func(s chains.Summary) bool { return s.Name == name }); i >= 0 {
		return p[i]
	}
	none := math.NaN()
	return chains.Summary{Mean: none, SD: none, Rhat: none, ESSBulk: none, ESSTail: none}
}

// MarshalJSON encodes the parameters in their order.
func (p Parameters) MarshalJSON() ([]byte, error) {
	return Object(len(p), func(i int) (string, any) { return p[i].Name, p[i] })
}

// UnmarshalJSON decodes the JSON that MarshalJSON writes, and keeps its order.
func (p *Parameters) UnmarshalJSON(text []byte) error {
	*p = nil
	return eachField(text, func(name string, value json.RawMessage) error {
		s := chains.Summary{Name: name}
		if err := json.Unmarshal(value, &s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*p = append(*p, s)
		return nil
	})
}

// Mode is the content of summary.json for a posterior mode.
type Mode struct {
	Format     int        `json:"format"`
	Model      string     `json:"model"`
	Subject    string     `json:"subject,omitempty"`
	Folder     string     `json:"folder,omitempty"` // name of the folder, if the subject is one of many
	N          int        `json:"n"`                // number of trials
	Params     ModeParams `json:"params"`
	Cells      []ModeCell `json:"cells,omitempty"` // cells of a study's design, for the typical level
	LogDensity float64    `json:"log_density"`
	Gradients  int        `json:"gradients"`
	Seconds    float64    `json:"seconds"`
	*Record
}

// ModeParam is the value of a parameter at the mode.
type ModeParam struct {
	Name         string        `json:"-"`
	Mode         float64       `json:"mode"`
	SD           finite.Number `json:"sd"`                     // standard deviation by Laplace's approximation; not finite if the approximation fails
	AtBound      bool          `json:"at_bound,omitempty"`     // whether the mode is at an end of the range; then SD is NaN
	Undetermined bool          `json:"undetermined,omitempty"` // whether the data leave the parameter undetermined
}

// ModeParams holds the parameters at the mode, in the model's order. In JSON it is an object: {"v": {"mode": …}, …}.
type ModeParams []ModeParam

// Named returns the mode of a parameter. If there is none, its numbers are NaN and its name is "".
func (p ModeParams) Named(name string) ModeParam {
	if i := slices.IndexFunc(p, func(at ModeParam) bool { return at.Name == name }); i >= 0 {
		return p[i]
	}
	return ModeParam{Mode: math.NaN(), SD: finite.Number(math.NaN())}
}

// MarshalJSON encodes the parameters in their order.
func (p ModeParams) MarshalJSON() ([]byte, error) {
	return Object(len(p), func(i int) (string, any) { return p[i].Name, p[i] })
}

func modeOf(names []string, m *posterior.Mode) *Mode {
	out := &Mode{Format: Format, LogDensity: m.LogDensity, Gradients: m.Gradients}
	for i, name := range names {
		out.Params = append(out.Params, ModeParam{Name: name, Mode: m.Theta[i], SD: finite.Number(m.SD[i]), AtBound: m.AtBound[i], Undetermined: m.Level[i]})
	}
	return out
}

// Uncurved returns the names of the parameters without a standard deviation, although they are at no bound and the data determine
// them. The log density at the mode is not curved in them as at a maximum.
func (m *Mode) Uncurved() (names []string) {
	for _, p := range m.Params {
		if !p.AtBound && !p.Undetermined && math.IsNaN(float64(p.SD)) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Undetermined returns the names of the parameters that the data leave undetermined.
func (m *Mode) Undetermined() (names []string) {
	for _, p := range m.Params {
		if p.Undetermined {
			names = append(names, p.Name)
		}
	}
	return names
}

// JSON returns the content of summary.json: the result's Summary or its Mode.
func (r *Result) JSON() any {
	if r.Mode != nil {
		return r.Mode
	}
	return r.Summary
}

// Subjects is the content of summary.json for many subjects: those with draws or a mode, in the data's order.
type Subjects struct {
	Partial bool // whether some subjects are missing
	Kept    []*Result
}

// Keep returns the results that have draws or a mode.
func Keep(all []*Result) (s Subjects) {
	for _, r := range all {
		if r.Kept() {
			s.Kept = append(s.Kept, r)
		}
		s.Partial = s.Partial || !r.IsComplete()
	}
	return s
}

// Names returns the names of the parameters of all subjects, in the order of their first occurrence. With formulas, a subject has no
// parameters for conditions that it does not have.
func (s Subjects) Names() (names []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name], names = true, append(names, name)
		}
	}
	for _, r := range s.Kept {
		if r.Mode != nil {
			for _, p := range r.Mode.Params {
				add(p.Name)
			}
			continue
		}
		for _, p := range r.Summary.Params {
			add(p.Name)
		}
	}
	return names
}

// MarshalJSON writes {"format": 1, "priors": …, "subjects": {"0": a summary, …}}: the record of the fit, then each subject's
// summary. If a subject is missing, it adds "partial": true.
func (s Subjects) MarshalJSON() ([]byte, error) {
	inner, err := Object(len(s.Kept), func(i int) (string, any) { return s.Kept[i].Label, s.Kept[i].JSON() })
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Format  int  `json:"format"`
		Partial bool `json:"partial,omitempty"`
		*Record
		Subjects json.RawMessage `json:"subjects"`
	}{Format, s.Partial, s.record(), inner})
}

// record returns the record of the fit of all subjects together; nil if no kept result has one.
func (s Subjects) record() *Record {
	if len(s.Kept) == 0 {
		return nil
	}
	return s.Kept[0].recordOfAll
}

// Object writes a JSON object of n fields in their order, which a map would not keep.
func Object(n int, field func(i int) (key string, value any)) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		key, value := field(i)
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), text...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// eachField calls read for each field of an object, in their order.
func eachField(text []byte, read func(key string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("%.20q: want an object", text)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := read(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}
