package trials

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/sys/store"
)

// Write writes trials as Parquet if path ends in .parquet, otherwise as CSV; "-" means CSV on standard output. The columns are
// the subject (if the table has subjects), the trial symbols and the choice. The bytes do not depend on how many trials a block has.
// After an error no file is written.
func Write(path string, blocks Blocks) error {
	switch {
	case path == "-":
		return blocks.writeCSV(os.Stdout)
	case strings.EqualFold(ending(path), ".parquet"):
		return store.WriteFile(path, func(w io.Writer) error { return Parquet.Write(w, blocks) })
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

// Filed is a column as a file has it. That of the subject has Labels in place of Numbers.
type Filed struct {
	Name    string
	Numbers []float64
	Labels  []string
}

// InOrder returns the columns of the table in the order of a file: subject, first trial symbol, choice, the other trial symbols.
func (t *Table) InOrder() (columns []Filed) {
	if t.SubjectColumn != "" {
		columns = append(columns, Filed{Name: t.SubjectColumn, Labels: t.labels()})
	}
	names := t.Symbols
	if t.ChoiceSymbol != "" {
		names = slices.Insert(slices.Clone(names), min(1, len(names)), t.ChoiceSymbol)
	}
	for _, name := range names {
		columns = append(columns, Filed{Name: name, Numbers: t.Column(name)})
	}
	return columns
}

// labels returns each row's subject.
func (t *Table) labels() []string {
	labels := make([]string, t.N())
	for _, s := range t.Subjects {
		for _, row := range s.Rows {
			labels[row] = s.Label
		}
	}
	return labels
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
	for i, c := range t.InOrder() {
		writeSeparator(out, i)
		out.WriteString(field(c.Name))
	}
	out.WriteByte('\n')
}

func (t *Table) writeRows(out *bufio.Writer) error {
	columns := t.InOrder()
	var digits [32]byte
	for row := range t.N() {
		for i, c := range columns {
			writeSeparator(out, i)
			if c.Labels != nil {
				out.WriteString(field(c.Labels[row]))
				continue
			}
			out.Write(appendNumber(digits[:0], c.Numbers[row]))
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
