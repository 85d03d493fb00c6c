package judge

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"likc/runtime/sys/workers"
	"likc/search/study/bank"
)

// hopeless is the number of subjects, from the first on, after which a candidate that could fit none is given up.
const hopeless = 8

// trial is a candidate on trial: the fits that it has so far.
type trial struct {
	candidate Candidate
	columns   []int
	fits      []Fit
	finished  []bool
	prefix    int // fits that are finished from the first on
	failed    int // those among them that failed
	over      atomic.Bool
}

// finish enters a fit and says whether it was the one that decided the trial. A candidate is given up if none of the first
// few subjects could be fitted, or not half of all, which decides its verdict. Only the fits before that point count, in
// the order of subjects, so that the verdict does not depend on which thread was faster.
func (t *trial) finish(i int, f Fit) bool {
	t.fits[i], t.finished[i] = f, true
	if t.over.Load() {
		return false
	}
	for t.prefix < len(t.fits) && t.finished[t.prefix] {
		if t.fits[t.prefix].Err != nil {
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

// judgeAll fits all subjects with all candidates on several threads, and hands out verdicts in the order of candidates. It
// ends with the first error of done, or when the context does.
func judgeAll(ctx context.Context, candidates []Candidate, b *bank.Bank, s Settings, done func(i int, v *Verdict) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := &queue{bank: b, settings: s, done: done, waiting: map[int]*Verdict{}, fail: cancel}
	for _, c := range candidates {
		columns, err := truthColumns(c, b)
		if err != nil {
			return err
		}
		n := len(b.Subjects)
		q.trials = append(q.trials, &trial{candidate: c, columns: columns, fits: make([]Fit, n), finished: make([]bool, n)})
	}
	n, threads := len(candidates)*len(b.Subjects), max(s.Threads, 1)
	all := make([]worker, workers.Threads(n, threads))
	for i := range all {
		all[i].settings, all[i].codes = s, codes(b)
	}
	workers.Do(ctx, n, threads, func(worker, unit int) { q.work(ctx, &all[worker], unit) })
	return context.Cause(ctx)
}

// queue has the units of work: subject by subject, candidate by candidate.
type queue struct {
	bank     *bank.Bank
	settings Settings
	trials   []*trial
	done     func(i int, v *Verdict) error
	fail     context.CancelCauseFunc

	mu      sync.Mutex
	count   int
	handed  int              // verdicts that were given to done
	waiting map[int]*Verdict // those that came before their turn
}

// work does one unit: a fit, unless its candidate's trial is over.
func (q *queue) work(ctx context.Context, w *worker, unit int) {
	runtime.LockOSThread() // for threadSeconds
	defer runtime.UnlockOSThread()
	c, i := unit/len(q.bank.Subjects), unit%len(q.bank.Subjects)
	t := q.trials[c]
	var f Fit
	if !t.over.Load() {
		if f = w.fit(ctx, t.candidate, q.bank.Subjects[i], t.columns); ctx.Err() != nil {
			return
		}
	}
	q.enter(c, i, f)
}

// enter takes a fit in, and hands out the verdicts that are due.
func (q *queue) enter(c, i int, f Fit) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.trials[c]
	if t.finish(i, f) {
		q.waiting[c] = newVerdict(t.candidate, q.bank, t.columns, t.fits[:t.prefix], q.settings)
		t.fits = make([]Fit, len(t.fits)) // late ones go nowhere
	}
	q.count++
	if q.settings.Progress != nil {
		q.settings.Progress(q.count, len(q.trials)*len(q.bank.Subjects))
	}
	for v := q.waiting[q.handed]; v != nil; v = q.waiting[q.handed] {
		delete(q.waiting, q.handed)
		if err := q.done(q.handed, v); err != nil {
			q.fail(err)
			return
		}
		q.handed++
	}
}
