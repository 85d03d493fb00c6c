package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"likc/runtime/model/trials"
)

// Read reads the rows in the folder dir, after it has checked both files against their SHA-256 sums. Errors name the file.
func Read(dir string) (*Rows, error) {
	files, problems := members.Read(dir)
	switch {
	case files == nil && errors.Is(problems[0], fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no scored rows: want a folder with %s", dir, ManifestFile)
	case len(problems) > 0:
		return nil, problems[0]
	}
	r := &Rows{}
	if err := json.Unmarshal(files[RecordFile], &r.Record); err != nil {
		return nil, fmt.Errorf("%s: not a record of scored rows: %w", filepath.Join(dir, RecordFile), err)
	}
	if err := r.checkShape(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RecordFile), err)
	}
	if err := r.decode(filepath.Join(dir, TableFile), files[TableFile]); err != nil {
		return nil, err
	}
	return r, nil
}

// decode parses the table rows.parquet into groups of trials.
func (r *Rows) decode(path string, data []byte) error {
	symbols := append(append([]string{columnGroup}, r.Params...), columnRT, columnTarget)
	t, err := trials.ReadParquet(path, bytes.NewReader(data), int64(len(data)), trials.Options{Trials: symbols, Positive: []string{columnRT}, RT: columnRT})
	if err != nil {
		return err
	}
	if t.N() != r.Groups*r.Trials || t.N()/r.Trials != r.Groups {
		return fmt.Errorf("%s: %d rows, but %s says %d groups of %d", path, t.N(), RecordFile, r.Groups, r.Trials)
	}
	params := make([][]float64, len(r.Params))
	for j, p := range r.Params {
		params[j] = t.Column(p)
	}
	for g := range r.Groups {
		first, last := g*r.Trials, (g+1)*r.Trials
		var theta []float64
		for _, column := range params {
			theta = append(theta, column[first])
		}
		if err := sameGroup(t.Column(columnGroup)[first:last], params, theta, first, g); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Theta = append(r.Theta, theta)
		r.RT, r.Target = append(r.RT, t.Column(columnRT)[first:last]), append(r.Target, t.Column(columnTarget)[first:last])
	}
	return nil
}

// sameGroup returns an error unless the row at `first` is of group g and its group's rows have the same parameters.
func sameGroup(groups []float64, params [][]float64, theta []float64, first, g int) error {
	for k, id := range groups {
		if id != float64(g) {
			return fmt.Errorf("row %d: group %v, want %d", first+k+1, id, g)
		}
		for j, column := range params {
			if column[first+k] != theta[j] {
				return fmt.Errorf("row %d: parameters differ within group %d", first+k+1, g)
			}
		}
	}
	return nil
}
