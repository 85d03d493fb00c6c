package folder

import (
	"context"
	"io"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
)

// predictiveFile has trials simulated from the draws, newcomersFile those of levels that a study did not have, such as new
// participants: each takes the place of one in the data, and its trials.
const (
	predictiveFile = "predictive.parquet"
	newcomersFile  = "newcomers.parquet"
)

// predictedTrial is a row of predictiveFile.
type predictedTrial struct {
	Draw   int32   `parquet:"draw"`        // from 1; draws are evenly spaced over all chains
	Trial  int32   `parquet:"trial"`       // from 1, in the draw
	RT     float64 `parquet:"rt,optional"` // in seconds; null where nobody responds by the deadline
	Choice int32   `parquet:"choice"`      // 1 or -1; 0 for a model without choice, and where nobody responds
}

// rowsInMemory is the number of rows after which they go to the file.
const rowsInMemory = 1 << 17

// writePredictive writes as many trials of each of f.Predictive draws as the subject has; of a study, one for each row of its data.
func (f *Folder) writePredictive(ctx context.Context, r *fit.Result) error {
	if f.Predictive == 0 || f.Simulate == nil || r.Draws == nil {
		return nil
	}
	d := r.Draws.Common()
	if r.Hierarchy == nil {
		return f.writeTrials(filepath.Join(r.Folder, predictiveFile), &r.Subject, func(use useTrials) error {
			return f.predictor().Each(ctx, d, r.Label, f.Predictive, r.Trials(), use)
		})
	}
	of := func(name string, newLevels bool) error {
		return f.writeTrials(name, &r.Subject, func(use useTrials) error {
			return f.studyPredictor(r, newLevels).Each(ctx, d, f.Predictive, use)
		})
	}
	if err := of(predictiveFile, false); err != nil || !r.Hierarchy.Study.Grouped() {
		return err
	}
	return of(newcomersFile, true)
}

// useTrials takes the trials of one draw, counted from 0.
type useTrials = func(draw int, rt, choice []float64) error

// writeTrials writes a file of simulated trials, as many for each draw as the subject has.
func (f *Folder) writeTrials(name string, of *fit.Subject, each func(use useTrials) error) error {
	return f.hidden.WriteFile(name, func(w io.Writer) error {
		out := parquet.NewGenericWriter[predictedTrial](w, parquet.CreatedBy("likc", "", ""), parquet.Compression(&parquet.Snappy))
		rows, waiting := make([]predictedTrial, of.Trials()), 0
		err := each(func(draw int, rt, choice []float64) error {
			for i := range rows {
				rows[i] = predictedTrial{Draw: int32(draw + 1), Trial: int32(i + 1), RT: rt[i]}
				if choice != nil {
					rows[i].Choice = int32(choice[i])
				}
				if !of.Answers(i, rt[i], float64(rows[i].Choice)) {
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

// predictor simulates what the fits predict.
func (f *Folder) predictor() *fit.Predictor {
	return &fit.Predictor{Spec: f.Spec, Simulate: f.Simulate, Seed: f.Seed}
}
