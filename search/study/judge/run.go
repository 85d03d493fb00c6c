package judge

import (
	"context"
	"time"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/timing"
	"likc/search/study"
	"likc/search/study/bank"
)

// Report is what a run tells besides its verdicts.
type Report struct {
	Judged    int // candidates, without duplicates
	Compiling float64
	Fitting   float64 // seconds, by the wall
	Timing    Timing
	Slow      error // why likelihoods were interpreted, if they were
}

// A batch of candidates is compiled together. Batches grow from firstBatch to fullBatch, so that the first verdicts come soon and the
// toolchain starts rarely.
const (
	firstBatch = 8
	fullBatch  = 128
)

// Run judges entries on the subjects of b and calls done with each new verdict, in the order of the entries. known holds the verdicts
// of the first entries, from an interrupted run; they are not judged again. Entries with the same canonical form are judged once: of[i]
// is the index of the first entry with the form of entry i, as [Duplicates] returns it. Run returns the context's error if that ends.
func Run(ctx context.Context, entries []Entry, of []int, known []*Verdict, b *bank.Bank, s Settings, done func(*Verdict) error) (Report, error) {
	r := &run{entries: entries, of: of, verdicts: make([]*Verdict, len(entries)), bank: b, settings: s, done: done, size: firstBatch}
	copy(r.verdicts, known)
	r.countProgress(len(known))
	for from := len(known); from < len(entries); {
		batch, next := r.batch(from)
		if err := r.judge(ctx, batch, from, next); err != nil {
			return r.report, err
		}
		from, r.size = next, min(2*r.size, fullBatch)
	}
	return r.report, nil
}

// countProgress makes Progress count the fits of the whole run instead of a batch's; the first `from` entries are done.
func (r *run) countProgress(from int) {
	all, tell := 0, r.settings.Progress
	for i := from; i < len(r.of); i++ {
		if r.of[i] == i {
			all += len(r.bank.Subjects)
		}
	}
	if tell != nil {
		r.settings.Progress = func(done, _ int) { tell(r.before+done, all) }
	}
}

type run struct {
	entries  []Entry
	of       []int
	verdicts []*Verdict
	bank     *bank.Bank
	settings Settings
	done     func(*Verdict) error
	report   Report
	size     int // of the next batch
	before   int // fits of earlier batches, those that were not needed included
}

// batch lists the entries to judge next, and where the batch after it begins.
func (r *run) batch(from int) (list []int, next int) {
	for next = from; next < len(r.entries) && len(list) < r.size; next++ {
		if r.of[next] == next {
			list = append(list, next)
		}
	}
	for next < len(r.entries) && r.of[next] != next {
		next++
	}
	return list, next
}

// judge compiles and fits a batch, and hands out the verdicts from entry number from up to next.
func (r *run) judge(ctx context.Context, batch []int, from, next int) error {
	start := time.Now()
	models := make([]*catalog.Model, len(batch))
	for k, i := range batch {
		models[k] = r.entries[i].Model
	}
	all, slow, err := bound.PrepareAll(ctx, models, r.settings.Engine, r.settings.Threads)
	if err != nil {
		return err
	}
	if slow != nil {
		r.report.Slow = slow
	}
	r.report.Compiling += time.Since(start).Seconds()
	start, used := time.Now(), timing.ProcessSeconds()
	defer func() { r.report.Timing.Total += timing.ProcessSeconds() - used }()
	defer func() { r.before += len(batch) * len(r.bank.Subjects) }()
	defer func() { r.report.Fitting += time.Since(start).Seconds() }()
	return r.fit(ctx, batch, all, from, next)
}

func (r *run) fit(ctx context.Context, batch []int, all []*bound.Built, from, next int) error {
	var candidates []Candidate
	var place []int // in the batch
	for k, i := range batch {
		if all[k].Err != nil {
			r.verdicts[i] = r.describe(failedVerdict(r.entries[i], all[k].Err, r.bank, r.settings), i, all[k])
			continue
		}
		candidates, place = append(candidates, r.candidate(r.entries[i], all[k].Prepared)), append(place, k)
	}
	emitted := from
	emit := func() error {
		for ; emitted < next; emitted++ {
			v := r.verdicts[emitted]
			if first := r.of[emitted]; first != emitted && r.verdicts[first] != nil {
				v = r.copy(emitted)
				r.verdicts[emitted] = v
			}
			if v == nil {
				return nil
			}
			if err := r.done(v); err != nil {
				return err
			}
		}
		return nil
	}
	if err := emit(); err != nil || len(candidates) == 0 {
		return err
	}
	return judgeAll(ctx, candidates, r.bank, r.settings, func(c int, v *Verdict) error {
		i := batch[place[c]]
		r.verdicts[i] = r.describe(v, i, all[place[c]])
		r.report.Judged++
		r.report.Timing.Add(v.Timing)
		return emit()
	})
}

// candidate returns an entry in the form that is fitted.
func (r *run) candidate(e Entry, b *bound.Prepared) Candidate {
	return Candidate{Name: e.Name, Params: e.Model.ParamNames(), Bind: study.Binding(e.Model, b)}
}
