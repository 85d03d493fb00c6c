package folder

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"likc/runtime/fit"
	"likc/runtime/fit/loo"
	"likc/runtime/sys/store"
)

// looFile has a row for each trial of a fit.
const looFile = "loo.csv"

// looColumns are the columns of looFile: the number of the trial within the subject, from 1, the subject, fields of [loo.Trial], and
// the trial's row in the data's file. Older versions wrote no row.
var looColumns = []string{"trial", "subject", "elpd", "p", "k", "mcse", "elpd_waic", "p_waic", "row"}

// looFields returns the fields in the columns between the subject and the row.
func looFields(t *loo.Trial) []*float64 {
	return []*float64{&t.ELPD, &t.P, &t.K, &t.MCSE, &t.WAIC, &t.PWAIC}
}

// writeLOO writes looFile, if the result has PSIS-LOO.
func (f *Folder) writeLOO(r *fit.Result) error {
	if r.LOO == nil {
		return nil
	}
	return f.hidden.WriteFile(filepath.Join(r.Folder, looFile), func(w io.Writer) error {
		out := csv.NewWriter(w)
		out.Write(looColumns) // the csv writer remembers its first error
		for i := range r.LOO.Trials {
			row := []string{strconv.Itoa(i + 1), r.Label}
			for _, x := range looFields(&r.LOO.Trials[i]) {
				row = append(row, exact(*x))
			}
			out.Write(append(row, strconv.Itoa(r.Row(i))))
		}
		out.Flush()
		return out.Error()
	})
}

// readLOO reads the file that writeLOO wrote in a folder.
func readLOO(dir string) ([]loo.Trial, error) {
	path := filepath.Join(dir, looFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, store.Cause(err))
	}
	defer f.Close()
	rows := csv.NewReader(f)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if known := looColumns[:len(looColumns)-1]; err != nil || !slices.Equal(header, looColumns) && !slices.Equal(header, known) {
		return nil, fmt.Errorf("%s: is not a table of likc fit: want the columns %q", path, looColumns)
	}
	var trials []loo.Trial
	for row := 1; ; row++ {
		fields, err := rows.Read()
		if err == io.EOF {
			return trials, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, row, err)
		}
		var t loo.Trial
		for i, x := range looFields(&t) {
			if *x, err = number(fields[i+2]); err != nil {
				return nil, fmt.Errorf("%s: row %d, column %s: %q is no number", path, row, looColumns[i+2], fields[i+2])
			}
		}
		trials = append(trials, t)
	}
}
