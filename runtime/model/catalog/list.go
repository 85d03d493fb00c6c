package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"likc/runtime/model/ssm"
	"likc/testdata"
)

// BuiltinNames returns the names of the models that come with the program: processes without an expression, then
// expressions, then those that are divided by their integrals.
func BuiltinNames() []string {
	var names []string
	for _, name := range ssm.Names() {
		if _, closed := testdata.Model(name); !closed {
			names = append(names, name)
		}
	}
	return slices.Concat(names, testdata.ModelNames(), testdata.DensityNames())
}

// All returns the models that come with the program, in the order of BuiltinNames.
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

// Learners returns the models with states that come with the program, in alphabetic order.
func Learners() ([]*Model, error) {
	var all []*Model
	for _, name := range testdata.LearnerNames() {
		m, err := Open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// sentenceEnd is where a sentence ends and something else begins, unlike the point of "eq. 6".
var sentenceEnd = regexp.MustCompile(`\. [^0-9]`)

// About says in a sentence what the model is: a process's mathematics, or the first sentence of the comment above an expression. An empty
// line of the comment ends the sentence too.
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

// Meaning says what a parameter means, "" where nobody has said.
func (m *Model) Meaning(param string) string {
	if m.session != nil {
		return m.session.Params[m.ParamIndex(param)].Meaning
	}
	if m.simulator == nil || m.simulator.values != nil {
		return ""
	}
	return m.simulator.Process.Params[m.ParamIndex(param)].Meaning
}

// Cites says who proposed the process that the model is, or whose density it is; "" for any other model.
func (m *Model) Cites() string {
	if m.session != nil {
		return m.session.Cites
	}
	if !m.Of(m.Name) {
		return ""
	}
	return m.simulator.Process.Cites
}

// Usable reports why a model has no likelihood: it is a process that only simulates. It names the command that trains one, where a
// teacher can learn the process.
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
