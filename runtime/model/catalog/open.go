package catalog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/front"
	"likc/runtime/model/neural"
	"likc/runtime/model/process"
	"likc/runtime/sys/store"
	"likc/testdata"
)

// Open opens the model that MODEL names. MODEL is a built-in name, a .lik file, FILE#NAME for one model of several,
// FRONT.jsonl#LINE for an expression of a front (a search's list of its best), or the folder of a teacher (a trained network).
// Errors name the file and the position in it.
func Open(arg string) (*Model, error) { return open(arg, nil) }

// open opens a model as Open does. within lists the files that are being opened, because each of them calls a model of the next: a
// cycle is refused.
func open(arg string, within []string) (*Model, error) {
	path, part, _ := strings.Cut(arg, "#")
	switch {
	case path == "-":
		return fromInput(part)
	case processNamed(arg) != nil:
		return ofProcess(processNamed(arg))
	case strings.HasSuffix(path, ".jsonl"):
		return fromFront(path, part)
	case isTeacher(arg):
		return fromTeacher(arg)
	}
	text, builtin := testdata.Model(path)
	if !builtin {
		text, builtin = numericalText(path)
	}
	file := path + ".lik"
	if !builtin {
		b, err := readFile(path)
		switch {
		case os.IsNotExist(err) && !strings.ContainsAny(path, "./\\"):
			if processNamed(path) != nil {
				return nil, ChoiceError{fmt.Errorf("%s: %s is one model; write %s alone", arg, path, path)}
			}
			return nil, noModel(path)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, store.Cause(err))
		}
		if err := neural.BareWeights(path, b); err != nil {
			return nil, err
		}
		text, file = string(b), path
	}
	c := calleesOf("")
	if !builtin {
		c = calleesOf(file)
		c.within = slices.Concat(within, c.within)
	}
	models, err := syntax.ReadWith(file, strings.NewReader(text), c.library())
	if err != nil {
		return nil, err
	}
	m, err := pick(file, models, part)
	if err != nil {
		return nil, err
	}
	return ofExpression(m, Origin{Builtin: builtin, File: filepath.Base(file), Text: text}, c)
}

// readFile reads the text of a model from a file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readText(f)
}

// readText reads at most one byte more than a model's text may have, so that the parser can refuse a longer text.
func readText(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, syntax.MaxBytes+1)) }

// fromInput reads a model from standard input.
func fromInput(part string) (*Model, error) {
	const name = "standard input"
	b, err := readText(os.Stdin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, store.Cause(err))
	}
	c := calleesOf("")
	models, err := syntax.ReadWith(name, bytes.NewReader(b), c.library())
	if err != nil {
		return nil, err
	}
	m, err := pick("-", models, part)
	if err != nil {
		return nil, err
	}
	return ofExpression(m, Origin{File: m.Name + ".lik", Text: string(b)}, c)
}

// Parse parses a text with one model. Errors call it "model".
func Parse(text string) (*Model, error) {
	c := calleesOf("")
	models, err := syntax.ReadWith("model", strings.NewReader(text), c.library())
	if err != nil {
		return nil, err
	}
	if len(models) != 1 {
		return nil, fmt.Errorf("model: the text holds %d models; want one", len(models))
	}
	return ofExpression(models[0], Origin{File: models[0].Name + ".lik", Text: text}, c)
}

// ChoiceError is the error that a file holds several models and no name was given, or that it has no model with the given name.
type ChoiceError struct{ error }

// pick returns the model called name, or the only one.
func pick(file string, models []*expr.Model, name string) (*expr.Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name || name == "" && len(models) == 1 {
			return m, nil
		}
		names = append(names, m.Name)
	}
	if name == "" {
		return nil, ChoiceError{fmt.Errorf("%s: holds %d models; write %s#NAME with one of %s", file, len(models), file, strings.Join(names, ", "))}
	}
	return nil, ChoiceError{fmt.Errorf("%s: no model %s; it holds %s", file, name, strings.Join(names, ", "))}
}

// fromFront opens an expression of a front, given the number of its line, from 1. The model's name contains both: FRONT_3.
func fromFront(path, line string) (*Model, error) {
	lines, err := front.ReadFile(path, Headers)
	if err != nil {
		return nil, err
	}
	at, err := strconv.Atoi(line)
	for i := range lines {
		if err == nil && lines[i].At == at {
			m, err := OfLine(&lines[i])
			if err != nil {
				return nil, err
			}
			return m.Renamed(fmt.Sprintf("%s_%d", strings.TrimSuffix(filepath.Base(path), ".jsonl"), at)), nil
		}
	}
	return nil, ChoiceError{fmt.Errorf("%s: line %q: write %s#LINE with the number of a line, 1 to %d", path, line, path, lines[len(lines)-1].At)}
}

// OfLine returns the model of a line that was read from a front.
func OfLine(l *front.Line) (*Model, error) {
	m, err := ofExpression(l.Parsed, Origin{File: filepath.Base(l.File), Text: l.Expr, Line: l}, calleesOf(""))
	if err != nil || l.Text == "" {
		return m, err
	}
	p, err := process.Of(l.Model, l.Text)
	if err != nil {
		return nil, err
	}
	m.simulator, m.Origin.Kind = &Simulator{Process: p}, Formula
	return m, nil
}

// ofExpression makes a model from an expression. It returns an error if the declared simulator is unknown, or if the expression
// would use a missing response time.
func ofExpression(m *expr.Model, from Origin, c *callees) (*Model, error) {
	out := &Model{Model: m, Origin: from}
	err := checkMissing(m)
	if err == nil {
		err = out.declareSimulator()
	}
	if err == nil {
		err = out.call(c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: model %s: %w", from.File, m.Name, err)
	}
	out.Origin.Kind = Closed
	switch {
	case m.Called != nil || m.Outer != nil && m.Simulator == nil:
		out.Origin.Kind = out.kindOfCallees()
		out.adoptSimulator()
		return out, nil
	case m.Evidence != nil, m.LogLik == nil:
		if err := out.declared(); err != nil {
			return nil, fmt.Errorf("%s: %w", from.File, err)
		}
		return out, nil
	}
	if m.Simulator != nil && !(from.Builtin && m.Name == m.Simulator.Name) {
		out.Origin.Kind = Formula
	}
	return out, nil
}

// declareSimulator sets the simulator that the model declares, if any.
func (m *Model) declareSimulator() (err error) {
	declared := m.Model.Simulator
	if declared == nil {
		return nil
	}
	if m.session = sessions[declared.Name]; m.session != nil {
		return m.session.admits(m.Model)
	}
	m.simulator, err = newSimulator(m.Model)
	return err
}

// OfExpression returns a model that a program made. It comes from no file, and has no simulator.
func OfExpression(m *expr.Model) *Model {
	own := *m
	own.Simulator = nil
	return &Model{Model: &own, Origin: Origin{Kind: Closed, File: m.Name + ".lik"}}
}

// Renamed returns the model under another name. Characters that are invalid in an identifier become underscores, and a name that
// does not begin with a letter gets an m before it.
func (m *Model) Renamed(name string) *Model {
	header, out := *m.Model, *m
	header.Name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if c := header.Name[:1]; c == "_" || c >= "0" && c <= "9" {
		header.Name = "m" + header.Name
	}
	out.Model, out.Origin.File = &header, header.Name+".lik"
	return &out
}
