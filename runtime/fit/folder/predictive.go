package folder

import (
	"context"
	"io"
	"math"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
)

// predictiveFile has trials simulated from the draws. newcomersFile has trials of new levels, such as new participants, each of
// which replaces a level of the data and has its trials.
const (
	predictiveFile = "predictive.parquet"
	newcomersFile  = "newcomers.parquet"
)

// predictedTrial is a row of predictiveFile.
type predictedTrial struct {
	Draw   int32   `parquet:"draw"`        // number of the draw, from 1; draws are evenly spaced over all chains
	Trial  int32   `parquet:"trial"`       // number within the draw, from 1
	Row    int64   `parquet:"row"`         // row in the data's file of the trial that it represents
	RT     float64 `parquet:"rt,optional"` // response time in seconds; null without a response by the deadline, and for a model without response times
	Choice int32   `parquet:"choice"`      // 1 or -1, or a number; 0 for a model without choice, and without a response
}

// rowsInMemory is the number of rows after which they are written to the file.
const rowsInMemory = 1 << 17

// writePredictive writes, for each of f.Predictive draws, as many trials as the subject has; for a study, one for each row of its
// data.
func (f *Folder) writePredictive(ctx context.Context, r *fit.Result) error {
	if f.Predictive == 0 || !f.predicts() || r.Draws == nil {
		return nil
	}
	predictor, d := r.Predictor(f.Simulator, f.Seed), r.Draws.Common()
	each := func(use useTrials) error { return predictor.Each(ctx, d, f.Predictive, use) }
	if err := f.writeTrials(filepath.Join(r.Folder, predictiveFile), &r.Subject, each); err != nil || !r.Study.Grouped() {
		return err
	}
	predictor.NewLevels = true
	return f.writeTrials(filepath.Join(r.Folder, newcomersFile), &r.Subject, each)
}

// useTrials receives the trials of one draw, counted from 0.
type useTrials = func(draw int, rt, choice []float64) error

// writeTrials writes a file of simulated trials, with as many for each draw as the subject has.
func (f *Folder) writeTrials(name string, of *fit.Subject, each func(use useTrials) error) error {
	return f.hidden.WriteFile(name, func(w io.Writer) error {
		out := parquet.NewGenericWriter[predictedTrial](w, parquet.CreatedBy("likc", "", ""), parquet.Compression(&parquet.Snappy))
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
					rows[i].RT, rows[i].Choice = 0, 0 // 0 is written as null
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
