package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"likc/runtime/model/catalog"
	"likc/runtime/model/program"
	"likc/runtime/model/ssm"
	"likc/runtime/sys/interrupt"
	"likc/search/study/bank"

	"github.com/spf13/cobra"
)

// ExecFlags name the user's program that draws trials of a model that likc cannot simulate. If a command's settings embed these flags, the
// command's context holds the program.
type ExecFlags struct {
	Exec    string  `flag:"exec" value:"CMD" help:"CMD draws the trials of a model with neither loglik nor evidence: a program of yours (likc simulate --exec-template python)"`
	Silence float64 `flag:"exec-timeout" default:"60" in:"[0.1,86400]" value:"S" only:"exec" help:"seconds S that CMD may say nothing while it draws"`
}

// program returns the program that the flags name; nil for none.
func (f *ExecFlags) program() *program.Program {
	if f.Exec == "" {
		return nil
	}
	return program.New(f.Exec, time.Duration(f.Silence*float64(time.Second)))
}

// withProgram runs a command with the program that its flags name, and tells the user if the command never called the
// program.
func withProgram(s Runner, cmd *cobra.Command, args []string) error {
	flags, ok := s.(interface{ program() *program.Program })
	if !ok {
		return s.Run(cmd, args)
	}
	p := flags.program()
	if p == nil {
		return s.Run(cmd, args)
	}
	defer p.Close()
	cmd.SetContext(ssm.WithProgram(cmd.Context(), p))
	err := s.Run(cmd, args)
	if err == nil && !p.Asked() {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: --exec: the program was asked for nothing: the command drew no trials, or likc draws this model's itself\n")
	}
	return err
}

// ReadProcess returns the process that simulates trials of a model, as a function of the model's parameters. arg is the argument MODEL of
// a command: a name or a file.
func ReadProcess(arg string) (*ssm.Model, error) {
	p, m, err := ReadSimulated(arg)
	if m != nil {
		return nil, fmt.Errorf("%s: its trials depend on columns or on one another; want a model whose trials depend on parameters alone", m.Name)
	}
	return p, err
}

// ReadSimulated does what [ReadProcess] does. It returns the model itself instead of a process if the model's trials depend on columns or on one
// another.
func ReadSimulated(arg string) (*ssm.Model, *catalog.Model, error) {
	if session, ok := catalog.SessionNamed(arg); ok {
		return nil, nil, Usage(bank.NoSessions(session))
	}
	p, unknown := ssm.Lookup(arg)
	if unknown == nil {
		return p, nil, nil
	}
	m, err := interrupt.WhileReading(func() (*catalog.Model, error) { return catalog.Open(arg) })
	if errors.As(err, new(catalog.ChoiceError)) {
		return nil, nil, UsageError{err}
	}
	if err != nil && !strings.ContainsAny(arg, "./\\") {
		return nil, nil, Usage(unknown)
	}
	if err != nil {
		return nil, nil, err
	}
	_, dependent := m.Sequence()
	_, drawn := m.Simulator()
	switch {
	case dependent:
		return nil, m, nil
	case !drawn && m.Origin.Kind == catalog.Process:
		return nil, nil, fmt.Errorf("%s: its trials have other columns than response times and choices; want a model without", m.Name)
	}
	p, err = m.OwnProcess()
	return p, nil, err
}
