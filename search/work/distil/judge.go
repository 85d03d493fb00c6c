package distil

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/model/ssm"
	"likc/runtime/model/timing"
	"likc/runtime/num/stream"
	"likc/runtime/sys/workers"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// shown is a candidate with its verdict.
type shown struct {
	candidate
	verdict *judge.Verdict // verdict on the subjects used to choose the formula
}

// chosen is the formula that the distillation returns.
type chosen struct {
	shown
	final *judge.Verdict   // verdict on subjects that were not used to choose; nil if nothing was judged
	also  []*judge.Verdict // verdicts on further subjects with other numbers of trials
	spent float64          // processor time of judging, in seconds
}

// roles are the roles of two banks: the one used to choose a formula, and the one on which it is judged again.
var roles = [2]string{"test-60", "holdout-90"}

// round describes how some candidates are judged on one bank.
type round struct {
	bank   int    // index in roles
	trials int    // trials of a subject
	file   string // name of the file of verdicts
	stage  string // the name under which progress is shown

	sampled int // index of the candidate that is sampled; the others and the reference get weights on its draws
}

// judge chooses the shortest formula that is honest on both banks. If there is none, it chooses the shortest that is honest on the
// first bank, then the nearest undecided one, then the nearest.
func (r *run) judge(ctx context.Context, all []candidate) (*chosen, error) {
	started := timing.ProcessSeconds()
	if _, simulated := r.model.Simulator(); r.Subjects == 0 || !simulated || r.target.kind == trialsTarget {
		return &chosen{shown: shown{candidate: all[len(all)-1]}}, nil
	}
	usual, long := byLength(all)
	if err := r.judgeFirst(ctx, usual, verdictsFile); err != nil {
		return nil, err
	}
	if len(long) > 0 && !slices.ContainsFunc(r.shown, func(s shown) bool { return s.verdict.Honest == honesty.Honest }) {
		if err := r.judgeFirst(ctx, long, longFile); err != nil {
			return nil, err
		}
	}
	again := r.finalists()
	models := make([]candidate, len(again))
	for i, one := range again {
		models[i] = one.candidate
	}
	final, err := r.judged(ctx, models, round{1, r.Trials, finalFile, "judge the chosen", toSample(models)})
	if err != nil {
		return nil, err
	}
	first := max(0, slices.IndexFunc(final, func(v *judge.Verdict) bool { return v.Honest == honesty.Honest }))
	c := &chosen{shown: again[first], final: final[first]}
	for _, trials := range r.Also {
		one, err := r.judged(ctx, models[first:first+1], round{1, trials, fmt.Sprintf("final-%d.jsonl", trials), fmt.Sprintf("at %d trials", trials), 0})
		if err != nil {
			return nil, err
		}
		c.also = append(c.also, one[0])
	}
	c.spent = timing.ProcessSeconds() - started
	return c, r.dropFits()
}

// judgeFirst judges candidates on the first bank.
func (r *run) judgeFirst(ctx context.Context, some []candidate, file string) error {
	verdicts, err := r.judged(ctx, some, round{0, r.Trials, file, "judge", toSample(some)})
	if err != nil {
		return err
	}
	for i, c := range some {
		r.shown = append(r.shown, shown{c, verdicts[i]})
	}
	return nil
}

// These limit the length of formulas, as multiples of the nodes of the shortest candidate. Equal parts count once.
const (
	mostSampled = 2 // a longer one gets weights on the draws of another
	mostUsual   = 4 // a longer one is judged only if no shorter one is honest: it may be slower than the process's own density
)

// byLength divides candidates, the shortest first, into those of usual length and long ones.
func byLength(all []candidate) (usual, long []candidate) {
	n := within(all, mostUsual)
	return all[:n], all[n:]
}

// toSample returns the index of the candidate that is sampled: the nearest one that is not much longer than the shortest.
func toSample(all []candidate) int { return within(all, mostSampled) - 1 }

// within returns how many candidates have at most `times` as many nodes as the shortest, the first.
func within(all []candidate, times int) int {
	nodes := func(c candidate) int { return len(expr.Order(c.model.LogLik)) }
	n := slices.IndexFunc(all, func(c candidate) bool { return nodes(c) > times*nodes(all[0]) })
	if n < 0 {
		return len(all)
	}
	return n
}

// finalists returns the honest candidates, the shortest first; if there are none, the nearest undecided one; otherwise the nearest
// candidate.
func (r *run) finalists() (all []shown) {
	last := r.shown[len(r.shown)-1:]
	for i, s := range r.shown {
		switch s.verdict.Honest {
		case honesty.Honest:
			all = append(all, s)
		case honesty.Undecided:
			last = r.shown[i : i+1]
		}
	}
	if len(all) == 0 {
		return last
	}
	return all
}

