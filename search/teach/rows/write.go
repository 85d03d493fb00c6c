package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"likc/runtime/model/ssm"
	"likc/runtime/model/trials/columnar"
	"likc/runtime/sys/store"

	"github.com/parquet-go/parquet-go"
)

// These are the names of the files in a folder of rows.
const (
	TableFile    = "rows.parquet"
	RecordFile   = "rows.json"
	ManifestFile = store.ManifestFile
)

// members lists the files that a folder of rows holds.
var members = store.Members{Kind: "scored rows", Required: []string{RecordFile, TableFile}}

const columnGroup, columnRT, columnTarget = "group", ssm.ResponseTime, "target"

// Write writes the rows to the folder dir, which it makes if needed. It replaces earlier rows, but refuses a folder that holds
// anything else. It writes the manifest last, so a folder with a manifest is complete.
func Write(dir string, r *Rows) error {
	if err := Writable(dir); err != nil {
		return err
	}
	table, err := r.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	record, err := json.MarshalIndent(r.Record, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	files := map[string][]byte{RecordFile: append(record, '\n'), TableFile: table}
	if err := members.Update(dir, files); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", dir, err)
	}
	return nil
}

// Writable says why rows cannot be written to dir: it is not a folder, or it holds something other than rows.
func Writable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	for _, e := range entries {
		if !members.Holds(e.Name()) {
			return fmt.Errorf("%s: holds %s, which is not of scored rows: name a new folder", dir, e.Name())
		}
	}
	return nil
}

// encode returns the table in Parquet format. The same rows give the same bytes.
func (r *Rows) encode() ([]byte, error) {
	group := parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked)
	number := parquet.Compressed(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit), &parquet.Zstd)
	columns := []parquet.Field{columnar.Column(columnGroup, group)}
	for _, p := range r.Params {
		columns = append(columns, columnar.Column(p, number))
	}
	columns = append(columns, columnar.Column(columnRT, number), columnar.Column(columnTarget, number))
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, columnar.Schema("rows", columns), parquet.CreatedBy("likc", "", ""))
	for g := range r.RT {
		for k := range r.RT[g] {
			if _, err := w.WriteRows([]parquet.Row{r.row(g, k)}); err != nil {
				return nil, err
			}
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func (r *Rows) row(g, k int) parquet.Row {
	row := parquet.Row{parquet.Int32Value(int32(g))}
	for _, x := range r.Theta[g] {
		row = append(row, parquet.DoubleValue(x))
	}
	row = append(row, parquet.DoubleValue(r.RT[g][k]), parquet.DoubleValue(r.Target[g][k]))
	for i := range row {
		row[i] = row[i].Level(0, 0, i)
	}
	return row
}
