package trials

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"likc/runtime/sys/store"

	"github.com/parquet-go/parquet-go"
)

// Write writes trials as Parquet if path ends in .parquet, otherwise as CSV; "-" means CSV on standard output. The columns are
// the subject (if the table has subjects), the trial symbols and the choice. After an error no file is written.
func Write(path string, t *Table) error {
	switch {
	case path == "-":
		return t.writeCSV(os.Stdout)
	case strings.EqualFold(ending(path), ".parquet"):
		return WriteParquet(path, t)
	}
	return WriteCSV(path, t)
}

// WriteCSV writes trials as CSV, numbers with as many digits as they need to be read back exactly.
func WriteCSV(path string, t *Table) error {
	if !strings.EqualFold(ending(path), ".gz") {
		return store.WriteFile(path, t.writeCSV)
	}
	return store.WriteFile(path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(t.writeCSV(z), z.Close())
	})
}

// WriteParquet writes trials as Parquet: doubles, an int32 choice, a text subject.
func WriteParquet(path string, t *Table) error { return store.WriteFile(path, t.writeParquet) }

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

func (t *Table) writeCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	names, labels := t.names(), t.labels()
	for i, name := range names {
		writeSeparator(out, i)
		out.WriteString(field(name))
	}
	out.WriteByte('\n')
	var digits [32]byte
	for row := range t.N() {
		for i, name := range names {
			writeSeparator(out, i)
			if labels != nil && i == 0 {
				out.WriteString(field(labels[row]))
				continue
			}
			out.Write(appendNumber(digits[:0], t.Column(name)[row]))
		}
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return out.Flush()
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

func (t *Table) writeParquet(w io.Writer) error {
	names, labels := t.names(), t.labels()
	var columns []parquet.Field
	for i, name := range names {
		node := parquet.Leaf(parquet.DoubleType)
		switch {
		case labels != nil && i == 0:
			node = parquet.String()
		case name == t.ChoiceSymbol:
			node = parquet.Leaf(parquet.Int32Type)
		}
		columns = append(columns, Column(name, node))
	}
	out := parquet.NewGenericWriter[any](w, Schema("trials", columns), parquet.CreatedBy("likc", "", ""))
	row := make(parquet.Row, len(names))
	for n := range t.N() {
		for i, name := range names {
			v := parquet.Value{}
			switch {
			case labels != nil && i == 0:
				v = parquet.ByteArrayValue([]byte(labels[n]))
			case name == t.ChoiceSymbol:
				v = parquet.Int32Value(int32(t.Choice[n]))
			default:
				v = parquet.DoubleValue(t.Column(name)[n])
			}
			row[i] = v.Level(0, 0, i)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}
