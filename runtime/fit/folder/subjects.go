package folder

import (
	"encoding/csv"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/trials"
	"likc/runtime/sys/store"
)

// subjectPrefix begins the name of a subject's folder.
const subjectPrefix = "subject_"

// Subjects returns a table's trials as subjects. With each, there is a subject for each participant, with the name of its folder;
// without, all trials are one subject with the given label.
func Subjects(t *trials.Table, each bool, label string) []fit.Subject {
	columns := hierarchy.DataOf(t).Table
	if !each {
		return []fit.Subject{{Label: label, Columns: t.Columns, Choice: t.Choice, Person: t.Person, Deadlines: t.Deadlines, Go: t.Source.Go, Rows: t.Rows, Labels: t.Labels,
			Supplied: t.Supplied, Table: columns}}
	}
	all, labels := make([]fit.Subject, len(t.Subjects)), make([]string, len(t.Subjects))
	for i, s := range t.Subjects {
		labels[i] = s.Label
	}
	for i, name := range names(labels) {
		all[i].Label, all[i].Folder = labels[i], name
		all[i].Columns, all[i].Choice = t.Of(t.Subjects[i])
		all[i].Deadlines, all[i].Go = t.DeadlinesOf(t.Subjects[i]), t.Source.Go
		all[i].Rows, all[i].Labels = t.RowsOf(t.Subjects[i])
		all[i].Supplied, all[i].Table = t.SuppliedOf(t.Subjects[i]), columns.Of(t.Subjects[i].Rows)
	}
	return all
}

// names returns, for each label, a folder name that is valid on every file system. The name contains a hash if the label is too
// long, or if some file systems would not distinguish it from another name.
func names(labels []string) []string {
	out, alike := make([]string, len(labels)), map[string]int{}
	for i, label := range labels {
		out[i] = subjectPrefix + store.Shorten(strings.ReplaceAll(url.QueryEscape(label), ".", "%2E"))
		alike[strings.ToLower(out[i])]++
	}
	for i, label := range labels {
		if alike[strings.ToLower(out[i])] > 1 {
			out[i] += "~" + store.ShortSum(label)
		}
	}
	return out
}

// writeMany writes the files that summarise many subjects.
func (f *Folder) writeMany(s fit.Subjects) error {
	if err := f.hidden.WriteFile(subjectsFile, func(w io.Writer) error { return writeSubjects(w, s) }); err != nil {
		return err
	}
	return f.writeJSON(SummaryFile, s)
}

// writeSubjects writes a row for each subject, with the figures of every parameter. At least one result must be kept.
func writeSubjects(w io.Writer, s fit.Subjects) error {
	out, names := csv.NewWriter(w), s.Names()
	figures := []string{"_mean", "_sd", "_rhat", "_ess_bulk", "_ess_tail"}
	if s.Kept[0].Mode != nil {
		figures = []string{"_mode", "_sd"}
	}
	header := []string{"subject", "trials"}
	for _, name := range names {
		for _, figure := range figures {
			header = append(header, name+figure)
		}
	}
	out.Write(append(header, "divergences", "folder")) // the csv writer remembers its first error
	for _, r := range s.Kept {
		out.Write(row(r, names))
	}
	out.Flush()
	return out.Error()
}

// row returns a subject's row of subjects.csv.
func row(r *fit.Result, names []string) []string {
	fields, divergences := []string{r.Label, strconv.Itoa(r.Trials())}, ""
	for _, name := range names {
		if r.Mode != nil {
			p := r.Mode.Params.Named(name)
			fields = append(fields, exact(p.Mode), exact(float64(p.SD)))
		} else {
			s := r.Summary.Params.Named(name)
			fields = append(fields, exact(s.Mean), exact(s.SD), exact(s.Rhat), exact(s.ESSBulk), exact(s.ESSTail))
		}
	}
	if r.Mode == nil {
		divergences = strconv.Itoa(r.Summary.Divergences)
	}
	return append(fields, divergences, r.Folder)
}

// exact writes a number with all its digits. NaN becomes an empty field.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// number parses a number that exact wrote.
func number(text string) (float64, error) {
	if text == "" {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(text, 64)
}
