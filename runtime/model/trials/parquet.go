package trials

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"likc/runtime/sys/space"
)

// parquetBlock is the number of rows that are read at a time.
const parquetBlock = 1024

// ReadParquet reads Parquet of the given size. name is the file's name for errors. Columns must be plain: numbers, booleans or text,
// not nested or repeated. Only columns that are used are read.
func ReadParquet(name string, r io.ReaderAt, size int64, o Options) (t *Table, err error) {
	defer func() { // the reader's own checks do not catch all damage
		if broken := recover(); broken != nil {
			t, err = nil, errorf(name, "damaged Parquet file: %v", broken)
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return nil, errorf(name, "%v", err)
	}
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, errorf(name, "not a Parquet file: %v", err)
	}
	var leaves []*parquet.Column
	var names []string
	for _, column := range file.Root().Columns() {
		leaves = append(leaves, column)
		names = append(names, column.Name())
	}
	if len(names) > maxColumns {
		return nil, errorf(name, "more than %d columns, the most that are read", maxColumns)
	}
	c, err := newCollector(name, names, o)
	if err != nil {
		return nil, err
	}
	c.plan.watched = slices.DeleteFunc(c.plan.watched, func(i int) bool { return checkColumn(leaves[i]) != nil })
	c.plan.suspected = slices.DeleteFunc(c.plan.suspected, func(s *suspect) bool { return checkColumn(leaves[s.column]) != nil })
	if i := c.plan.response; i >= 0 && c.Response == "" && checkColumn(leaves[i]) != nil {
		c.plan.response = -1
	}
	for _, used := range c.plan.used() {
		if err := checkColumn(leaves[used]); err != nil {
			return nil, errorf(name, "column %q: %v", names[used], err)
		}
	}
	if err := c.checkBlocks(file, leaves, size); err != nil {
		return nil, err
	}
	for _, group := range file.RowGroups() {
		if err := c.readGroup(group, leaves); err != nil {
			return nil, err
		}
	}
	return c.finish()
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

// checkBlocks returns an error if the footer announces cells beyond the limit, or far more data than the file's size can hold.
func (c *collector) checkBlocks(file *parquet.File, leaves []*parquet.Column, size int64) error {
	const least = 8 // bytes of a number, which may need almost none in the file
	promised := int64(0)
	for _, group := range file.Metadata().RowGroups {
		for _, used := range c.plan.used() {
			chunk := group.Columns[leaves[used].Index()].MetaData
			if chunk.TotalUncompressedSize/maxCell > group.NumRows {
				return errorf(c.file, "column %q: a cell of more than %d MiB, the most that is read", c.plan.names[used], maxCell>>20)
			}
			promised += max(chunk.TotalUncompressedSize, least*group.NumRows)
		}
	}
	if promised > freeUnpacked && promised/maxRatio > size {
		return errorf(c.file, "unpacks to more than %d times its size, the most that is read: write it without compression if it is yours", maxRatio)
	}
	if err := space.Check(uint64(promised)); err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	return nil
}

// used lists the file's columns that are read.
func (p *plan) used() []int {
	used := append([]int(nil), p.trials...)
	if p.choice >= 0 {
		used = append(used, p.choice)
	}
	if p.subject >= 0 {
		used = append(used, p.subject)
	}
	for _, i := range []int{p.response, p.deadline} {
		if i >= 0 {
			used = append(used, i)
		}
	}
	for _, s := range p.suspected {
		used = append(used, s.column)
	}
	return slices.Concat(used, p.extra, p.supplied, p.watched)
}

// checkColumn returns an error unless a column holds one number, boolean or text in each row.
func checkColumn(column *parquet.Column) error {
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

// readGroup reads the used columns of a row group together.
func (c *collector) readGroup(group parquet.RowGroup, leaves []*parquet.Column) error {
	used := c.plan.used()
	readers := make([]parquet.ColumnChunkValueReader, len(used))
	for i, column := range used {
		readers[i] = parquet.NewColumnChunkValueReader(group.ColumnChunks()[leaves[column].Index()])
		defer readers[i].Close()
	}
	values := make([][]parquet.Value, len(used))
	for i := range values {
		values[i] = make([]parquet.Value, parquetBlock)
	}
	for left := group.NumRows(); left > 0; left -= parquetBlock {
		n := int(min(left, parquetBlock))
		for i, reader := range readers {
			if err := readFull(reader, values[i][:n]); err != nil {
				return errorf(c.file, "damaged Parquet file: column %q: %v", c.plan.names[used[i]], err)
			}
		}
		if err := c.addBlock(values, used, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) addBlock(values [][]parquet.Value, used []int, n int) error {
	cells := make([]cell, len(c.plan.names))
	for row := range n {
		for i, column := range used {
			if cells[column] = cellOf(values[i][row]); len(cells[column].text) > maxCell {
				return errorf(c.file, "row %d, column %q: a cell of more than %d MiB, the most that is read", c.rows+1, c.plan.names[column], maxCell>>20)
			}
		}
		if err := c.add(place{row: c.rows + 1}, cells); err != nil {
			return err
		}
	}
	return nil
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

func cellOf(v parquet.Value) cell {
	if v.IsNull() {
		return cell{kind: nullCell}
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return cell{number: 1, kind: numberCell}
		}
		return cell{kind: numberCell}
	case parquet.Int32:
		return cell{number: float64(v.Int32()), kind: numberCell}
	case parquet.Int64:
		return cell{number: float64(v.Int64()), kind: numberCell}
	case parquet.Float:
		return cell{number: float64(v.Float()), kind: numberCell}
	case parquet.Double:
		return cell{number: v.Double(), kind: numberCell}
	}
	return cell{text: string(v.ByteArray())}
}