// judged judges candidates. The reference is the model itself, with its numerical density if formulas are compared with that.
func (r *run) judged(ctx context.Context, all []candidate, on round) ([]*judge.Verdict, error) {
	b, err := r.bank(ctx, on.bank, on.trials)
	if err != nil {
		return nil, err
	}
	entries := make([]judge.Entry, len(all))
	for i, c := range all {
		m, err := parsed(c.model)
		if err != nil {
			return nil, err
		}
		entries[i] = judge.Entry{Name: c.model.Name, Model: m}
	}
	s := judge.DefaultSettings()
	s.Threads, s.Fits = workers.Threads(r.Subjects, r.Threads), false
	s.Seed = r.Seed
	s.Progress = r.progress(on.stage)
	s.Reference = &judge.Reference{Entry: judge.Entry{Name: r.model.Name, Model: r.model}, Proposal: &entries[on.sampled], Weighted: entries}
	if r.target.slow != nil {
		s.Reference.Entry, s.Reference.Slow = judge.Entry{Name: r.target.slow.Name, Model: r.target.slow}, true
	}
	if err := errors.Join(judge.Check(entries, b), judge.CheckReference(s.Reference, entries)); err != nil {
		return nil, err
	}
	job := &judge.Job{Entries: entries, Bank: b, Settings: s, Hash: s.Hash(b, nil), Output: r.path(on.file)}
	s.Reference.Stored = r.path(fitsFile + job.Hash + ".jsonl")
	err = job.Run(ctx)
	if errors.Is(err, judge.ErrOther) { // the file holds verdicts on other subjects or another formula
		job.Force = true
		err = job.Run(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return job.Verdicts, nil
}

// dropFits removes the files of fits. They are needed until all verdicts are stored: a run that goes on reads the finished verdicts again
// before it comes to the subjects that it had not finished.
func (r *run) dropFits() error {
	all, err := filepath.Glob(r.path(fitsFile + "*"))
	for _, path := range all {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// bank simulates the subjects of the k-th bank, each with the given number of trials, at parameters from the model's ranges. A bank has no
// trials of [bank.Latest] seconds or more, and densities know nothing of that: each missing trial is worth up to a nat against the true
// parameters. A subject who often takes so long would be estimated wrong by the exact density, too, and by a formula wrong elsewhere. So
// other subjects take the place of those of whom a trial is missing.
func (r *run) bank(ctx context.Context, k, trials int) (b *bank.Bank, err error) {
	for more := 1; more <= 4; more *= 2 {
		if b, err = r.simulate(ctx, k, more*r.Subjects, trials); err != nil {
			return nil, err
		}
		quick := slices.DeleteFunc(b.Subjects, func(s bank.Subject) bool { return s.Dropped > 0 })
		if len(quick) >= r.Subjects {
			b.Subjects, b.Settings.Subjects = quick[:r.Subjects], r.Subjects
			return b, nil
		}
	}
	return nil, fmt.Errorf("most subjects take %d s or longer in some trials: narrow the ranges of %s", bank.Latest, r.model.Name)
}

// simulate simulates subjects of the k-th bank. Package bank can only simulate processes that are part of likc; simulate does
// others itself.
func (r *run) simulate(ctx context.Context, k, subjects, trials int) (*bank.Bank, error) {
	simulator, _ := r.model.Simulator()
	simulator = simulator.From(ctx)
	threads := workers.Threads(subjects, r.Threads)
	if _, err := ssm.Lookup(simulator.Process.Name); err == nil {
		s, err := bank.NewSettings(roles[k], simulator.Process.Name, "", r.Seed+seedOfSubjects)
		if err != nil {
			return nil, err
		}
		s.Subjects = subjects
		s.SetTrials(trials)
		return bank.Make(ctx, s, threads)
	}
	how, scheme, err := simulator.Process.Scheme("")
	if err != nil {
		return nil, err
	}
	b := &bank.Bank{Subjects: make([]bank.Subject, subjects), Settings: bank.Settings{Role: roles[k], Model: r.model.Name, Seed: r.Seed + seedOfSubjects, Scheme: scheme,
		Step: how.Step, MaxTime: how.MaxTime, Subjects: subjects, Trials: trials, Simulated: trials}}
	for _, p := range r.model.Params {
		b.Settings.Params = append(b.Settings.Params, bank.Range{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	return b, workers.Try(ctx, subjects, threads, func(_ context.Context, i int) (err error) {
		b.Subjects[i], err = r.subject(simulator, how, trials, fmt.Sprintf("distil %s %d %d", roles[k], r.Seed, i))
		b.Subjects[i].ID = i
		return err
	})
}

// seedOfSubjects keeps the seeds of subjects different from those of searches.
const seedOfSubjects = 1_000_003

// subject simulates a subject: parameters uniform over the ranges, and the trials that a bank would keep. name determines the random
// numbers.
func (r *run) subject(simulator *catalog.Simulator, how ssm.Scheme, trials int, name string) (one bank.Subject, err error) {
	random := stream.Named(name)
	for _, p := range r.model.Params {
		one.Theta = append(one.Theta, p.Lower+(p.Upper-p.Lower)*random.Float64())
	}
	rt, choice := make([]float64, trials), make([]float64, trials)
	if err := simulator.Simulate(random, one.Theta, how, rt, choice); err != nil {
		return one, err
	}
	for i, x := range rt {
		if x > 0 && x < bank.Latest {
			one.RT, one.Choice = append(one.RT, x), append(one.Choice, choice[i])
		}
	}
	one.Dropped = trials - len(one.RT)
	return one, nil
}
