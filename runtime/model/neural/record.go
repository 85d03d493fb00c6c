package neural

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Format is the version of a teacher's folder.
const Format = 1

// Record is the content of teacher.json.
type Record struct {
	Format    int             `json:"format"`
	Kind      string          `json:"kind"` // spline, flow or lan: the kind of networks
	Model     string          `json:"model"`
	Text      string          `json:"text,omitempty"` // the model's definition in the language; "" for a built-in model
	Seed      uint64          `json:"seed"`
	Settings  json.RawMessage `json:"settings"`  // the settings of training
	Banks     []Bank          `json:"banks"`     // the files of simulated trials from which the teacher learned
	Simulated int             `json:"simulated"` // number of simulated trials, including those for validation and those that were dropped
	Stages    []Stage         `json:"stages"`    // the history of training: one stage for each network
	Report    []string        `json:"report"`    // warnings about the losses, in words; empty if all is well
	Seconds   float64         `json:"-"`         // duration of training in seconds; not stored, so that equal runs give equal bytes
}

// Bank identifies a bank, a file of simulated trials, by its settings and the SHA-256 sum of its numbers.
type Bank struct {
	Settings json.RawMessage `json:"settings"` // the bank's settings, as search/study/bank writes them
	Sum      string          `json:"sha256"`
	Kept     int             `json:"kept"` // number of trials
}

// Loss is a mean loss in nats per trial.
type Loss float64

// Stage is the history of a stage of training.
type Stage struct {
	Name       string  `json:"name"`
	Train      []Loss  `json:"train"`      // loss of each epoch on the training rows, while the weights change
	Validation []Loss  `json:"validation"` // loss of the validation rows after each epoch
	Best       int     `json:"best"`       // epoch of the lowest validation loss, counted from 0
	BestLoss   Loss    `json:"best_loss"`
	Seconds    float64 `json:"-"` // duration in seconds; stored only in checkpoints
}

// Lineage returns the SHA-256 sums of the weights of the teachers from which this one learned.
func (r *Record) Lineage() []string {
	var s struct {
		Sum string `json:"labels_sha256"`
	}
	if json.Unmarshal(r.Settings, &s) != nil || s.Sum == "" {
		return nil
	}
	return []string{s.Sum}
}

// Encode returns the content of teacher.json.
func (r *Record) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// decodeRecord reads and checks the content of teacher.json.
func decodeRecord(text []byte) (Record, error) {
	var r Record
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("not a teacher's record: %w", err)
	}
	if d.More() {
		return r, fmt.Errorf("not a teacher's record: more follows the first JSON value")
	}
	if r.Format != Format {
		return r, fmt.Errorf("format %d: this likc reads format %d", r.Format, Format)
	}
	return r, r.check()
}

// check returns an error for a record that no training writes.
func (r *Record) check() error {
	for i, h := range r.Stages {
		n := len(h.Train)
		switch {
		case len(h.Validation) != n:
			return fmt.Errorf("stage %d (%q): %d losses in training but %d in validation", i+1, h.Name, n, len(h.Validation))
		case h.Best < 0 || h.Best > max(0, n-1):
			return fmt.Errorf("stage %d (%q): best is epoch %d, counted from 0, of %d", i+1, h.Name, h.Best, n)
		}
	}
	if r.Simulated < 0 {
		return fmt.Errorf("simulated: %d trials", r.Simulated)
	}
	return nil
}
