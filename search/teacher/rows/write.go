package rows

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// The files.
const (
	TableFile    = "rows.parquet"
	RecordFile   = "rows.json"
	ManifestFile = "MANIFEST.sha256"
)

const columnGroup, columnRT, columnTarget = "group", "rt", "target"

// Write writes the rows to the folder dir, which it makes, or where it replaces rows. The manifest goes first and comes
// last, so that a folder with a manifest is whole.
func Write(dir string, r *Rows) error {
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

func replace(dir string, names []string, data [][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, name := range names {
		if err := writeBeside(dir, name, data[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeBeside writes a file under a name of its own, flushes it to the disk and renames it.
func writeBeside(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, ".partial-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
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
