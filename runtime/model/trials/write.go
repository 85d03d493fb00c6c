package trials

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"math"
	"os"
	"strconv"
	"strings"

	"likc/runtime/sys/store"

	"github.com/parquet-go/parquet-go"
)

// Write writes trials as Parquet if path ends in .parquet, otherwise as CSV; "-" means CSV on standard output. The columns are
// the subject (if the table has subjects), the trial symbols and the choice. The bytes do not depend on how many trials a block has.
// After an error no file is written.
func Write(path string, blocks Blocks) error {
	switch {
	case path == "-":
		return blocks.writeCSV(os.Stdout)
	case strings.EqualFold(ending(path), ".parquet"):
		return store.WriteFile(path, blocks.writeParquet)
	}
	return writeCSV(path, blocks)
}

// Blocks yields trials block by block, for tables that do not fit in memory. All blocks have the same columns. An error ends them.
type Blocks iter.Seq2[*Table, error]

// Whole yields all trials of a table as one block.
func Whole(t *Table) Blocks {
	return func(yield func(*Table, error) bool) { yield(t, nil) }
}

// WriteCSV writes trials as CSV, numbers with as many digits as they need to be read back exactly.
func WriteCSV(path string, t *Table) error { return writeCSV(path, Whole(t)) }

func writeCSV(path string, blocks Blocks) error {
	if !strings.EqualFold(ending(path), ".gz") {
		return store.WriteFile(path, blocks.writeCSV)
	}
	return store.WriteFile(path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(blocks.writeCSV(z), z.Close())
	})
}

// WriteParquet writes trials as Parquet: doubles, an int32 choice, a text subject.
func WriteParquet(path string, t *Table) error { return store.WriteFile(path, Whole(t).writeParquet) }

// names returns the columns of the table in the order of a file: subject, first trial symbol, choice, the other trial symbols.
func (t *Table) names() []string {
	var names []string
	if t.SubjectColumn != "" {
		names = append(names, t.SubjectColumn)
	}
	rest := t.Symbols
	if len(rest) > 0 {
		names, rest = append(names, rest[0]), rest[1:]
	}
	if t.ChoiceSymbol != "" {
		names = append(names, t.ChoiceSymbol)
	}
	return append(names, rest...)
}

// labels returns each row's subject; nil if the table has none.
func (t *Table) labels() []string {
	if t.SubjectColumn == "" {
		return nil
	}
	labels := make([]string, t.N())
	for _, s := range t.Subjects {
		for _, row := range s.Rows {
			labels[row] = s.Label
		}
	}
	return labels
}

// ordered returns the columns in the order of [Table.names]. That of the subject, which has no numbers, is nil.
func (t *Table) ordered() [][]float64 {
	var columns [][]float64
	for i, name := range t.names() {
		if i == 0 && t.SubjectColumn != "" {
			columns = append(columns, nil)
			continue
		}
		columns = append(columns, t.Column(name))
	}
	return columns
}

func (blocks Blocks) writeCSV(w io.Writer) error {
	out, begun := bufio.NewWriter(w), false
	for t, err := range blocks {
		if err != nil {
			return err
		}
		if !begun {
			t.writeHeader(out)
			begun = true
		}
		if err := t.writeRows(out); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (t *Table) writeHeader(out *bufio.Writer) {
	for i, name := range t.names() {
		writeSeparator(out, i)
		out.WriteString(field(name))
	}
	out.WriteByte('\n')
}

func (t *Table) writeRows(out *bufio.Writer) error {
	columns, labels := t.ordered(), t.labels()
	var digits [32]byte
	for row := range t.N() {
		for i, column := range columns {
			writeSeparator(out, i)
			if column == nil {
				out.WriteString(field(labels[row]))
				continue
			}
			out.Write(appendNumber(digits[:0], column[row]))
		}
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// appendNumber appends a number with as many digits as are needed to read it back exactly; NA for NaN.
func appendNumber(dst []byte, x float64) []byte {
	if math.IsNaN(x) {
		return append(dst, "NA"...)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

func writeSeparator(out *bufio.Writer, column int) {
	if column > 0 {
		out.WriteByte(',')
	}
}

// field quotes a text if CSV requires it.
func field(text string) string {
	if text == "" || strings.ContainsAny(text, ",;\t\"\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// Schema returns a Parquet schema whose columns keep their order. (A parquet.Group sorts them by name.)
func Schema(table string, columns []parquet.Field) *parquet.Schema {
	group := inOrder{Group: parquet.Group{}, fields: columns}
	for _, c := range columns {
		group.Group[c.Name()] = c
	}
	return parquet.NewSchema(table, group)
}

// Column returns a column for a [Schema].
func Column(name string, n parquet.Node) parquet.Field { return parquet.Group{name: n}.Fields()[0] }

type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in their order.
func (g inOrder) Fields() []parquet.Field { return g.fields }

// groupRows is the largest number of rows of a row group of a Parquet file. The writer keeps a group in memory.
const groupRows = 1 << 20

func (blocks Blocks) writeParquet(w io.Writer) error {
	var out *parquet.GenericWriter[any]
	for t, err := range blocks {
		if err != nil {
			return err
		}
		if out == nil {
			out = parquet.NewGenericWriter[any](w, t.schema(), parquet.CreatedBy("likc", "", ""), parquet.MaxRowsPerRowGroup(groupRows))
		}
		if err := t.appendTo(out); err != nil {
			return err
		}
	}
	return out.Close()
}

// schema returns the Parquet types of the columns of [Table.names].
func (t *Table) schema() *parquet.Schema {
	var columns []parquet.Field
	for i, name := range t.names() {
		node := parquet.Leaf(parquet.DoubleType)
		switch {
		case i == 0 && t.SubjectColumn != "":
			node = parquet.String()
		case name == t.ChoiceSymbol:
			node = parquet.Leaf(parquet.Int32Type)
		}
		columns = append(columns, Column(name, node))
	}
	return Schema("trials", columns)
}

// appendTo appends the rows to a Parquet file.
func (t *Table) appendTo(out *parquet.GenericWriter[any]) error {
	columns, labels := t.ordered(), t.labels()
	names, row := t.names(), make(parquet.Row, len(columns))
	rows := []parquet.Row{row}
	for n := range t.N() {
		for i, column := range columns {
			v := parquet.Value{}
			switch {
			case column == nil:
				v = parquet.ByteArrayValue([]byte(labels[n]))
			case names[i] == t.ChoiceSymbol:
				v = parquet.Int32Value(int32(column[n]))
			default:
				v = parquet.DoubleValue(column[n])
			}
			row[i] = v.Level(0, 0, i)
		}
		if _, err := out.WriteRows(rows); err != nil {
			return err
		}
	}
	return nil
}
