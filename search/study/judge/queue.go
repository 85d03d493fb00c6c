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
	"likc/search/study/banked"
)

// hopeless is the number of subjects after which a candidate is given up if none of them, the first ones, could be fitted.
const hopeless = 8

// fitting holds a candidate's fits so far.
type fitting struct {
	fitter   study.Fitter
	columns  []int // the parameters' columns in the bank
	fits     []Fit
	finished []bool
	prefix   int // number of subjects before the first one whose fit is not finished
	failed   int // number of failed fits among these
	decided  atomic.Bool
}

// finish stores the fit of subject i and reports whether the candidate is now decided. A candidate is given up if none of the
// first few subjects could be fitted, or if half of all subjects could not be fitted. Only the fits before that point count, in
// the order of subjects, so that the verdict does not depend on the speed of threads.
func (t *fitting) finish(i int, f Fit) bool {
	t.fits[i], t.finished[i] = f, true
	if t.decided.Load() {
		return false
	}
	for t.prefix < len(t.fits) && t.finished[t.prefix] {
		if t.fits[t.prefix].Error != "" {
			t.failed++
		}
		t.prefix++
		if t.failed == t.prefix && t.prefix == hopeless || 2*t.failed >= len(t.fits) || t.prefix == len(t.fits) {
			t.decided.Store(true)
			return true
		}
	}
	return false
}

// queue is both the source and the fitter of the fits of several candidates on one bank. Fits are ordered by candidate and then
// by subject. It passes verdicts to done in the order of candidates.
type queue struct {
	study.Source
	bank       *bank.Bank
	settings   Settings
	codes      []float64 // codes of the bank's choices
	candidates []Candidate
	fittings   []*fitting
	done       func(i int, v *Verdict) error
	fail       context.CancelCauseFunc

	mu      sync.Mutex
	handed  int              // number of verdicts that were passed to done
	waiting map[int]*Verdict // verdicts of later candidates, which wait for an earlier one
}

// fitAll fits all subjects with all candidates on several threads, and passes each verdict to done, in the order of candidates. It
// stops at the first error of done, or when the context ends.
func fitAll(ctx context.Context, candidates []Candidate, b *bank.Bank, s Settings, done func(i int, v *Verdict) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := &queue{Source: banked.Source(b), bank: b, settings: s, codes: codes(b), candidates: candidates, done: done, fail: cancel, waiting: map[int]*Verdict{}}
	for _, c := range candidates {
		columns, err := truthColumns(c, b)
		if err != nil {
			return err
		}
		n := len(b.Subjects)
		q.fittings = append(q.fittings, &fitting{fitter: s.fitter(c.Bind), columns: columns, fits: make([]Fit, n), finished: make([]bool, n)})
	}
	check := study.InMemory(max(s.Threads, 1))
	if s.Progress != nil {
		check.Progress = func(_, _ string, done, total int) { s.Progress(done, total) }
	}
	_, err := study.Run(ctx, check, q, q, q.record)
	return cmp.Or(context.Cause(ctx), err) // the last call of done may fail after the last fit
}

// N returns the number of fits.
func (q *queue) N() int { return len(q.fittings) * q.Source.N() }

// Case returns subject i%n of a bank with n subjects, the same for every candidate.
func (q *queue) Case(ctx context.Context, i int) (study.Case, error) {
	return q.Source.Case(ctx, i%q.Source.N())
}

// Fit fits a subject with a candidate, unless the candidate is already decided.
func (q *queue) Fit(ctx context.Context, c *study.Case) (f *study.Fitted, err error) {
	t := q.fittings[c.Index/q.Source.N()]
	if t.decided.Load() {
		return nil, nil
	}
	runtime.LockOSThread() // the thread's processor time is measured
	defer runtime.UnlockOSThread()
	defer func() {
		if panicked := recover(); panicked != nil { // one candidate's broken code must not end a run of thousands
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return t.fitter.Fit(ctx, c)
}

// record stores a fit, and passes on the verdicts that are decided.
func (q *queue) record(c *study.Case, f *study.Fitted) struct{} {
	number, subject := c.Index/q.Source.N(), c.Index%q.Source.N()
	t := q.fittings[number]
	runtime.LockOSThread() // the thread's processor time is measured
	fit := newFit(t.columns, q.codes, c, f)
	runtime.UnlockOSThread()
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.finish(subject, fit) {
		q.waiting[number] = newVerdict(q.candidates[number], q.bank, t.columns, t.fits[:t.prefix], q.settings)
		t.fits = make([]Fit, len(t.fits)) // drops later fits, which do not count
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
