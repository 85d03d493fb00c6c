package trials

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"likc/runtime/sys/space"
	"likc/runtime/sys/store"
)

// Columnar is a file that holds its cells column by column. Columns are counted from 0.
type Columnar interface {
	// Names returns the names of the columns.
	Names() []string
	// Check returns an error unless a column holds one number, boolean or text in each row.
	Check(column int) error
	// Chunks returns the parts of a column.
	Chunks(column int) []Chunk
	// Each reads some columns together and yields each row's cells, until yield returns false. The cells are those of all columns, and of
	// columns that are not read they are undefined.
	Each(columns []int, yield func(cells []Cell) bool) error
}

// Chunk is a part of a column in a file.
type Chunk struct{ Rows, Bytes int64 } // numbers of cells, and of bytes when unpacked

// Format is a format of files with columns.
type Format struct {
	Open  func(r io.ReaderAt, size int64) (Columnar, error)
	Write func(w io.Writer, blocks Blocks) error
}

// Parquet is the format of files that end in .parquet. Package columnar sets it: a program that does not import that package reads and writes none of
// these files, and is megabytes smaller.
var Parquet = Format{
	Open:  func(io.ReaderAt, int64) (Columnar, error) { return nil, errNoParquet },
	Write: func(io.Writer, Blocks) error { return errNoParquet },
}

var errNoParquet = errors.New("this program reads and writes no Parquet: use CSV, or import package runtime/model/trials/columnar of likc")

// ReadParquet reads Parquet of the given size. name is the file's name for errors. Columns must be plain: numbers, booleans or text,
// not nested or repeated. Only columns that are used are read.
func ReadParquet(name string, r io.ReaderAt, size int64, o Options) (t *Table, err error) {
	defer func() { // the reader's own checks do not catch all damage
		if broken := recover(); broken != nil {
			t, err = nil, errorf(name, "damaged Parquet file: %v", broken)
		}
	}()
	file, err := Parquet.Open(r, size)
	if err != nil {
		return nil, errorf(name, "%v", err)
	}
	names := file.Names()
	if len(names) > maxColumns {
		return nil, errorf(name, "more than %d columns, the most that are read", maxColumns)
	}
	c, err := newCollector(name, names, o)
	if err != nil {
		return nil, err
	}
	if err := c.planFor(file); err != nil {
		return nil, err
	}
	if err := c.checkChunks(file, size); err != nil {
		return nil, err
	}
	if err := c.readColumns(file); err != nil {
		return nil, err
	}
	return c.finish()
}

// WriteParquet writes trials as Parquet: doubles, an int32 choice, a text subject.
func WriteParquet(path string, t *Table) error {
	return store.WriteFile(path, func(w io.Writer) error { return Parquet.Write(w, Whole(t)) })
}

// planFor returns an error if a column that is needed cannot be read. Columns that are only looked at are left out if they cannot.
func (c *collector) planFor(file Columnar) error {
	c.plan.watched = slices.DeleteFunc(c.plan.watched, func(i int) bool { return file.Check(i) != nil })
	c.plan.suspected = slices.DeleteFunc(c.plan.suspected, func(s *suspect) bool { return file.Check(s.column) != nil })
	if i := c.plan.response; i >= 0 && c.Response == "" && file.Check(i) != nil {
		c.plan.response = -1
	}
	for _, used := range c.plan.used() {
		if err := file.Check(used); err != nil {
			return errorf(c.file, "column %q: %v", c.plan.names[used], err)
		}
	}
	return nil
}

// checkChunks returns an error if the file announces cells beyond the limit, or far more data than its size can hold.
func (c *collector) checkChunks(file Columnar, size int64) error {
	const least = 8 // bytes of a number, which may need almost none in the file
	promised := int64(0)
	for _, used := range c.plan.used() {
		for _, chunk := range file.Chunks(used) {
			if chunk.Bytes/maxCell > chunk.Rows {
				return errorf(c.file, "column %q: a cell of more than %d MiB, the most that is read", c.plan.names[used], maxCell>>20)
			}
			promised += max(chunk.Bytes, least*chunk.Rows)
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

// readColumns reads the used columns.
func (c *collector) readColumns(file Columnar) (bad error) {
	used := c.plan.used()
	err := file.Each(used, func(cells []Cell) bool {
		for _, column := range used {
			if len(cells[column].text) > maxCell {
				bad = errorf(c.file, "row %d, column %q: a cell of more than %d MiB, the most that is read", c.rows+1, c.plan.names[column], maxCell>>20)
				return false
			}
		}
		bad = c.add(place{row: c.rows + 1}, cells)
		return bad == nil
	})
	if bad == nil && err != nil {
		bad = errorf(c.file, "damaged Parquet file: %v", err)
	}
	return bad
}
