package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/ssm"
	"likc/search/teacher"
	"likc/testdata"
)

// source is a model and the text that it came from.
type source struct {
	*expr.Model
	File    string // base name
	Text    string
	Builtin bool
	Exact   bool // the exact density of a sequential sampling model, or a teacher's: it has no expression

	Teacher *teacher.Opened // nil but for a teacher; see readLikelihood
}

// readModel finds MODEL: a .lik file, FILE#NAME for one model of several, or a built-in name.
func readModel(arg string) (source, error) {
	if arg == exactName {
		return exactModel()
	}
	path, name, _ := strings.Cut(arg, "#")
	text, builtin := testdata.Model(path)
	file := path + ".lik"
	if !builtin {
		b, err := reading(func() ([]byte, error) { return os.ReadFile(path) })
		switch {
		case os.IsNotExist(err) && !strings.ContainsAny(path, "./\\"):
			return source{}, fmt.Errorf("%s: no such model; built in are %s, %s", path, exactName, strings.Join(testdata.ModelNames(), ", "))
		case err != nil:
			return source{}, fmt.Errorf("%s: %w", path, plain(err))
		}
		text, file = string(b), path
	}
	models, err := syntax.Read(file, strings.NewReader(text))
	if err != nil {
		return source{}, err
	}
	m, err := pick(file, models, name)
	return source{Model: m, File: filepath.Base(file), Text: text, Builtin: builtin}, err
}

// exactName is the exact Wiener first-passage density.
const exactName = "ddm"

func exactModel() (source, error) {
	m, err := ssm.Lookup(exactName)
	if err != nil {
		return source{}, err
	}
	out := &expr.Model{Name: exactName, Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "choice"}
	for _, p := range m.Params {
		out.Params = append(out.Params, expr.Param{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	return source{Model: out, Builtin: true, Exact: true}, nil
}

// readExpression is readModel for commands that need an expression.
func readExpression(arg string) (source, error) {
	src, err := readModel(arg)
	if err == nil && src.Exact {
		err = fmt.Errorf("%s: an exact density, not an expression: there is nothing to compile; likc eval takes it", arg)
	}
	return src, err
}

// pick chooses the model called name, or the only one.
func pick(file string, models []*expr.Model, name string) (*expr.Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name || name == "" && len(models) == 1 {
			return m, nil
		}
		names = append(names, m.Name)
	}
	if name == "" {
		return nil, usagef("%s: holds %d models; write %s#NAME with one of %s", file, len(models), file, strings.Join(names, ", "))
	}
	return nil, usagef("%s: no model %s; it holds %s", file, name, strings.Join(names, ", "))
}

// plain drops the operation and the paths that os errors repeat, which may be those of hidden files.
func plain(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
