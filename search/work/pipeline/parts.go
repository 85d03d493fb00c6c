package pipeline

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"likc/runtime/sys/store"
)

// Parts returns the jobs into which a job can be divided; none if it cannot.
func (j *Job) Parts() ([]*Job, error) {
	if j.Unit.Divide == nil {
		return nil, nil
	}
	n, err := j.Unit.Divide(j.Dir, j.Steps[0].Args)
	if err != nil || n < 2 {
		return nil, err
	}
	parts := make([]*Job, n)
	for i := range parts {
		parts[i] = j.part(i+1, n)
	}
	return parts, nil
}

// part returns the k-th of n parts of the job.
func (j *Job) part(k, n int) *Job {
	u := j.Unit
	u.Name, u.Divide = fmt.Sprintf("%s.part-%d-of-%d", u.Name, k, n), nil
	work := fmt.Sprintf("%s-%d-of-%d", j.Work, k, n)
	record := &Record{Format: formatVersion, Stage: u.Stage, Name: u.Name, Code: j.Record.Code, Key: store.SumJSON([]any{j.Record.Key, k, n})}
	steps := u.expand(work)
	flag := []string{"--part", fmt.Sprintf("%d/%d", k, n)}
	steps[0].Args = append(steps[0].Args, flag...)
	if steps[0].Again != nil {
		steps[0].Again = append(steps[0].Again, flag...)
	}
	return &Job{Unit: u, Dir: j.Dir, Work: work, Steps: steps, Record: record}
}

// partOf matches the end of the name of a part.
var partOf = regexp.MustCompile(`\.part-[0-9]+-of-[0-9]+$`)

// whole returns the name of the whole unit, given its name or the name of one of its parts.
func whole(name string) string { return partOf.ReplaceAllString(name, "") }

// Merged returns a job that joins the results of the finished parts. It runs the same command as j, which finds all work done in the
// parts' files.
func (j *Job) Merged(parts []*Job) *Job {
	var files []string
	for _, p := range parts {
		files = append(files, filepath.ToSlash(filepath.Join(p.Work, p.Unit.Outputs[0])))
	}
	merged := *j
	merged.Steps = append([]Step{}, j.Steps...)
	step := &merged.Steps[0]
	step.Args = append(step.Args[:len(step.Args):len(step.Args)], "--parts", strings.Join(files, ","))
	step.Again = step.Args
	return &merged
}
