package judge

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"likc/search/study"
	"likc/search/study/bank"
)

// hopeless is the number of subjects, from the first on, after which a candidate that could fit none is given up.
const hopeless = 8

// trial is a candidate on trial: the fits that it has so far.
type trial struct {
	fitter   study.Fitter
	columns  []int // the parameters' columns in the bank
	fits     []Fit
	finished []bool
	prefix   int // finished fits, counted from the first subject on
	failed   int // failed fits among these
	over     atomic.Bool
}

// finish enters a fit and reports whether it decided the trial. A candidate is given up if none of the first few subjects could be fitted, or
// not half of all, which decides its verdict. Only the fits before that point count, in the order of subjects, so that the verdict does not
// depend on which thread was faster.
func (t *trial) finish(i int, f Fit) bool {
	t.fits[i], t.finished[i] = f, true
	if t.over.Load() {
		return false
	}
	for t.prefix < len(t.fits) && t.finished[t.prefix] {
		if t.fits[t.prefix].Error != "" {
			t.failed++
		}
		t.prefix++
		if t.failed == t.prefix && t.prefix == hopeless || 2*t.failed >= len(t.fits) || t.prefix == len(t.fits) {
			t.over.Store(true)
			return true
		}
	}
	return false
}

// queue is the study of several candidates on one bank, subject by subject, candidate by candidate: its source and its fitter. It hands out
// verdicts in the order of candidates.
type queue struct {
	study.Source
	bank       *bank.Bank
	settings   Settings
	codes      []float64 // codes of the bank's choices
	candidates []Candidate
	trials     []*trial
	done       func(i int, v *Verdict) error
	fail       context.CancelCauseFunc

	mu      sync.Mutex
	handed  int              // verdicts that were given to done
	waiting map[int]*Verdict // verdicts that came before their turn
}

// fitAll fits all subjects with all candidates on several threads, and hands out verdicts in the order of candidates. It
// ends with the first error of done, or when the context does.
func fitAll(ctx context.Context, candidates []Candidate, b *bank.Bank, s Settings, done func(i int, v *Verdict) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := &queue{Source: study.OfBank(b), bank: b, settings: s, codes: codes(b), candidates: candidates, done: done, fail: cancel, waiting: map[int]*Verdict{}}
	for _, c := range candidates {
		columns, err := truthColumns(c, b)
		if err != nil {
			return err
		}
		n := len(b.Subjects)
		q.trials = append(q.trials, &trial{fitter: s.fitter(c.Bind), columns: columns, fits: make([]Fit, n), finished: make([]bool, n)})
	}
	check := study.InMemory(max(s.Threads, 1))
	if s.Progress != nil {
		check.Progress = func(_, _ string, done, total int) { s.Progress(done, total) }
	}
	_, err := study.Run(ctx, check, q, q, q.enter)
	return cmp.Or(context.Cause(ctx), err) // the last verdict may fail after the last fit
}

// N returns the number of fits.
func (q *queue) N() int { return len(q.trials) * q.Source.N() }

// Case returns a subject, the same for every candidate.
func (q *queue) Case(ctx context.Context, i int) (study.Case, error) {
	return q.Source.Case(ctx, i%q.Source.N())
}

// Fit fits a subject with a candidate, unless the candidate's trial is over.
func (q *queue) Fit(ctx context.Context, c *study.Case) (f *study.Fitted, err error) {
	t := q.trials[c.Index/q.Source.N()]
	if t.over.Load() {
		return nil, nil
	}
	runtime.LockOSThread() // for the thread's time
	defer runtime.UnlockOSThread()
	defer func() {
		if panicked := recover(); panicked != nil { // one candidate's broken code must not end a run of thousands
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return t.fitter.Fit(ctx, c)
}

// enter enters a fit, and hands out the verdicts that are due.
func (q *queue) enter(c *study.Case, f *study.Fitted) struct{} {
	number, subject := c.Index/q.Source.N(), c.Index%q.Source.N()
	t := q.trials[number]
	runtime.LockOSThread() // for the thread's time
	fit := newFit(t.columns, q.codes, c, f)
	runtime.UnlockOSThread()
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.finish(subject, fit) {
		q.waiting[number] = newVerdict(q.candidates[number], q.bank, t.columns, t.fits[:t.prefix], q.settings)
		t.fits = make([]Fit, len(t.fits)) // fits that come later do not count
	}
	for v := q.waiting[q.handed]; v != nil; v = q.waiting[q.handed] {
		delete(q.waiting, q.handed)
		if err := q.done(q.handed, v); err != nil {
			q.fail(err)
			break
		}
		q.handed++
	}
	return struct{}{}
}
