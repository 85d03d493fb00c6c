package bank

import (
	"bytes"

	"github.com/parquet-go/parquet-go"
)

// rowGroup is the number of trials in a row group. It is large enough for compression, and small enough for readers that work on row
// groups in parallel.
const rowGroup = 1 << 17

// trialRow is a row of trials.parquet. The bytes of doubles are split into streams before compression, because half of these bytes
// are zero for values on the grid.
type trialRow struct {
	Subject int32   `parquet:"subject,delta"`
	RT      float64 `parquet:"rt,split,zstd"`
	Choice  int32   `parquet:"choice,dict"`
}

func encodeTrials(subjects []Subject) ([]byte, error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[trialRow](&b, createdBy, parquet.MaxRowsPerRowGroup(rowGroup))
	var rows []trialRow
	for _, s := range subjects {
		rows = rows[:0]
		for i, rt := range s.RT {
			rows = append(rows, trialRow{int32(s.ID), rt, int32(s.Choice[i])})
		}
		if _, err := w.Write(rows); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// createdBy names the writer without a version, so that the bytes depend only on the settings.
var createdBy = parquet.CreatedBy("likc", "", "")

// These columns follow the subject and the parameters in subjects.parquet.
const (
	columnSubject   = "subject"
	columnTrials    = "trials"
	columnDropped   = "dropped"
	columnReflected = "reflected"
)

// column is a column of subjects.parquet.
type column struct {
	parquet.Field
	value func(Subject) parquet.Value
}

func subjectColumns(params []Range) []column {
	count := parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked)
	number := parquet.Compressed(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit), &parquet.Zstd)
	truth := parquet.Leaf(parquet.BooleanType)
	columns := []column{{field(columnSubject, count), func(s Subject) parquet.Value { return parquet.Int32Value(int32(s.ID)) }}}
	for i, p := range params {
		columns = append(columns, column{field(p.Name, number), func(s Subject) parquet.Value { return parquet.DoubleValue(s.Theta[i]) }})
	}
	return append(columns,
		column{field(columnTrials, count), func(s Subject) parquet.Value { return parquet.Int32Value(int32(len(s.RT))) }},
		column{field(columnDropped, count), func(s Subject) parquet.Value { return parquet.Int32Value(int32(s.Dropped)) }},
		column{field(columnReflected, truth), func(s Subject) parquet.Value { return parquet.BooleanValue(s.Reflected) }},
	)
}

// field returns a column with the given name.
func field(name string, n parquet.Node) parquet.Field { return parquet.Group{name: n}.Fields()[0] }

// inOrder is a Parquet group whose columns keep their order. A parquet.Group sorts them by name.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in their order.
func (g inOrder) Fields() []parquet.Field { return g.fields }

func encodeSubjects(b *Bank) ([]byte, error) {
	columns := subjectColumns(b.Settings.Params)
	schema := inOrder{Group: parquet.Group{}}
	for _, c := range columns {
		schema.Group[c.Name()] = c.Field
		schema.fields = append(schema.fields, c.Field)
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, parquet.NewSchema("subjects", schema), createdBy)
	row := make(parquet.Row, len(columns))
	for _, s := range b.Subjects {
		for i, c := range columns {
			row[i] = c.value(s).Level(0, 0, i)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
