package fit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/catalog"
	"likc/runtime/model/evidence"
	"likc/runtime/model/trials"
	"likc/runtime/num/finite"
	"likc/runtime/sys/version"
)

// Record is the part of summary.json that describes how a fit was made. [Spec.Record] makes it.
type Record struct {
	Priors      map[string]string   `json:"priors"`          // priors by name of a sampled parameter or of a coefficient, as texts for [posterior.ParsePrior]
	Ranges      map[string]Interval `json:"ranges"`          // ranges by name of a sampled parameter, before the data limit them
	Fixed       map[string]float64  `json:"fixed,omitempty"` // values by name of a parameter that is not sampled
	Data        *trials.Source      `json:"data,omitempty"`
	Notes       []string            `json:"notes,omitempty"`        // remarks on the data, one on each line: how columns were read, and which trials were dropped
	Sampler     *Sampler            `json:"sampler,omitempty"`      // nil for a posterior mode
	ModelSHA256 string              `json:"model_sha256,omitempty"` // SHA-256 of the model's text or of a teacher's weights; "" for an exact density
	ModelText   string              `json:"model_text,omitempty"`   // an expression that is not part of likc, in the language of models
	Process     string              `json:"process,omitempty"`      // equation and boundaries of a process that a model file declares, as a line of text
	Engine      string              `json:"engine,omitempty"`       // the engine that the user asked for; "" for the fastest
	Version     string              `json:"version"`                // version of likc
	CPU         string              `json:"cpu"`
	Command     []string            `json:"command,omitempty"` // the arguments of likc
}

// Interval is a range in JSON: [low, high], where null is an infinite end.
type Interval [2]finite.Number

// Sampler holds the sampler's settings, with the names of the flags.
type Sampler struct {
	Seed       uint64      `json:"seed"`
	Chains     int         `json:"chains"`
	Warmup     int         `json:"warmup"`
	Draws      int         `json:"draws"` // draws of each chain
	Delta      float64     `json:"adapt_delta"`
	MaxDepth   int         `json:"max_depth"`
	Metric     nuts.Metric `json:"metric"`
	SaveWarmup bool        `json:"save_warmup,omitempty"`
}

// Record completes a record in which the caller has set Data, Engine and Command. first is the study of the first subject.
func (s *Spec) Record(r Record, settings Settings, first *hierarchy.Study) *Record {
	r.Priors, r.Ranges = map[string]string{}, map[string]Interval{}
	for name, p := range first.Priors() {
		r.Priors[name] = p.String()
	}
	for _, p := range s.Params {
		if p.Fixed {
			if r.Fixed == nil {
				r.Fixed = map[string]float64{}
			}
			r.Fixed[p.Name] = p.Value
			continue
		}
		r.Ranges[p.Name] = Interval{finite.Number(p.Range.Low), finite.Number(p.Range.High)}
	}
	r.ModelSHA256, r.ModelText = s.Model.Origin.SHA256(), textOf(s.Model)
	if s.Model.Model.Evidence != nil {
		r.Process = evidence.Words(s.Model.Model)
	}
	r.Version, r.CPU = version.Get().Version, version.Machine()
	if !settings.Mode {
		r.Sampler = samplerOf(first.Settings(settings.Sampler))
	}
	return &r
}

// flagsWithoutEffect lists the flags of likc fit on which draws do not depend.
var flagsWithoutEffect = []string{"output", "threads", "json", "png", "no-figures", "all-figures", "no-loo", "predictive", "csv", "zarr", "resume", "data"}

// Key returns JSON of everything on which the draws depend: the record without the data's name and the notes, and without flags of
// its command that do not affect draws.
func (r *Record) Key() []byte {
	key := *r
	key.Notes = nil // notes contain the name of the file
	key.Command = slices.DeleteFunc(slices.Clone(r.Command), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		return strings.HasPrefix(arg, "--") && slices.Contains(flagsWithoutEffect, name)
	})
	if r.Data != nil {
		data := *r.Data
		data.File = ""
		key.Data = &data
	}
	text, err := json.Marshal(key)
	if err != nil {
		panic(err) // the record has no value that JSON cannot write
	}
	return text
}

func samplerOf(s nuts.Settings) *Sampler {
	return &Sampler{s.Seed, s.NumChains, s.NumWarmup, s.NumSamples, s.Delta, s.MaxDepth, s.Metric, s.SaveWarmup}
}

// textOf returns the expression of a model that is not part of likc, as a text of the language; "" for another model.
func textOf(m *catalog.Model) string {
	written, ok := m.Written()
	if !ok || m.Origin.Builtin {
		return ""
	}
	var b strings.Builder
	if catalog.WriteModel(&b, written) != nil {
		return "" // the language has no text for this model
	}
	return b.String()
}

// forSubject returns the record of one subject, which has fewer trials than the whole data.
func (r *Record) forSubject(s *Subject) *Record {
	if r == nil || r.Data == nil {
		return r
	}
	own, data := *r, *r.Data
	data.Used = s.Trials()
	own.Data = &data
	return &own
}

// PartOf makes the result belong to a fit of more subjects, whose record is given. The result keeps the record's field CPU of the
// processors that computed it.
func (r *Result) PartOf(all *Record) {
	own := r.record()
	if own == nil {
		return
	}
	joint := *all
	joint.CPU, own.Command = own.CPU, all.Command
	r.recordOfAll = &joint
}

// record returns the result's record; nil if it has none.
func (r *Result) record() *Record {
	switch {
	case r.Summary != nil:
		return r.Summary.Record
	case r.Mode != nil:
		return r.Mode.Record
	}
	return nil
}

// ReadRecord parses the record in a summary.json, of one subject or of many.
func ReadRecord(text []byte) (*Record, error) {
	if err := CheckSum(text); err != nil {
		return nil, err
	}
	var file struct {
		Format int `json:"format"`
		Record
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, errors.New("is not the summary of a fit: " + err.Error())
	}
	switch {
	case file.Format < 1:
		return nil, errors.New("is not the summary of a fit")
	case len(file.Command) < 3:
		return nil, errors.New("does not say how the fit came about: an older version of likc wrote it")
	}
	return &file.Record, nil
}

// Check returns an error if the model or the data have changed since the fit.
func (r *Record) Check(s *Spec, data *trials.Source) error {
	switch sum := s.Model.Origin.SHA256(); {
	case sum != r.ModelSHA256:
		return fmt.Errorf("model %s: it has changed since the fit: its SHA-256 is %.12s…, then it was %.12s…", s.Model.Name, sum, r.ModelSHA256)
	case r.Data != nil && data.SHA256 != r.Data.SHA256:
		return fmt.Errorf("%s: it has changed since the fit: its SHA-256 is %.12s…, then it was %.12s…", data.File, data.SHA256, r.Data.SHA256)
	}
	return nil
}

// IsPartial reports whether a summary.json says that a part of the fit is missing.
func IsPartial(text []byte) bool {
	var file struct {
		Partial bool `json:"partial"`
	}
	return json.Unmarshal(text, &file) != nil || file.Partial
}
