package folder

import (
	"encoding/csv"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/model/trials"
	"likc/runtime/sys/store"
)

// subjectPrefix begins the name of a subject's folder.
const subjectPrefix = "subject_"

// Subjects returns the subjects of a table, each with the name of its folder.
func Subjects(t *trials.Table) []fit.Subject {
	all, labels := make([]fit.Subject, len(t.Subjects)), make([]string, len(t.Subjects))
	for i, s := range t.Subjects {
		labels[i] = s.Label
	}
	for i, name := range names(labels) {
		all[i].Label, all[i].Folder = labels[i], name
		all[i].Columns, all[i].Choice = t.Of(t.Subjects[i])
		all[i].Deadlines, all[i].Go = t.DeadlinesOf(t.Subjects[i]), t.Source.Go
		all[i].Rows, all[i].Labels = t.PlacesOf(t.Subjects[i])
	}
	return all
}

// names gives each label the name of a folder that every file system takes. Labels that are too long, or that some file
// systems do not tell apart, have a hash in their names.
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

// writeMany writes what stands above the folders of many subjects.
func (f *Folder) writeMany(s fit.Subjects) error {
	err := f.hidden.WriteFile(subjectsFile, func(w io.Writer) error { return writeSubjects(w, s.Kept) })
	if err != nil {
		return err
	}
	return f.writeJSON(SummaryFile, s)
}

// writeSubjects writes a row a subject with the figures of every parameter. kept is not empty.
func writeSubjects(w io.Writer, kept []*fit.Result) error {
	out := csv.NewWriter(w)
	header := []string{"subject", "trials"}
	if first := kept[0]; first.Mode != nil {
		for _, p := range first.Mode.Params {
			header = append(header, p.Name+"_mode", p.Name+"_sd")
		}
	} else {
		for _, p := range first.Summary.Params {
			header = append(header, p.Name+"_mean", p.Name+"_sd", p.Name+"_rhat", p.Name+"_ess_bulk", p.Name+"_ess_tail")
		}
	}
	out.Write(append(header, "divergences", "folder")) // csv keeps the first error
	for _, r := range kept {
		out.Write(row(r))
	}
	out.Flush()
	return out.Error()
}

// row is a subject's row of subjects.csv.
func row(r *fit.Result) []string {
	fields := []string{r.Label, strconv.Itoa(r.Trials())}
	if r.Mode != nil {
		for _, p := range r.Mode.Params {
			fields = append(fields, exact(p.Mode), exact(float64(p.SD)))
		}
		return append(fields, "", r.Folder)
	}
	for _, s := range r.Summary.Params {
		fields = append(fields, exact(s.Mean), exact(s.SD), exact(s.Rhat), exact(s.ESSBulk), exact(s.ESSTail))
	}
	return append(fields, strconv.Itoa(r.Summary.Divergences), r.Folder)
}

// exact writes a number with all its digits; an undefined one is an empty field.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// number reads what exact writes.
func number(text string) (float64, error) {
	if text == "" {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(text, 64)
}
