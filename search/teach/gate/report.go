package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// File is the name of a gate's report in a teacher's folder.
const File = "gate.json"

const format = "likc-gate/2"

// Report is the outcome of an examination.
type Report struct {
	Format   string   `json:"format"`
	Model    string   `json:"model"`
	Teacher  string   `json:"teacher"` // SHA-256 of the teacher's weights
	Bank     string   `json:"bank"`    // SHA-256 of the bank's numbers
	Role     string   `json:"role"`    // the role of the bank
	Subjects int      `json:"subjects"`
	Trials   int      `json:"trials"` // trials of each subject
	Settings Settings `json:"settings"`

	Weak []string `json:"weak,omitempty"` // parameters that the model declares weak: their recovery decides nothing

	Network *NetworkUsed `json:"network"` // the network that the teacher was compared with; null for none
	Pass    bool         `json:"pass"`    // whether every figure that was computed passed
	Lacks   []string     `json:"lacks"`   // checks that an admission requires and that were not run
	Figures []Figure     `json:"figures"`
}

// Figure is one measured number, with the threshold that it must pass.
type Figure struct {
	Name      string   `json:"name"`
	Meaning   string   `json:"meaning"`
	Value     *float64 `json:"value"`     // null if the figure was not computed or is undefined
	Threshold *float64 `json:"threshold"` // null for a figure that is only for information
	Above     bool     `json:"above"`     // whether the value must lie above the threshold; otherwise below
	Pass      bool     `json:"pass"`
	Note      string   `json:"note,omitempty"`
}

// undefined is the note of a figure that was computed but has no value.
const undefined = "undefined"

// below returns a figure whose value must lie below its threshold.
func below(name string, value, threshold float64, meaning string) Figure {
	return judged(name, value, threshold, false, meaning)
}

// above returns a figure whose value must lie above its threshold.
func above(name string, value, threshold float64, meaning string) Figure {
	return judged(name, value, threshold, true, meaning)
}

// judged returns a figure whose value must lie above the threshold, or below it, to pass.
func judged(name string, value, threshold float64, above bool, meaning string) Figure {
	f := Figure{Name: name, Meaning: meaning, Threshold: &threshold, Above: above}
	f.set(value)
	f.Pass = f.holds()
	return f
}

// holds reports whether the value is on the right side of the threshold, if there is one.
func (f Figure) holds() bool {
	switch {
	case f.Threshold == nil:
		return true
	case f.Value == nil:
		return false
	case f.Above:
		return *f.Value > *f.Threshold
	}
	return *f.Value < *f.Threshold
}

func (f Figure) notRun() bool { return f.Value == nil && strings.HasPrefix(f.Note, notRunNote) }

// notRunNote begins the note of a figure that was not run.
const notRunNote = "not run"

// information returns a figure that has no threshold and decides nothing.
func information(name string, value float64, meaning, note string) Figure {
	f := Figure{Name: name, Meaning: meaning, Pass: true, Note: note}
	f.set(value)
	return f
}

// notRun returns a figure that was not computed. It decides nothing; its note says why it was not computed.
func notRun(name, meaning, why string) Figure {
	return Figure{Name: name, Meaning: meaning, Pass: true, Note: notRunNote + ": " + why}
}

// set stores the value; a value that is NaN or infinite stays undefined.
func (f *Figure) set(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		f.Note = undefined
		return
	}
	f.Value = &value
}

// String returns the figure's name, value and threshold.
func (f Figure) String() string {
	value := undefined
	if f.Value != nil {
		value = fmt.Sprintf("%.4g", *f.Value)
	}
	switch {
	case f.notRun():
		return f.Name + " " + f.Note
	case f.Threshold == nil:
		return f.Name + " " + value
	case f.Above:
		return fmt.Sprintf("%s %s, want above %.4g", f.Name, value, *f.Threshold)
	}
	return fmt.Sprintf("%s %s, want below %.4g", f.Name, value, *f.Threshold)
}

// Failed returns the figures that did not pass, as text with values and thresholds.
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

// Decode reads a report. A report whose verdicts do not follow from its values is an error.
func Decode(text []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("not a gate's report: %w", err)
	}
	if r.Format != format {
		return nil, fmt.Errorf("format %.40q: this likc reads %q: examine the teacher again with likc teacher gate", r.Format, format)
	}
	if err := r.consistent(); err != nil {
		return nil, err
	}
	return &r, nil
}
