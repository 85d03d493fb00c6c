package cli

import (
	"errors"
	"fmt"
	"io"

	"likc/runtime/model/catalog"
	"likc/runtime/sys/interrupt"
	"likc/search/study/judge"
	"likc/search/teach/gate"
)

// ReadModel opens the model that the argument MODEL of a command names, as [catalog.Open] does. It refuses a model without a likelihood,
// whose trials can only be simulated.
func ReadModel(arg string) (*catalog.Model, error) {
	m, err := ReadDeclared(arg)
	if err == nil {
		err = m.Usable()
	}
	return m, err
}

// ReadDeclared opens a model as [ReadModel] does, but accepts one without a likelihood.
func ReadDeclared(arg string) (*catalog.Model, error) {
	m, err := interrupt.WhileReading(func() (*catalog.Model, error) { return catalog.Open(arg) })
	if errors.As(err, new(catalog.ChoiceError)) {
		return nil, UsageError{err}
	}
	return m, err
}

// ReadModels opens several models as [ReadModel] does.
func ReadModels(args []string) ([]*catalog.Model, error) {
	models := make([]*catalog.Model, len(args))
	for i, arg := range args {
		var err error
		if models[i], err = ReadModel(arg); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// ReadExpression does what [ReadModel] does, for commands that need an expression.
func ReadExpression(arg string) (*catalog.Model, error) {
	m, err := ReadModel(arg)
	if err == nil {
		err = CheckExpression(m)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// CheckExpression returns an error for a model that is no expression.
func CheckExpression(m *catalog.Model) error {
	if _, ok := m.Expression(); !ok {
		return fmt.Errorf("%s, expected an expression: a model that is written as a formula", m.What())
	}
	return nil
}

// NoteGate reports on stderr whether a teacher, which is a neural likelihood, passed its gate, the test of its accuracy. If it did not,
// NoteGate warns that estimates may be wrong. It prints nothing for other models.
func NoteGate(stderr io.Writer, m *catalog.Model, arg string) {
	t, ok := m.Teacher()
	if !ok {
		return
	}
	report, err := gate.Admitted(arg, t)
	if err != nil {
		fmt.Fprintf(stderr, "likc: note: %v: what is estimated with this teacher may be wrong\n", err)
		return
	}
	fmt.Fprintf(stderr, "likc: note: the likelihood of %s is a neural approximation, for its own ranges alone; at its gate %s%s\n", m.Name, report.Summary(), report.WeakNote())
}

// ReadVerdicts reads a file of verdicts that likc judge wrote. A verdict says how well an expression recovers parameters. An interrupt by
// the user stops the reading.
func ReadVerdicts(path string) ([]*judge.Verdict, error) {
	return interrupt.WhileReading(func() ([]*judge.Verdict, error) { return judge.ReadFile(path) })
}
