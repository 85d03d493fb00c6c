package rows

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"likc/runtime/ssm"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// The files.
const (
	TableFile    = "rows.parquet"
	RecordFile   = "rows.json"
	ManifestFile = "MANIFEST.sha256"
)

const columnGroup, columnRT, columnTarget = "group", ssm.ResponseTime, "target"

// Write writes the rows to the folder dir, which it makes, or where it replaces rows. A folder that holds anything else is
// refused and left alone. All is on the disk before the old manifest goes; the new one comes last, so that a folder with a
// manifest is whole.
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
	record = append(record, '\n')
	manifest := fmt.Sprintf("%x  %s\n%x  %s\n", sha256.Sum256(record), RecordFile, sha256.Sum256(table), TableFile)
	if err := replace(dir, []string{RecordFile, TableFile, ManifestFile}, [][]byte{record, table, []byte(manifest)}); err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	return nil
}

// Writable says why rows cannot be written to dir: it is no folder, or one that holds something else than rows.
func Writable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	for _, e := range entries {
		known := slices.Contains([]string{RecordFile, TableFile, ManifestFile}, e.Name()) || strings.HasPrefix(e.Name(), partial)
		if !known {
			return fmt.Errorf("%s: holds %s, which is not of scored rows: name a new folder", dir, e.Name())
		}
	}
	return nil
}

// partial begins the names of files that are being written.
const partial = ".partial-"

func replace(dir string, names []string, data [][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	beside := make([]string, len(names))
	for i := range names {
		var err error
		if beside[i], err = writeBeside(dir, data[i]); err != nil {
			return err
		}
		defer os.Remove(beside[i]) // gone once it is renamed
	}
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, name := range names {
		if err := os.Rename(beside[i], filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// writeBeside writes a file under a name of its own and flushes it to the disk.
func writeBeside(dir string, data []byte) (string, error) {
	f, err := os.CreateTemp(dir, partial+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// encode is the table in Parquet: the same rows give the same bytes.
func (r *Rows) encode() ([]byte, error) {
	group := parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked)
	number := parquet.Compressed(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit), &parquet.Zstd)
	schema := inOrder{Group: parquet.Group{}}
	schema.add(columnGroup, group)
	for _, p := range r.Params {
		schema.add(p, number)
	}
	schema.add(columnRT, number)
	schema.add(columnTarget, number)
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, parquet.NewSchema("rows", schema), parquet.CreatedBy("likc", "", ""))
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

// inOrder is a group that keeps its columns in order, where parquet.Group sorts them.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in order.
func (g inOrder) Fields() []parquet.Field { return g.fields }

func (g *inOrder) add(name string, n parquet.Node) {
	field := parquet.Group{name: n}.Fields()[0]
	g.Group[name] = field
	g.fields = append(g.fields, field)
}

// plain drops the operation and path that errors of the system repeat.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
