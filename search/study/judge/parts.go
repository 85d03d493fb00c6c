package judge

import (
	"errors"
	"fmt"

	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
)

// PerPart is how many candidates make a part of a run that several machines share: about half a minute of one processor with short
// formulas. With the default chains it is 20, with longer ones fewer, and by posterior modes 500.
func (s Settings) PerPart() int {
	if s.Screen {
		return 500
	}
	return max(1, 20*2000/(s.Chains*(s.Warmup+s.Draws)))
}

// PartOf returns a part of the entries, for a job of its own: each form once, so that no two parts have the same fits.
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

// Merge makes the verdicts of the job from the files of the jobs on all its parts, and writes them as Run would have. What an earlier
// run has written must be the job's; if that is all, no part is asked for.
func (j *Job) Merge(elsewhere units.Elsewhere) (err error) {
	file, err := OpenFile(j.Output, j.Hash, j.Entries, j.Force)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	j.Verdicts, j.Kept = file.Known, len(file.Known)
	if len(file.Known) == len(j.Entries) {
		return nil
	}
	parts, err := elsewhere()
	if err != nil {
		return err
	}
	all, err := merge(parts, j.Hash, j.Entries)
	if err != nil {
		return err
	}
	j.Verdicts, j.Kept = all, len(all)
	for _, v := range all[len(file.Known):] {
		if !j.KeepFits {
			v = v.withoutFits()
		}
		if err := file.Append(v); err != nil {
			return err
		}
	}
	return nil
}

// merge returns the verdicts of all entries.
func merge(parts []string, settings string, entries []Entry) ([]*Verdict, error) {
	var judged []*Verdict
	for _, path := range parts {
		text, err := store.ReadChecked(path)
		if err != nil {
			return nil, err
		}
		some, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", path, err)
		}
		judged = append(judged, some...)
	}
	r := &run{entries: entries, of: Duplicates(entries), verdicts: make([]*Verdict, len(entries))}
	for i, first := range r.of {
		switch {
		case first != i:
			r.verdicts[i] = r.copy(i)
			continue
		case len(judged) == 0:
			return nil, fmt.Errorf("no part has a verdict on candidate %d, %s", i+1, entries[i].Name)
		case judged[0].Settings != settings || !judged[0].isOf(entries[i]):
			return nil, fmt.Errorf("the parts are of another run: they have %s under settings %s where candidate %d, %s under %s, is wanted",
				judged[0].Model, judged[0].Settings, i+1, entries[i].Name, settings)
		}
		judged[0].Candidate = i + 1
		r.verdicts[i], judged = judged[0], judged[1:]
	}
	if len(judged) > 0 {
		return nil, fmt.Errorf("the parts have %d verdicts too many", len(judged))
	}
	return r.verdicts, nil
}
