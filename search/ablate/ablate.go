// Package ablate asks what each part of a formula carries. It puts a number in the place of a part, judges what is left as
// package judge does, and compares it with the whole formula.
//
// The parts are the terms: all subtrees but conditions, single symbols and numbers, and the beginnings of longer sums and products.
// Equal subtrees are one term, replaced everywhere at once. The numbers are 0, 1 and the term's mean over the trials of the bank. A model
// that is normalised stays so: the integral is that of the formula without the term.
package ablate

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"likc/runtime/catalog"
	"likc/runtime/figure"
	"likc/search/bank"
	"likc/search/checks"
	"likc/search/judge"
)

// Settings are all that verdicts depend on but model and bank.
type Settings struct {
	Subjects     int    `json:"subjects"` // of the bank, the first ones; those of a smaller bank are all taken
	Chains       int    `json:"chains"`
	Warmup       int    `json:"warmup"`
	Draws        int    `json:"draws"`
	MaxGradients int    `json:"max_gradients"` // of a fit
	Seed         uint64 `json:"seed"`
	Leaves       bool   `json:"leaves,omitempty"` // whether single symbols and numbers are terms
}

// DefaultSettings judges as likc judge does, with fewer subjects and a lower limit, because many formulas without a term are hard to fit.
func DefaultSettings() Settings {
	s := judge.DefaultSettings()
	return Settings{Subjects: 40, Chains: s.Chains, Warmup: s.Warmup, Draws: s.Draws, MaxGradients: 30_000, Seed: s.Seed}
}

// Check says which setting cannot be. Errors begin with the name of its flag.
func (s *Settings) Check() error {
	return checks.InRange(
		checks.Bound{Name: "subjects", Value: s.Subjects, Low: 8, High: bank.MaxSubjects},
		checks.Bound{Name: "chains", Value: s.Chains, Low: 1, High: checks.MostChains},
		checks.Bound{Name: "warmup", Value: s.Warmup, Low: 1, High: checks.MostDraws},
		checks.Bound{Name: "draws", Value: s.Draws, Low: 4, High: checks.MostDraws},
		checks.Bound{Name: "max-gradients", Value: s.MaxGradients, Low: 100, High: 1_000_000_000})
}

// study is a formula, its replacements and what judges them.
type study struct {
	*formula
	replacements []replacement
	bank         *bank.Bank
	job          judge.Job // its entries are the forms
}

// Run judges a model without each of its terms on a bank, and writes the model's files: MODEL.jsonl with a verdict a line, as likc judge
// writes them, the whole formula's first; MODEL.json and MODEL.svg. Verdicts that are in MODEL.jsonl already are not made again.
func Run(ctx context.Context, m *catalog.Model, b *bank.Bank, s Settings, where checks.Settings) (*Summary, error) {
	st, err := newStudy(m, b, s)
	if err != nil {
		return nil, err
	}
	if err := st.judge(ctx, where); err != nil {
		return nil, err
	}
	sum := st.summarise(s)
	check := checks.New(where, "ablate", m, b.Settings, s)
	return sum, check.Write(sum, func() (*figure.Figure, error) { return st.draw(sum) })
}

// Count is how many formulas the ablation of a model judges.
func Count(m *catalog.Model, b *bank.Bank, s Settings) (int, error) {
	st, err := newStudy(m, b, s)
	if err != nil {
		return 0, err
	}
	return len(st.job.Entries), nil
}

func newStudy(m *catalog.Model, b *bank.Bank, s Settings) (*study, error) {
	f, err := newFormula(m, s.Leaves)
	if err != nil {
		return nil, err
	}
	whole := judge.Entry{Name: m.Name, Model: catalog.OfExpression(f.Model)}
	if err := judge.Check([]judge.Entry{whole}, b); err != nil {
		return nil, err
	}
	few := *b
	few.Subjects = b.Subjects[:min(s.Subjects, len(b.Subjects))]
	few.Settings.Subjects = len(few.Subjects)
	st := &study{formula: f, bank: &few}
	forms, replacements := f.replace(&few)
	var entries []judge.Entry
	for _, o := range forms {
		entries = append(entries, judge.Entry{Name: o.name, Model: catalog.OfExpression(o.model)})
	}
	st.replacements = replacements
	fits := judge.DefaultSettings()
	fits.Chains, fits.Warmup, fits.Draws, fits.Seed, fits.MaxGradients, fits.Fits = s.Chains, s.Warmup, s.Draws, s.Seed, s.MaxGradients, false
	fits.Reference = &judge.Reference{Entry: whole}
	st.job = judge.Job{Entries: entries, Bank: &few, Settings: fits, Hash: fits.Hash(&few, nil)}
	return st, nil
}

// judge fills in the job's verdicts.
func (st *study) judge(ctx context.Context, where checks.Settings) error {
	job := &st.job
	if job.Settings.Threads = where.Threads; where.Threads == 0 {
		job.Settings.Threads = runtime.GOMAXPROCS(0)
	}
	if where.Folder != "" {
		job.Output = filepath.Join(where.Folder, st.Name+".jsonl")
	}
	if where.Progress != nil {
		job.Settings.Progress = func(done, of int) { where.Progress(st.Name, "fits", done, of) }
	}
	switch {
	case where.Part.N > 0:
		job.Entries = judge.PartOf(job.Entries, where.Part)
		return cmp.Or(job.Run(ctx), checks.ErrPart)
	case where.Elsewhere != nil:
		return job.Merge(func() (files []string, err error) {
			folders, err := where.Elsewhere()
			for _, dir := range folders {
				files = append(files, filepath.Join(dir, st.Name+".jsonl"))
			}
			return files, err
		})
	}
	err := job.Run(ctx)
	of := len(job.Entries)
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case job.Output == "":
		return fmt.Errorf("interrupted: %s: %d of %d candidates were judged, and nothing is kept without -o DIR", st.Name, len(job.Verdicts), of)
	}
	return fmt.Errorf("interrupted: %s: %d of %d candidates are kept in %s; run the same command again to go on", st.Name, len(job.Verdicts), of, job.Output)
}
