package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"likc/runtime/num/finite"
	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
	"likc/search/study/bank"
)

// Job judges candidates and stores the verdicts in a file.
type Job struct {
	Entries  []Entry
	Bank     *bank.Bank
	Settings Settings // Settings.Fits states whether Verdicts keep their fits
	Hash     string   // hash of the settings and the bank, see [Settings.Hash]
	Output   string   // file of verdicts; "" for none
	Force    bool     // whether to overwrite verdicts of another job
	KeepFits bool     // whether to write fits into the file

	Elsewhere units.Elsewhere // judges all parts on other machines, see [PartOf], and returns their files; nil if this machine judges

	Verdicts []*Verdict // set by Run: the verdicts so far, in the order of the entries
	Kept     int        // number of verdicts that an earlier run, or another machine, has made
	Report   Report
	Seconds  float64 // wall-clock time of Run
}

// Run judges the entries that an earlier run has not judged, and stores each verdict at once. When ctx ends, Run returns its
// error. If there are no entries, it writes an empty file, but it does not replace verdicts.
func (j *Job) Run(ctx context.Context) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // most memory is garbage, so collecting it less often saves a tenth of the time
	start := time.Now()
	defer func() { j.Seconds = time.Since(start).Seconds() }()
	write := func(*Verdict) error { return nil }
	if j.Output != "" {
		file, err := OpenFile(j.Output, j.Hash, j.Entries, j.Force)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		j.Verdicts, j.Kept, write = file.Known, len(file.Known), file.Append
	}
	if len(j.Verdicts) == len(j.Entries) {
		return nil
	}
	add := func(v *Verdict) error {
		v.Settings = j.Hash
		j.Verdicts = append(j.Verdicts, v)
		if !j.KeepFits {
			v = v.withoutFits()
		}
		return write(v)
	}
	if j.Elsewhere != nil {
		return j.merge(add)
	}
	if err := j.Settings.Reference.Fit(ctx, j.Bank, j.Settings); err != nil {
		return err
	}
	j.Report, err = newRun(j, add).judgeAll(ctx)
	return err
}

// PartOf returns a part of the entries, as the entries of another job. Each form is in only one part, so that no fit is done
// twice.
func PartOf(entries []Entry, p units.Part) (part []Entry) {
	var first []Entry
	for i, of := range Duplicates(entries) {
		if i == of {
			first = append(first, entries[i])
		}
	}
	from, to := p.Share(len(first))
	return first[from:to]
}

// merge adds the missing verdicts from the files of all parts.
func (j *Job) merge(add func(*Verdict) error) error {
	files, err := j.Elsewhere()
	if err != nil {
		return err
	}
	var judged []*Verdict
	for _, path := range files {
		text, err := store.ReadChecked(path)
		if err != nil {
			return err
		}
		some, err := parse(text)
		if err != nil {
			return fmt.Errorf("%s:%w", path, err)
		}
		judged = append(judged, some...)
	}
	r := newRun(j, nil)
	for i, first := range r.first {
		switch {
		case first != i:
			r.verdicts[i] = r.copy(i)
			continue
		case len(judged) == 0:
			return fmt.Errorf("no part has a verdict on candidate %d, %s", i+1, j.Entries[i].Name)
		case judged[0].Settings != j.Hash || !judged[0].isOf(j.Entries[i]):
			return fmt.Errorf("the parts are of another run: they have %s under settings %s where candidate %d, %s under %s, is wanted",
				judged[0].Model, judged[0].Settings, i+1, j.Entries[i].Name, j.Hash)
		}
		judged[0].Candidate = i + 1
		r.verdicts[i], judged = judged[0], judged[1:]
	}
	if len(judged) > 0 {
		return fmt.Errorf("the parts have %d verdicts too many", len(judged))
	}
	for _, v := range r.verdicts[len(j.Verdicts):] {
		if err := add(v); err != nil {
			return err
		}
	}
	j.Verdicts, j.Kept = r.verdicts, len(r.verdicts)
	return nil
}

// WriteNone writes the empty file of a job without entries. Unless Force is set, it does not replace verdicts of another job.
func (j *Job) WriteNone() error {
	if j.Output == "" {
		return nil
	}
	file, err := OpenFile(j.Output, j.Hash, nil, j.Force)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return store.WriteChecked(j.Output, func(io.Writer) error { return nil })
}

// withoutFits returns a copy of the verdict without the subjects' fits.
func (v *Verdict) withoutFits() *Verdict {
	short := *v
	short.Fits = nil
	return &short
}

// Outcome describes a finished job: its verdicts, and the time it needed.
type Outcome struct {
	Bank    string `json:"bank"`
	Scheme  string `json:"scheme"`
	Method  string `json:"method"`
	Hash    string `json:"settings"`
	Resumed int    `json:"resumed"` // candidates that an earlier run had judged
	Summary
	Seconds   float64            `json:"seconds"`   // wall-clock time
	Compiling float64            `json:"compiling"` // part of Seconds spent in compiling
	FitsRate  finite.Number      `json:"fits_per_second"`
	CoreRate  finite.Number      `json:"fits_per_second_core"`
	Split     map[string]float64 `json:"split"`    // share of each kind of work in the fits' time
	Verdicts  []*Verdict         `json:"verdicts"` // the best verdicts, each form once, without fits
}

// Outcome summarises a job that has at least one verdict, with the `most` best verdicts.
func (j *Job) Outcome(most int) Outcome {
	ranked := slices.Clone(j.Verdicts)
	Rank(ranked)
	first, t := ranked[0], j.Report.Timing
	out := Outcome{Bank: first.Bank, Scheme: first.Scheme, Method: first.Method, Hash: j.Hash, Resumed: j.Kept,
		Summary: Summarise(j.Verdicts), Seconds: j.Seconds, Compiling: j.Report.Compiling, Split: map[string]float64{},
		FitsRate: finite.Number(float64(t.Fits) / (j.Report.Compiling + j.Report.Fitting)), CoreRate: finite.Number(t.FitsPerSecond())}
	if t.Fits > 0 {
		out.Split = t.Split()
	}
	for _, v := range ranked {
		if v.Duplicate == 0 && len(out.Verdicts) < most {
			out.Verdicts = append(out.Verdicts, v.withoutFits())
		}
	}
	return out
}

// Diverged returns the number of divergent transitions of all forms, and the number of forms that have any.
func (j *Job) Diverged() (divergences, forms int) {
	for _, v := range j.Verdicts {
		if v.Duplicate == 0 && v.Divergences > 0 {
			divergences, forms = divergences+v.Divergences, forms+1
		}
	}
	return divergences, forms
}
