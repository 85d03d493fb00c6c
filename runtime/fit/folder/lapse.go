package folder

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"strconv"

	"likc/runtime/fit"
)

// lapseFile has a row for each trial of a fit with lapses.
const lapseFile = "lapse.csv"

// writeLapses writes lapseFile: the number of each trial within the subject, from 1, the probability that it is a lapse, and its row
// in the data's file.
func (f *Folder) writeLapses(r *fit.Result) error {
	if r.Lapses == nil {
		return nil
	}
	return f.hidden.WriteFile(filepath.Join(r.Folder, lapseFile), func(w io.Writer) error {
		out := csv.NewWriter(w)
		out.Write([]string{"trial", "probability", "row"}) // the csv writer remembers its first error
		for i, p := range r.Lapses {
			out.Write([]string{strconv.Itoa(i + 1), strconv.FormatFloat(p, 'g', 6, 64), strconv.Itoa(r.Row(i))})
		}
		out.Flush()
		return out.Error()
	})
}
