package judge

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
)

// Opener opens the model with a name, as [catalog.Open] does.
type Opener func(name string) (*catalog.Model, error)

// OfLine returns the candidate of a front's line, named FRONT:LINE.
func OfLine(l *front.Line) (Entry, error) {
	m, err := catalog.OfLine(l)
	name := strings.TrimSuffix(filepath.Base(l.File), ".jsonl")
	return Entry{Name: fmt.Sprintf("%s:%d", name, l.At), Model: m}, err
}

// OfModel returns the candidate with a model's name. The name of a teacher is its folder's path.
func OfModel(name string, open Opener) (Entry, error) {
	m, err := open(name)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Name: m.Name, Model: m}
	if m.Origin.Kind == catalog.Teacher && filepath.IsLocal(name) {
		e.Name = filepath.ToSlash(filepath.Clean(name))
	}
	return e, nil
}

// Read returns the candidates that command-line arguments name. A front, whose name ends in .jsonl, has one on each line; any other
// argument names a model. A front without an expression is an error that wraps [front.ErrNone], unless allowNone is set.
func Read(args []string, open Opener, allowNone bool) (all []Entry, err error) {
	for _, arg := range args {
		more, err := read(arg, open)
		if err != nil && !(allowNone && errors.Is(err, front.ErrNone)) {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func read(arg string, open Opener) ([]Entry, error) {
	if !strings.HasSuffix(arg, ".jsonl") {
		e, err := OfModel(arg, open)
		return []Entry{e}, err
	}
	lines, err := front.ReadFile(arg, catalog.Headers)
	all := make([]Entry, len(lines))
	for i := range lines {
		if all[i], err = OfLine(&lines[i]); err != nil {
			return nil, err
		}
	}
	return all, err
}

// Entry returns the candidate on which a verdict was given.
func (v *Verdict) Entry(open Opener) (Entry, error) {
	if v.Search == nil {
		return OfModel(v.Model, open)
	}
	l := v.Search.Line
	l.Expr, l.Size, l.Lambda, l.Seed, l.File, l.At = v.Expr, v.Size, v.Lambda, v.Seed, v.File, v.Line
	if err := l.Parse(catalog.Headers); err != nil {
		return Entry{}, err
	}
	e, err := OfLine(&l)
	e.Name = v.Model
	return e, err
}

// Best returns the candidates of the best verdicts, each form once: at most top, or all if top is not positive. It sorts the
// verdicts by rank.
func Best(verdicts []*Verdict, top int, open Opener) (all []Entry, err error) {
	Rank(verdicts)
	for _, v := range verdicts {
		if top > 0 && len(all) == top {
			break
		}
		if v.Duplicate > 0 {
			continue
		}
		e, err := v.Entry(open)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Model, err)
		}
		all = append(all, e)
	}
	return all, nil
}
