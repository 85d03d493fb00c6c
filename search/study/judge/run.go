package judge

import (
	"context"
	"time"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/timing"
	"likc/search/study"
)

// Report holds a run's results besides its verdicts.
type Report struct {
	Judged    int     // number of candidates judged, without duplicates
	Compiling float64 // wall-clock time of compiling, in seconds
	Fitting   float64 // wall-clock time of fitting, in seconds
	Timing    Timing
	Slow      error // the reason why likelihoods were interpreted instead of compiled; nil if all were compiled
}

// Candidates are compiled in batches. Batches grow from firstBatch to fullBatch candidates, so that the first verdicts come soon and
// the toolchain starts rarely.
const (
	firstBatch = 8
	fullBatch  = 128
)

// run is a job while it runs on this machine.
type run struct {
	*Job
	settings Settings
	first    []int      // for each entry, the index of the first entry with the same form
	verdicts []*Verdict // nil for an entry that is not judged yet
	known    int        // number of verdicts of an earlier run, which are on the first entries
	done     func(*Verdict) error
	report   Report
	size     int // number of candidates in the next batch
	before   int // number of fits of earlier batches, including those that were skipped
}

// newRun returns the run of a job. It calls done with each new verdict, in the order of the entries.
func newRun(j *Job, done func(*Verdict) error) *run {
	r := &run{Job: j, settings: j.Settings, first: Duplicates(j.Entries), verdicts: make([]*Verdict, len(j.Entries)), known: len(j.Verdicts), done: done, size: firstBatch}
	copy(r.verdicts, j.Verdicts)
	return r
}

// judgeAll judges the entries without a verdict, each form once. If the context ends, it returns the context's error.
func (r *run) judgeAll(ctx context.Context) (Report, error) {
	r.countProgress(r.known)
	for from := r.known; from < len(r.Entries); {
		batch, next := r.batch(from)
		if err := r.judge(ctx, batch, from, next); err != nil {
			return r.report, err
		}
		from, r.size = next, min(2*r.size, fullBatch)
	}
	return r.report, nil
}

// countProgress makes Progress count the fits of the whole run instead of those of a batch. The entries before number `from` have
// verdicts already.
func (r *run) countProgress(from int) {
	all, tell := 0, r.settings.Progress
	for i := from; i < len(r.first); i++ {
		if r.first[i] == i {
			all += len(r.Bank.Subjects)
		}
	}
	if tell != nil {
		r.settings.Progress = func(done, _ int) { tell(r.before+done, all) }
	}
}

// batch returns the entries to judge next, and the first entry of the following batch.
func (r *run) batch(from int) (list []int, next int) {
	for next = from; next < len(r.Entries) && len(list) < r.size; next++ {
		if r.first[next] == next {
			list = append(list, next)
		}
	}
	for next < len(r.Entries) && r.first[next] != next {
		next++
	}
	return list, next
}

// judge compiles and fits a batch, and passes on the verdicts of the entries from `from` to next-1.
func (r *run) judge(ctx context.Context, batch []int, from, next int) error {
	start := time.Now()
	models := make([]*catalog.Model, len(batch))
	for k, i := range batch {
		models[k] = r.Entries[i].Model
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
	defer func() { r.before += len(batch) * len(r.Bank.Subjects) }()
	defer func() { r.report.Fitting += time.Since(start).Seconds() }()
	return r.fit(ctx, batch, all, from, next)
}

func (r *run) fit(ctx context.Context, batch []int, all []*bound.Built, from, next int) error {
	var candidates []Candidate
	var place []int // indices in the batch
	for k, i := range batch {
		if all[k].Err != nil {
			r.verdicts[i] = r.describe(failedVerdict(r.Entries[i], all[k].Err, r.Bank, r.settings), i, all[k])
			continue
		}
		c := r.candidate(r.Entries[i], all[k].Prepared)
		if fits := r.settings.Reference.fitsOf(r.Entries[i]); fits != nil {
			columns, err := truthColumns(c, r.Bank)
			if err != nil {
				return err
			}
			r.verdicts[i] = r.describe(newVerdict(c, r.Bank, columns, fits, r.settings), i, all[k])
			continue
		}
		candidates, place = append(candidates, c), append(place, k)
	}
	emitted := from
	emit := func() error {
		for ; emitted < next; emitted++ {
			v := r.verdicts[emitted]
			if first := r.first[emitted]; first != emitted && r.verdicts[first] != nil {
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
	return fitAll(ctx, candidates, r.Bank, r.settings, func(c int, v *Verdict) error {
		i := batch[place[c]]
		r.verdicts[i] = r.describe(v, i, all[place[c]])
		r.report.Judged++
		r.report.Timing.Add(v.Timing)
		return emit()
	})
}

// candidate returns an entry as a candidate with its prepared likelihood.
func (r *run) candidate(e Entry, b *bound.Prepared) Candidate {
	return Candidate{Name: e.Name, Params: e.Model.ParamNames(), Bind: study.Binding(e.Model, b)}
}
