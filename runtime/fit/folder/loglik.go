package folder

import (
	"context"
	"io"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
)

// logLikFile has the log density of each trial at each draw.
const logLikFile = "log_lik.parquet"

// drawnDensity is the log density of a trial at a draw. The file has the trials in order, for each the chains, and for each their draws.
type drawnDensity struct {
	Row    int64   `parquet:"row"`   // row of the trial in the data's file
	Chain  int32   `parquet:"chain"` // number of the chain, from 1
	Draw   int32   `parquet:"draw"`  // number within the chain, from 1
	LogLik float64 `parquet:"log_lik"`
}

// writeLogLik writes logLikFile, if it is wanted and the fit has PSIS-LOO, which needs the same densities.
func (f *Folder) writeLogLik(ctx context.Context, r *fit.Result) error {
	if !f.LogLik || r.LOO == nil || ctx.Err() != nil {
		return nil
	}
	d := r.Draws.Common()
	return f.hidden.WriteFile(filepath.Join(r.Folder, logLikFile), func(w io.Writer) error {
		out := parquet.NewGenericWriter[drawnDensity](w, parquet.CreatedBy("likc", "", ""), parquet.Compression(&parquet.Snappy))
		rows, waiting := make([]drawnDensity, len(d.Chains)*d.Len()), 0
		err := r.LogDensities(ctx, func(first int, density [][]float64) error {
			for i, of := range density {
				for s, x := range of {
					rows[s] = drawnDensity{int64(r.Row(first + i)), int32(d.Chains[s/d.Len()].ID), int32(s%d.Len() + 1), x}
				}
				if _, err := out.Write(rows); err != nil {
					return err
				}
				if waiting += len(rows); waiting >= rowsInMemory {
					waiting = 0
					if err := out.Flush(); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return out.Close()
	})
}
