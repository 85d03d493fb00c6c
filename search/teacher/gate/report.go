package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// File is the name of a gate's report in a teacher's folder.
const File = "gate.json"

const format = "likc-gate/1"

// Report is what the gate found.
type Report struct {
	Format   string   `json:"format"`
	Model    string   `json:"model"`
	Teacher  string   `json:"teacher"` // SHA-256 of its weights
	Bank     string   `json:"bank"`    // SHA-256 of its numbers
	Role     string   `json:"role"`    // of the bank
	Settings Settings `json:"settings"`
	Pass     bool     `json:"pass"`
	Figures  []Figure `json:"figures"`
}

// Figure is one number of the gate.
type Figure struct {
	Name      string   `json:"name"`
	Meaning   string   `json:"meaning"`
	Value     *float64 `json:"value"`     // null if it was not run or is undefined
	Threshold *float64 `json:"threshold"` // null for a figure that is for information alone
	Above     bool     `json:"above"`     // whether the value must lie above the threshold; else below
	Pass      bool     `json:"pass"`
	Note      string   `json:"note,omitempty"`
}

// undefined says why a figure that was run has no value.
const undefined = "undefined"

// below is a figure that must lie below its threshold.
func below(name string, value, threshold float64, meaning string) Figure {
	return judged(name, value, threshold, false, meaning)
}

// above is a figure that must lie above its threshold.
func above(name string, value, threshold float64, meaning string) Figure {
	return judged(name, value, threshold, true, meaning)
}

func judged(name string, value, threshold float64, above bool, meaning string) Figure {
	f := Figure{Name: name, Meaning: meaning, Threshold: &threshold, Above: above}
	f.set(value)
	f.Pass = f.Value != nil && (above && value > threshold || !above && value < threshold)
	return f
}

// information is a figure that decides nothing.
func information(name string, value float64, meaning, note string) Figure {
	f := Figure{Name: name, Meaning: meaning, Pass: true, Note: note}
	f.set(value)
	return f
}

// notRun is a figure that was not asked for: it decides nothing, and says so.
func notRun(name, meaning, why string) Figure {
	return Figure{Name: name, Meaning: meaning, Pass: true, Note: "not run: " + why}
}

func (f *Figure) set(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		f.Note = undefined
		return
	}
	f.Value = &value
}

// String is the figure in a few words: what was found and what was wanted.
func (f Figure) String() string {
	value := undefined
	if f.Value != nil {
		value = fmt.Sprintf("%.4g", *f.Value)
	}
	switch {
	case strings.HasPrefix(f.Note, "not run"):
		return f.Name + " " + f.Note
	case f.Threshold == nil:
		return f.Name + " " + value
	case f.Above:
		return fmt.Sprintf("%s %s, want above %.4g", f.Name, value, *f.Threshold)
	}
	return fmt.Sprintf("%s %s, want below %.4g", f.Name, value, *f.Threshold)
}

// Failed names the figures that did not pass, with their values and thresholds.
func (r *Report) Failed() []string {
	var failed []string
	for _, f := range r.Figures {
		if !f.Pass {
			failed = append(failed, f.String())
		}
	}
	return failed
}

// Figure returns the named figure.
func (r *Report) Figure(name string) (Figure, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

// Encode writes the report as JSON.
func (r *Report) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// Decode reads a report, and settles whether it passes by its figures.
func Decode(text []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("not a gate's report: %w", err)
	}
	switch {
	case r.Format != format:
		return nil, fmt.Errorf("format %q: this likc reads %q", r.Format, format)
	case r.Pass != (len(r.Failed()) == 0) || len(r.Figures) == 0:
		return nil, errors.New("pass does not follow from the figures")
	}
	return &r, nil
}

// errorOf is nil for a report that passes.
func (r *Report) errorOf() error {
	if r.Pass {
		return nil
	}
	return fmt.Errorf("does not pass its gate: %s", strings.Join(r.Failed(), "; "))
}
