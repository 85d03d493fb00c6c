// Package columnar reads and writes trials as Parquet. It is no part of package trials, because its libraries add megabytes to a program. Programs import it
// for its effect: see [trials.Parquet].
package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"likc/runtime/model/trials"
)

func init() { trials.Parquet = trials.Format{Open: open, Write: write} }

// file is a file that is open for reading.
type file struct {
	*parquet.File
	leaves []*parquet.Column
}

func open(r io.ReaderAt, size int64) (trials.Columnar, error) {
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
	}
	return file{f, f.Root().Columns()}, nil
}

// checkFooter checks the last eight bytes, which are the footer's length and a mark, before the reader allocates memory for the
// footer.
func checkFooter(r io.ReaderAt, size int64) error {
	const mark = "PAR1"
	var tail [8]byte
	if size == 0 {
		return errors.New("empty: want a Parquet file")
	}
	if size < int64(len(tail)+len(mark)) {
		return errors.New("not a Parquet file: too short")
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(tail[4:]) != mark {
		return errors.New("not a Parquet file, or cut short: it does not end in " + mark)
	}
	if int64(binary.LittleEndian.Uint32(tail[:4])) > size-int64(len(tail)+len(mark)) {
		return errors.New("damaged Parquet file: its footer is longer than the file")
	}
	return nil
}

// Names returns the names of the columns.
func (f file) Names() (names []string) {
	for _, column := range f.leaves {
		names = append(names, column.Name())
	}
	return names
}

// Check returns an error unless a column holds one number, boolean or text in each row.
func (f file) Check(i int) error {
	column := f.leaves[i]
	if !column.Leaf() || column.Repeated() {
		return errors.New("is nested: want one value a row")
	}
	kind := column.Type()
	bad := fmt.Errorf("holds %s: want numbers or text", kind)
	if logical := kind.LogicalType(); logical != nil && logical.Value != nil {
		switch logical.Value.(type) {
		case *format.IntType, *format.StringType, *format.EnumType, *format.NullType:
			return nil
		}
		return bad
	}
	switch kind.Kind() {
	case parquet.Int96, parquet.FixedLenByteArray:
		return bad
	}
	return nil
}

// Chunks returns the parts of a column.
func (f file) Chunks(column int) (chunks []trials.Chunk) {
	for _, group := range f.Metadata().RowGroups {
		chunks = append(chunks, trials.Chunk{Rows: group.NumRows, Bytes: group.Columns[f.leaves[column].Index()].MetaData.TotalUncompressedSize})
	}
	return chunks
}

// blockRows is the number of rows that are read at a time.
const blockRows = 1024

// Each reads some columns together and yields each row's cells.
func (f file) Each(columns []int, yield func(cells []trials.Cell) bool) error {
	b := block{columns: columns, names: f.Names(), cells: make([]trials.Cell, len(f.leaves))}
	for range columns {
		b.values = append(b.values, make([]parquet.Value, blockRows))
	}
	for _, group := range f.RowGroups() {
		if more, err := b.readGroup(group, f.leaves, yield); err != nil || !more {
			return err
		}
	}
	return nil
}

// block has the values of some columns in some rows.
type block struct {
	columns []int
	names   []string          // names of all columns
	values  [][]parquet.Value // values of each of columns
	cells   []trials.Cell     // cells of all columns in one row
}

// readGroup reads the columns of a row group together. It reports whether yield wants more.
func (b *block) readGroup(group parquet.RowGroup, leaves []*parquet.Column, yield func([]trials.Cell) bool) (more bool, err error) {
	readers := make([]parquet.ColumnChunkValueReader, len(b.columns))
	for i, column := range b.columns {
		readers[i] = parquet.NewColumnChunkValueReader(group.ColumnChunks()[leaves[column].Index()])
		defer readers[i].Close()
	}
	for left := group.NumRows(); left > 0; left -= blockRows {
		n := int(min(left, blockRows))
		for i, reader := range readers {
			if err := readFull(reader, b.values[i][:n]); err != nil {
				return false, fmt.Errorf("column %q: %w", b.names[b.columns[i]], err)
			}
		}
		for row := range n {
			for i, column := range b.columns {
				b.cells[column] = cellOf(b.values[i][row])
			}
			if !yield(b.cells) {
				return false, nil
			}
		}
	}
	return true, nil
}

func readFull(from parquet.ValueReader, into []parquet.Value) error {
	for len(into) > 0 {
		n, err := from.ReadValues(into)
		into = into[n:]
		if err != nil && len(into) > 0 {
			return err
		}
		if n == 0 && err == nil {
			return io.ErrNoProgress
		}
	}
	return nil
}

func cellOf(v parquet.Value) trials.Cell {
	if v.IsNull() {
		return trials.NullCell()
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return trials.NumberCell(1)
		}
		return trials.NumberCell(0)
	case parquet.Int32:
		return trials.NumberCell(float64(v.Int32()))
	case parquet.Int64:
		return trials.NumberCell(float64(v.Int64()))
	case parquet.Float:
		return trials.NumberCell(float64(v.Float()))
	case parquet.Double:
		return trials.NumberCell(v.Double())
	}
	return trials.TextCell(string(v.ByteArray()))
}
