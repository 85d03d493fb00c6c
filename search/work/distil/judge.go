package distil

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/model/timing"
	"likc/runtime/sys/workers"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// shown is a candidate with what the judge found of it.
type shown struct {
	candidate
	verdict *judge.Verdict // on the subjects by which one was chosen
}

// chosen is the formula that is written.
type chosen struct {
	shown
	final *judge.Verdict // on subjects of its own; nil where nothing was judged
	spent float64        // seconds of a processor that judging took
}

// roles are those of the banks by which a formula is chosen, and on which it is judged again.
var roles = [2]string{"test-60", "holdout-90"}

// judge chooses the shortest honest formula, and judges it again on subjects of its own. Without an honest one it is the shortest undecided
// one, else the nearest.
func (r *run) judge(ctx context.Context, all []candidate) (*chosen, error) {
	started := timing.ProcessSeconds()
	if r.Subjects == 0 || r.simulator() == "" {
		return &chosen{shown: shown{candidate: all[len(all)-1]}}, nil
	}
	verdicts, err := r.judged(ctx, all, 0, verdictsFile)
	if err != nil {
		return nil, err
	}
	for i, c := range all {
		r.shown = append(r.shown, shown{c, verdicts[i]})
	}
	best := &chosen{shown: r.best()}
	final, err := r.judged(ctx, []candidate{best.candidate}, 1, finalFile)
	if err != nil {
		return nil, err
	}
	best.final, best.spent = final[0], timing.ProcessSeconds()-started
	return best, nil
}

// best is the first of the shown candidates that is honest, else the first undecided one, else the last.
func (r *run) best() shown {
	for _, wanted := range []honesty.Verdict{honesty.Honest, honesty.Undecided} {
		for _, s := range r.shown {
			if s.verdict.Honest == wanted {
				return s
			}
		}
	}
	return r.shown[len(r.shown)-1]
}

// simulator is the process that makes subjects, "" for none.
func (r *run) simulator() string {
	if s, ok := r.model.Simulator(); ok && s.Process != nil {
		return s.Process.Name
	}
	return ""
}

// judged judges candidates on the k-th bank beside the model itself.
func (r *run) judged(ctx context.Context, all []candidate, k int, file string) ([]*judge.Verdict, error) {
	b, err := r.bank(ctx, k)
	if err != nil {
		return nil, err
	}
	entries := make([]judge.Entry, len(all))
	for i, c := range all {
		var text strings.Builder
		if err := catalog.WriteModel(&text, c.model); err != nil {
			return nil, err
		}
		m, err := catalog.Parse(text.String())
		if err != nil {
			return nil, err
		}
		entries[i] = judge.Entry{Name: c.model.Name, Model: m}
	}
	s := judge.DefaultSettings()
	s.Threads, s.Fits = workers.Threads(r.Subjects, r.Threads), false
	s.Seed = r.Seed
	s.Progress = r.progress([2]string{"judge", "judge the chosen"}[k])
	s.Reference = &judge.Reference{Entry: judge.Entry{Name: r.model.Name, Model: r.model}}
	if err := errors.Join(judge.Check(entries, b), judge.CheckReference(s.Reference, entries)); err != nil {
		return nil, err
	}
	job := &judge.Job{Entries: entries, Bank: b, Settings: s, Hash: s.Hash(b, nil), Output: r.path(file)}
	err = job.Run(ctx)
	if errors.Is(err, judge.ErrOther) {
		if err := os.Remove(r.path(file)); err != nil {
			return nil, err
		}
		err = job.Run(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return job.Verdicts, nil
}

// bank simulates the subjects of the k-th bank over the model's ranges.
func (r *run) bank(ctx context.Context, k int) (*bank.Bank, error) {
	s, err := bank.NewSettings(roles[k], r.simulator(), "", r.Seed+1_000_003)
	if err != nil {
		return nil, err
	}
	s.Subjects = r.Subjects
	s.SetTrials(r.Trials)
	return bank.Make(ctx, s, workers.Threads(r.Subjects, r.Threads))
}
