package judge

import (
	"fmt"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/bound"
	"likc/runtime/sys/interrupt"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// entries reads the candidates to judge: the best of earlier verdicts, then models and fronts in the order of the arguments.
func (f *judgeFlags) entries(args []string) (all []judge.Entry, err error) {
	if f.From != "" {
		verdicts, err := cli.ReadVerdicts(f.From)
		if err != nil {
			return nil, err
		}
		if all, err = judge.Best(verdicts, f.Top, cli.ReadModel); err != nil {
			return nil, fmt.Errorf("%s: %w", f.From, err)
		}
	}
	named, err := interrupt.WhileReading(func() ([]judge.Entry, error) { return judge.Read(args, cli.ReadModel, f.AllowEmpty) })
	if err != nil {
		return nil, err
	}
	all = append(all, named...)
	return all, f.checkEngine(all)
}

// readReference opens the model that candidates are compared with; nil for none.
func (f *judgeFlags) readReference(all []judge.Entry, b *bank.Bank) (*judge.Reference, error) {
	if f.Reference == "" {
		return nil, nil
	}
	e, err := interrupt.WhileReading(func() (judge.Entry, error) { return judge.OfModel(f.Reference, cli.ReadModel) })
	if err != nil {
		return nil, fmt.Errorf("--reference %w", err)
	}
	if err := judge.Check([]judge.Entry{e}, b); err != nil {
		return nil, fmt.Errorf("--reference: %w", err)
	}
	r := &judge.Reference{Entry: e}
	return r, judge.CheckReference(r, all)
}

// checkEngine returns an error if an engine for expressions is chosen for a model that is no expression.
func (f *judgeFlags) checkEngine(all []judge.Entry) error {
	for _, entry := range all {
		if _, ok := entry.Model.Expression(); !ok && f.Engine != "" {
			return cli.Usagef("--engine %s: %s and %w; leave the flag out", f.Engine, entry.Model.What(), bound.ErrOneEngine)
		}
	}
	return nil
}
