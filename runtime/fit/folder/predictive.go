package folder

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
)

// The file predictive.parquet has trials simulated from the draws. The file newcomers.parquet has trials of new levels, such as new
// participants. Each new level replaces a level of the data and has its trials. If tables are written as CSV, the files are
// predictive.csv and newcomers.csv.
const (
	predictiveTable = "predictive"
	newcomersTable  = "newcomers"
)

// isTrials reports whether a file has simulated trials.
func isTrials(name string) bool {
	table := strings.TrimSuffix(strings.TrimSuffix(name, ".csv"), ".parquet")
	return table != name && (table == predictiveTable || table == newcomersTable)
}

// predictedTrial is a simulated trial.
type predictedTrial struct {
	Draw   int32   `parquet:"draw"`        // number of the draw, from 1; draws are evenly spaced over all chains
	Trial  int32   `parquet:"trial"`       // number within the draw, from 1
	Row    int64   `parquet:"row"`         // row in the data's file of the trial that it represents
	RT     float64 `parquet:"rt,optional"` // response time in seconds; null without a response by the deadline, and for a model without response times
	Choice int32   `parquet:"choice"`      // 1 or -1, or a number; 0 for a model without choice, and without a response
}

// predictedTrials is a file of simulated trials. [parquet.GenericWriter] has these methods.
type predictedTrials interface {
	Write(rows []predictedTrial) (int, error)
	Flush() error
	Close() error
}

// csvTrials writes simulated trials as CSV. An empty cell means null in Parquet.
type csvTrials struct{ *bufio.Writer }

func newCSVTrials(w io.Writer) csvTrials {
	out := csvTrials{bufio.NewWriter(w)}
	out.WriteString("draw,trial,row,rt,choice\n")
	return out
}

func (c csvTrials) Write(rows []predictedTrial) (n int, err error) {
	var line []byte
	for _, r := range rows {
		line = fmt.Appendf(line[:0], "%d,%d,%d,", r.Draw, r.Trial, r.Row)
		if r.RT != 0 {
			line = strconv.AppendFloat(line, r.RT, 'g', -1, 64)
		}
		if _, err = c.Writer.Write(fmt.Appendf(line, ",%d\n", r.Choice)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (c csvTrials) Close() error { return c.Flush() }

// newPredictedTrials begins a file of simulated trials, as CSV or Parquet.
func (f *Folder) newPredictedTrials(w io.Writer) predictedTrials {
	if f.CSV {
		return newCSVTrials(w)
	}
	return parquet.NewGenericWriter[predictedTrial](w, parquet.CreatedBy("likc", "", ""), parquet.Compression(&parquet.Snappy))
}

// rowsInMemory is the number of rows after which waiting rows are written to the file.
const rowsInMemory = 1 << 17

// writePredictive writes predictiveTable and, for a study with groups, newcomersTable. For each of f.Predictive draws, a file has
// one trial for each trial of the subject.
func (f *Folder) writePredictive(ctx context.Context, r *fit.Result) error {
	if f.Predictive == 0 || !f.predicts() || r.Draws == nil {
		return nil
	}
	predictor, d := r.Predictor(f.Simulator, f.Seed), r.Draws.Common()
	each := func(use useTrials) error { return predictor.Each(ctx, d, f.Predictive, use) }
	if err := f.writeTrials(filepath.Join(r.Folder, predictiveTable), &r.Subject, each); err != nil || !r.Study.Grouped() {
		return err
	}
	predictor.NewLevels = true
	return f.writeTrials(filepath.Join(r.Folder, newcomersTable), &r.Subject, each)
}

// useTrials receives the trials of one draw; draws are counted from 0.
type useTrials = func(draw int, rt, choice []float64) error

// writeTrials writes a table of simulated trials. Each draw has as many trials as the subject.
func (f *Folder) writeTrials(table string, of *fit.Subject, each func(use useTrials) error) error {
	ending := ".parquet"
	if f.CSV {
		ending = ".csv"
	}
	return f.hidden.WriteFile(table+ending, func(w io.Writer) error {
		out := f.newPredictedTrials(w)
		rows, waiting := make([]predictedTrial, of.Trials()), 0
		err := each(func(draw int, rt, choice []float64) error {
			for i := range rows {
				rows[i] = predictedTrial{Draw: int32(draw + 1), Trial: int32(i + 1), Row: int64(of.Row(i)), RT: rt[i]}
				if choice != nil {
					rows[i].Choice = int32(choice[i])
				}
				if f.Spec.Model.TimeColumn() < 0 {
					rows[i].RT = 0
				}
				if math.IsNaN(rt[i]) || !of.Answers(i, rt[i], float64(rows[i].Choice)) {
					rows[i].RT, rows[i].Choice = 0, 0 // the time 0 is written as null
				}
			}
			_, err := out.Write(rows)
			if waiting += len(rows); waiting >= rowsInMemory && err == nil {
				waiting, err = 0, out.Flush()
			}
			return err
		})
		if err != nil {
			return err
		}
		return out.Close()
	})
}

// predicts reports whether the model's trials can be simulated.
func (f *Folder) predicts() bool { return f.Simulator != nil || f.ofSessions() }

// ofSessions reports whether the data are sessions, whose responses are predicted from the other columns of each row.
func (f *Folder) ofSessions() bool {
	_, ok := f.Spec.Model.Session()
	return ok
}
