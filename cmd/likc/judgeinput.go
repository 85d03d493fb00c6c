package main

import (
	"likc/runtime/front"
	"likc/runtime/catalog"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"likc/compiler/expr"
	lik "likc/runtime/likelihood"
	"likc/runtime/load"
	"likc/runtime/posterior"
	"likc/search/bank"
	"likc/search/judge"
)

// entries reads what is to be judged: the best of earlier verdicts, then models and fronts in their order.
func (f *judgeFlags) entries(args []string) (all []judge.Entry, err error) {
	e := entryMaker{engine: f.engine, params: map[string]paramsFunc{}}
	if f.from != "" {
		if all, err = e.best(f.from, f.top); err != nil {
			return nil, err
		}
	}
	for _, arg := range args {
		if !strings.HasSuffix(arg, ".jsonl") {
			entry, err := e.model(arg)
			if err != nil {
				return nil, err
			}
			all = append(all, entry)
			continue
		}
		lines, err := reading(func() ([]front.Line, error) { return front.ReadFile(arg, catalog.Header) })
		if f.allowEmpty && errors.Is(err, front.ErrNone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range lines {
			all = append(all, e.line(&lines[i]))
		}
	}
	return all, nil
}

type paramsFunc func(bank.Subject) ([]posterior.Parameter, error)

// entryMaker gives candidates what depends on the model that they are of.
type entryMaker struct {
	engine string
	params map[string]paramsFunc // of fronts, by the name of the model
}

// model is a built-in model, one from a file, or a teacher, which is called by its folder's path.
func (e *entryMaker) model(arg string) (judge.Entry, error) {
	src, err := readLikelihood(arg)
	if err != nil {
		return judge.Entry{}, err
	}
	bind, err := binding(e.engine, src)
	entry := judge.Entry{Name: src.Name, Model: src.Model, Exact: src.Exact, Bind: bind, Params: rangesOf(src)}
	if src.Teacher != nil {
		entry.Sum = src.Teacher.Sum
		if filepath.IsLocal(arg) {
			entry.Name = filepath.ToSlash(filepath.Clean(arg))
		}
	}
	return entry, err
}

// line is an expression of a front.
func (e *entryMaker) line(l *front.Line) judge.Entry {
	src := source{Model: l.Parsed, Text: l.Expr, File: filepath.Base(l.File)}
	if e.params[l.Model] == nil {
		e.params[l.Model] = rangesOf(src)
	}
	name := strings.TrimSuffix(filepath.Base(l.File), ".jsonl")
	entry := judge.Entry{Name: fmt.Sprintf("%s:%d", name, l.At), Model: l.Parsed, Front: l, Params: e.params[l.Model]}
	if e.engine != "" && e.engine != "go" {
		entry.Bind, _ = binding(e.engine, src)
	}
	return entry
}

// best are the candidates of a file of verdicts with the largest weakest correlation, each form once.
func (e *entryMaker) best(path string, top int) ([]judge.Entry, error) {
	verdicts, err := readVerdicts(path)
	if err != nil {
		return nil, err
	}
	judge.Rank(verdicts)
	var all []judge.Entry
	for _, v := range verdicts {
		if len(all) == top {
			break
		}
		if v.Duplicate > 0 {
			continue
		}
		entry, err := e.again(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, v.Model, err)
		}
		all = append(all, entry)
	}
	return all, nil
}

func readVerdicts(path string) ([]*judge.Verdict, error) {
	return reading(func() ([]*judge.Verdict, error) { return judge.ReadFile(path) })
}

// again is the candidate of a verdict.
func (e *entryMaker) again(v *judge.Verdict) (judge.Entry, error) {
	if v.Search == nil {
		return e.model(v.Model)
	}
	l := v.Search.Line
	l.Expr, l.Size, l.Lambda, l.Seed, l.File, l.At = v.Expr, v.Size, v.Lambda, v.Seed, v.File, v.Line
	if err := l.Parse(catalog.Header); err != nil {
		return judge.Entry{}, err
	}
	entry := e.line(&l)
	entry.Name = v.Model
	return entry, nil
}

// binding is how an engine binds a model, nil if the judge is to compile it.
func binding(engine string, src *catalog.Model) (judge.Binding, error) {
	switch engine {
	case "", "go":
		if set := linked(src); set != nil && !src.Exact {
			return fromLinked(set, src.Name), nil
		}
		if !src.Exact {
			return nil, nil
		}
	case "tree", "ir", "bound":
	default:
		return nil, usagef("--engine %s: want tree, ir, bound or go", engine)
	}
	if src.Exact && engine != "" {
		return nil, usagef("--engine %s: %s and has one engine; leave the flag out", engine, whatExact(src))
	}
	return func(columns [][]float64, choice []float64) (lik.Likelihood, error) {
		return bind(engine, src, columns, choice)
	}, nil
}

func fromLinked(set load.Set, name string) judge.Binding {
	return func(columns [][]float64, choice []float64) (lik.Likelihood, error) {
		return set.Bind(name, columns, choice)
	}
}

// rangesOf gives ranges as a subject's trials leave them. A subject's are found once, for all candidates of the model.
func rangesOf(src *catalog.Model) paramsFunc {
	type found struct {
		params []posterior.Parameter
		err    error
	}
	var mu sync.Mutex
	known := map[int]found{}
	return func(s bank.Subject) ([]posterior.Parameter, error) {
		mu.Lock()
		defer mu.Unlock()
		if f, ok := known[s.ID]; ok {
			return f.params, f.err
		}
		f := found{}
		f.params, f.err = subjectParameters(src, s)
		known[s.ID] = f
		return f.params, f.err
	}
}

func subjectParameters(src *catalog.Model, s bank.Subject) ([]posterior.Parameter, error) {
	if len(src.Trials) != 1 || src.Trials[0] != "rt" {
		return nil, errors.New("a bank has rt alone")
	}
	var choice []float64
	if src.Choice != "" {
		choice = s.Choice
	}
	header := *src.Model
	header.LogLik, header.Lets = expr.Num(0), nil // ranges depend on the support alone
	src.Model = &header
	return src.Parameters(nil, [][]float64{s.RT}, choice)
}

// binder gives a function that binds trials, for a model that many sets of trials will be bound to: what needs building is
// built once.
func binder(engine string, src *catalog.Model) (open func(columns [][]float64, choice []float64) (bound, error), done func() error, err error) {
	plain := func(columns [][]float64, choice []float64) (bound, error) { return bind(engine, src, columns, choice) }
	if src.Exact || engine != "" && engine != "go" {
		return plain, func() error { return nil }, nil
	}
	var set load.Set
	if set = linked(src); set == nil {
		if set, err = buildSet(src); err != nil && engine == "" {
			return plain, func() error { return nil }, nil // no Go toolchain here: interpreted
		} else if err != nil {
			return nil, nil, err
		}
	}
	return func(columns [][]float64, choice []float64) (bound, error) {
		return wrap(set.Bind(src.Name, columns, choice))
	}, set.Close, nil
}
