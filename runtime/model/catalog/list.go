package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"likc/runtime/model/ssm"
	"likc/testdata"
)

// BuiltinNames returns the names of the models that are part of the program: first processes without an expression, then
// expressions, then normalised expressions.
func BuiltinNames() []string {
	var names []string
	for _, name := range ssm.Names() {
		if _, closed := testdata.Model(name); !closed {
			names = append(names, name)
		}
	}
	return slices.Concat(names, testdata.ModelNames(), testdata.DensityNames())
}

// All returns the models that are part of the program, in the order of BuiltinNames.
func All() ([]*Model, error) {
	var all []*Model
	for _, name := range BuiltinNames() {
		m, err := Open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Learners returns the models with states that are part of the program, in alphabetic order.
func Learners() ([]*Model, error) { return openAll(testdata.LearnerNames()) }

// Processes returns the built-in models that define a process in the language: the models in files, and definitions of processes
// that also have a teacher.
func Processes() ([]*Model, error) {
	return openAll(slices.Concat(testdata.ProcessNames(), numericalNames()))
}

// openAll opens models by their names.
func openAll(names []string) ([]*Model, error) {
	var all []*Model
	for _, name := range names {
		m, err := Open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// sentenceEnd matches the end of a sentence, but not the point in "eq. 6".
var sentenceEnd = regexp.MustCompile(`\. [^0-9]`)

// About describes the model in a sentence: by the mathematics of a process, or by the first sentence of the comment above an
// expression. An empty line in the comment also ends the sentence.
func (m *Model) About() string {
	if m.Origin.Text == "" || m.Origin.Line != nil {
		if m.simulator != nil {
			return m.simulator.Process.Process
		}
		return ""
	}
	var words []string
	for line := range strings.Lines(m.Origin.Text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
		if !ok {
			break
		}
		fields := strings.Fields(comment)
		if len(fields) == 0 && len(words) > 0 {
			break
		}
		words = append(words, fields...)
	}
	text := strings.Join(words, " ")
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	return strings.TrimRight(text, ".")
}

// Meaning returns the meaning of a parameter, "" if it is not documented.
func (m *Model) Meaning(param string) string {
	if m.session != nil {
		return m.session.Params[m.ParamIndex(param)].Meaning
	}
	if m.simulator == nil || m.simulator.values != nil {
		return ""
	}
	return m.simulator.Process.Params[m.ParamIndex(param)].Meaning
}

// Conventions returns sentences on the parameters of a process with its own parameters, for readers who know other programs; ""
// for other models.
func (m *Model) Conventions() string {
	if m.simulator == nil || m.simulator.values != nil {
		return ""
	}
	return m.simulator.Process.Notes
}

// Cites names the authors of the model's process or density; "" for other models.
func (m *Model) Cites() string {
	if m.session != nil {
		return m.session.Cites
	}
	if !m.Of(m.Name) {
		return ""
	}
	return m.simulator.Process.Cites
}

// Usable returns an error for a model that has no likelihood, because it is a process that can only be simulated. If a teacher can
// learn the process, the error names the command that trains one.
func (m *Model) Usable() error {
	if m.Origin.Kind != Process {
		return nil
	}
	if m.undense != nil && (m.simulator == nil || m.simulator.Process.CheckTeachable() != nil) {
		return m.undense
	}
	if m.undense != nil {
		return fmt.Errorf("%w; likc teacher train --model %s -o DIR trains a likelihood", m.undense, m.Origin.File)
	}
	if m.simulator == nil {
		return fmt.Errorf("%s declares neither a loglik nor evidence: it has no likelihood until it has a teacher", m.Name)
	}
	if m.simulator.Process.Outside {
		return fmt.Errorf("%s declares neither a loglik nor evidence: it has no likelihood until it has a teacher: likc teacher train --model %s --exec CMD -o DIR", m.Name, m.Origin.File)
	}
	if m.simulator.Process.CheckTeachable() != nil {
		return fmt.Errorf("%s, and likc trains no teacher of such a process", m.What())
	}
	return fmt.Errorf("%s: train one with likc teacher train --model %s", m.What(), m.Name)
}
