package bank

import (
	"bytes"
	"iter"
	"slices"

	"likc/runtime/model/ssm"
	"likc/runtime/model/trials/columnar"

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

func encodeTrials(b *Bank) ([]byte, error) {
	if b.Settings.Design != nil {
		return encodeDesigned(b)
	}
	return encodeResponses(b.Subjects)
}

// encodeResponses writes trials that have only a response time and a choice.
func encodeResponses(subjects []Subject) ([]byte, error) {
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

// column is a column of a table whose rows have the type R.
type column[R any] struct {
	parquet.Field
	value func(R) parquet.Value
}

// These are the types of columns.
var (
	count32 = parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked)
	number  = parquet.Compressed(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit), &parquet.Zstd)
	code    = parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.RLEDictionary)
	truth   = parquet.Leaf(parquet.BooleanType)
)

func subjectColumns(params []Range) []column[Subject] {
	columns := []column[Subject]{{columnar.Column(columnSubject, count32), func(s Subject) parquet.Value { return parquet.Int32Value(int32(s.ID)) }}}
	for i, p := range params {
		columns = append(columns, column[Subject]{columnar.Column(p.Name, number), func(s Subject) parquet.Value { return parquet.DoubleValue(s.Theta[i]) }})
	}
	return append(columns,
		column[Subject]{columnar.Column(columnTrials, count32), func(s Subject) parquet.Value { return parquet.Int32Value(int32(len(s.RT))) }},
		column[Subject]{columnar.Column(columnDropped, count32), func(s Subject) parquet.Value { return parquet.Int32Value(int32(s.Dropped)) }},
		column[Subject]{columnar.Column(columnReflected, truth), func(s Subject) parquet.Value { return parquet.BooleanValue(s.Reflected) }},
	)
}

// trial is one trial of a subject.
type trial struct {
	*Subject
	at int // index of the trial
}

func trialColumns(s Settings) []column[trial] {
	columns := []column[trial]{{columnar.Column(columnSubject, count32), func(t trial) parquet.Value { return parquet.Int32Value(int32(t.ID)) }}}
	if s.HasTimes() {
		columns = append(columns, column[trial]{columnar.Column(ssm.ResponseTime, number), func(t trial) parquet.Value { return parquet.DoubleValue(t.RT[t.at]) }})
	}
	columns = append(columns, column[trial]{columnar.Column(ssm.Choice, code), func(t trial) parquet.Value { return parquet.Int32Value(int32(t.Choice[t.at])) }})
	for j, name := range s.Design.Columns {
		columns = append(columns, column[trial]{columnar.Column(name, number), func(t trial) parquet.Value { return parquet.DoubleValue(t.Columns[j][t.at]) }})
	}
	return columns
}

func encodeSubjects(b *Bank) ([]byte, error) {
	return encodeTable("subjects", subjectColumns(b.Settings.Params), slices.Values(b.Subjects))
}

// encodeDesigned writes trials with the columns of the bank's design.
func encodeDesigned(b *Bank) ([]byte, error) {
	return encodeTable("trials", trialColumns(b.Settings), func(yield func(trial) bool) {
		for i := range b.Subjects {
			for at := range b.Subjects[i].RT {
				if !yield(trial{&b.Subjects[i], at}) {
					return
				}
			}
		}
	})
}

// encodeTable writes rows as a table with that name.
func encodeTable[R any](name string, columns []column[R], rows iter.Seq[R]) ([]byte, error) {
	var fields []parquet.Field
	for _, c := range columns {
		fields = append(fields, c.Field)
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, columnar.Schema(name, fields), createdBy, parquet.MaxRowsPerRowGroup(rowGroup))
	row := make(parquet.Row, len(columns))
	for r := range rows {
		for i, c := range columns {
			row[i] = c.value(r).Level(0, 0, i)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
