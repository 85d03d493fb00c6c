// Package ablate measures how much each term of a formula contributes to the recovery of parameters. It replaces a term by a number, judges
// the resulting formula as package judge does, and compares its errors with those of the whole formula.
//
// A term is a subtree of the formula. Conditions, single symbols, numbers, and the first parts of longer sums and products are not
// terms. Equal subtrees are one term, replaced everywhere at once. The numbers are 0, 1 and the term's mean over the trials of the
// bank. A normalised model stays normalised: it is divided by the integral of the formula without the term.
package ablate

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"

	"likc/runtime/model/catalog"
	"likc/runtime/sys/settings"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// Settings are everything on which verdicts depend, except the model and the bank.
type Settings struct {
	Subjects       int `json:"subjects" flag:"subjects" default:"40" in:"[8,16777216]" help:"the bank's first so many subjects"`
	study.Sampling `but:"warmup.in=[1,1000000] | draws.in=[4,1000000]"`
	MaxGradients   int    `json:"max_gradients" flag:"max-gradients" default:"30000" in:"[100,1000000000]" help:"most gradients of a fit, which is then judged by the draws it has"`
	Seed           uint64 `json:"seed" flag:"seed" default:"1" help:"seed of the fits"`
	Leaves         bool   `json:"leaves,omitempty" flag:"leaves" help:"single symbols and numbers are terms too"`
}

// DefaultSettings returns the settings of likc judge with fewer subjects and fewer gradients per fit, because many formulas without
// a term are hard to fit.
func DefaultSettings() Settings { return settings.Default[Settings]() }

// Check returns an error for the first setting outside its bounds. It begins with the name of its flag.
func (s *Settings) Check() error { return settings.Check(s) }

// ablation is a formula, its replacements and the job that judges them.
type ablation struct {
	*formula
	replacements []replacement
	bank         *bank.Bank
	job          judge.Job // one entry for each form, the whole formula first
}

// Run judges a model without each of its terms on a bank. It writes three files. MODEL.jsonl has a verdict on each line, as likc
// judge writes it, the whole formula's first. MODEL.json is the summary, and MODEL.svg the figure. Run skips formulas whose verdicts
// MODEL.jsonl already has.
func Run(ctx context.Context, m *catalog.Model, b *bank.Bank, s Settings, where study.Where) (*Summary, error) {
	st, err := newAblation(m, b, s)
	if err != nil {
		return nil, err
	}
	if err := st.judge(ctx, where); err != nil {
		return nil, err
	}
	sum := st.summarise(s)
	check := study.NewCheck(where, "ablate", "fits", m, b.Settings, s)
	return sum, check.Write(sum, func() (study.Drawing, error) { return st.draw(sum) })
}

// Count returns how many formulas the ablation of a model judges.
func Count(m *catalog.Model, b *bank.Bank, s Settings) (int, error) {
	st, err := newAblation(m, b, s)
	if err != nil {
		return 0, err
	}
	return len(st.job.Entries), nil
}

func newAblation(m *catalog.Model, b *bank.Bank, s Settings) (*ablation, error) {
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
	st := &ablation{formula: f, bank: &few}
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

// judge judges all forms and sets the job's verdicts.
func (st *ablation) judge(ctx context.Context, where study.Where) error {
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
	if where.Elsewhere != nil {
		job.Elsewhere = where.InFolders(st.Name + ".jsonl")
	}
	if where.Part.N > 0 {
		job.Entries = judge.PartOf(job.Entries, where.Part)
		return cmp.Or(job.Run(ctx), study.ErrPart)
	}
	err := job.Run(ctx)
	if err != nil && ctx.Err() != nil && job.Elsewhere == nil {
		return study.Interrupted(st.Name, "candidates", len(job.Verdicts), len(job.Entries), job.Output)
	}
	return err
}
