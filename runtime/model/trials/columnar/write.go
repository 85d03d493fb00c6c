package columnar

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/model/trials"
)

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

// write writes trials: doubles, an int32 choice, a text subject.
func write(w io.Writer, blocks trials.Blocks) error {
	var out *parquet.GenericWriter[any]
	for t, err := range blocks {
		if err != nil {
			return err
		}
		if out == nil {
			out = parquet.NewGenericWriter[any](w, schema(t), parquet.CreatedBy("likc", "", ""), parquet.MaxRowsPerRowGroup(groupRows))
		}
		if err := appendTo(out, t); err != nil {
			return err
		}
	}
	return out.Close()
}

// schema returns the Parquet types of the columns of a table.
func schema(t *trials.Table) *parquet.Schema {
	var columns []parquet.Field
	for _, c := range t.InOrder() {
		node := parquet.Leaf(parquet.DoubleType)
		switch {
		case c.Labels != nil:
			node = parquet.String()
		case c.Name == t.ChoiceSymbol:
			node = parquet.Leaf(parquet.Int32Type)
		}
		columns = append(columns, Column(c.Name, node))
	}
	return Schema("trials", columns)
}

// appendTo appends the rows of a table to a file.
func appendTo(out *parquet.GenericWriter[any], t *trials.Table) error {
	columns := t.InOrder()
	row := make(parquet.Row, len(columns))
	rows := []parquet.Row{row}
	for n := range t.N() {
		for i, c := range columns {
			v := parquet.Value{}
			switch {
			case c.Labels != nil:
				v = parquet.ByteArrayValue([]byte(c.Labels[n]))
			case c.Name == t.ChoiceSymbol:
				v = parquet.Int32Value(int32(c.Numbers[n]))
			default:
				v = parquet.DoubleValue(c.Numbers[n])
			}
			row[i] = v.Level(0, 0, i)
		}
		if _, err := out.WriteRows(rows); err != nil {
			return err
		}
	}
	return nil
}
