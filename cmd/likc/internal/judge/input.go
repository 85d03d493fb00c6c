package judge

import (
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/front"
	"likc/search/judge"
	"strings"
)

// entries reads what is to be judged: the best of earlier verdicts, then models and fronts in their order.
func (f *judgeFlags) entries(args []string) (all []judge.Entry, err error) {
	if f.from != "" {
		verdicts, err := cli.ReadVerdicts(f.from)
		if err != nil {
			return nil, err
		}
		if all, err = judge.Best(verdicts, f.top, cli.ReadModel); err != nil {
			return nil, fmt.Errorf("%s: %w", f.from, err)
		}
	}
	for _, arg := range args {
		more, err := f.argument(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, f.checkEngine(all)
}

// argument is a model, or the expressions of a front.
func (f *judgeFlags) argument(arg string) ([]judge.Entry, error) {
	if !strings.HasSuffix(arg, ".jsonl") {
		e, err := judge.OfModel(arg, cli.ReadModel)
		return []judge.Entry{e}, err
	}
	lines, err := cli.Reading(func() ([]front.Line, error) { return front.ReadFile(arg, catalog.Header) })
	if f.allowEmpty && errors.Is(err, front.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := make([]judge.Entry, len(lines))
	for i := range lines {
		if all[i], err = judge.OfLine(&lines[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkEngine refuses an engine of expressions for a model that is none.
func (f *judgeFlags) checkEngine(all []judge.Entry) error {
	e, err := engine.Parse(f.engine)
	if err != nil {
		return cli.Usagef("--engine %w", err)
	}
	for _, entry := range all {
		if _, ok := entry.Model.Expression(); !ok && e != engine.Auto {
			return cli.Usagef("--engine %s: %s and %w; leave the flag out", e, entry.Model.What(), engine.ErrOneEngine)
		}
	}
	return nil
}
