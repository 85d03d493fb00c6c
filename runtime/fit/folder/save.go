package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"likc/runtime/fit"
)

// Save writes one result's files, the most valuable first, and then drops its draws, its study and its values by trial. It is the
// field Save of [fit.Settings]. If a figure cannot be drawn, or sessions cannot be compared with predicted ones, the error goes into
// the result's Figures.
func (f *Folder) Save(ctx context.Context, r *fit.Result, threads int) error {
	if r.Folder != "" {
		if err := f.hidden.Mkdir(r.Folder); err != nil {
			return err
		}
	}
	predict := f.predictOnce(ctx, r)
	f.checkPredictions(ctx, r, predict)
	if err := f.writeResults(r); err != nil {
		return err
	}
	if err := f.writePredictive(ctx, r); err != nil && ctx.Err() == nil {
		return err
	}
	if err := f.writeLogLik(ctx, r); err != nil && ctx.Err() == nil {
		return err
	}
	if err := f.writeZarr(ctx, r); err != nil {
		return err
	}
	var err error
	if f.wantsFigures(r) {
		r.Figures, err = f.writeFigures(ctx, r, predict, threads)
	}
	if err == nil {
		var undrawn error
		undrawn, err = f.writeSignals(ctx, r)
		r.Figures = errors.Join(r.Figures, undrawn)
	}
	r.Draws, r.Study, r.Cells, r.LOO, r.Lapses = nil, nil, nil, nil, nil
	return err
}

// writeResults writes the draws if there are any, cross-validation, lapses, cells and the summary.
func (f *Folder) writeResults(r *fit.Result) error {
	if r.Draws != nil {
		for i := range r.Draws.Chains {
			name := chainFile(r.Draws.Chains[i].ID)
			if err := f.hidden.WriteFile(filepath.Join(r.Folder, name), func(w io.Writer) error { return forStan(r).WriteStan(w, i) }); err != nil {
				return err
			}
		}
	}
	if err := f.writeLOO(r); err != nil {
		return err
	}
	if err := f.writeLapses(r); err != nil {
		return err
	}
	if err := f.writeCells(r); err != nil {
		return err
	}
	return f.writeJSON(filepath.Join(r.Folder, SummaryFile), r.JSON())
}

// chainFile returns the name of a chain's file.
func chainFile(id int) string { return fmt.Sprintf("chain_%d.csv", id) }
