package folder

import (
	"context"
	"io"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
)

// predictiveFile has trials simulated from the draws.
const predictiveFile = "predictive.parquet"

// predictedTrial is a row of predictiveFile.
type predictedTrial struct {
	Draw   int32   `parquet:"draw"`        // from 1; draws are evenly spaced over all chains
	Trial  int32   `parquet:"trial"`       // from 1, in the draw
	RT     float64 `parquet:"rt,optional"` // in seconds; null where nobody responds by the deadline
	Choice int32   `parquet:"choice"`      // 1 or -1; 0 for a model without choice, and where nobody responds
}

// rowsInMemory is the number of rows after which they go to the file.
const rowsInMemory = 1 << 17

// writePredictive writes as many trials of each of f.Predictive draws as the subject has.
func (f *Folder) writePredictive(ctx context.Context, r *fit.Result) error {
	if f.Predictive == 0 || f.Simulate == nil || r.Draws == nil {
		return nil
	}
	return f.hidden.WriteFile(filepath.Join(r.Folder, predictiveFile), func(w io.Writer) error {
		out := parquet.NewGenericWriter[predictedTrial](w, parquet.CreatedBy("likc", "", ""), parquet.Compression(&parquet.Snappy))
		rows, waiting := make([]predictedTrial, r.Trials()), 0
		err := f.predictor().Each(ctx, r.Draws.Common(), r.Label, f.Predictive, r.Trials(), func(draw int, rt, choice []float64) error {
			for i := range rows {
				rows[i] = predictedTrial{Draw: int32(draw + 1), Trial: int32(i + 1), RT: rt[i]}
				if choice != nil {
					rows[i].Choice = int32(choice[i])
				}
				if !r.Answers(i, rt[i], float64(rows[i].Choice)) {
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
