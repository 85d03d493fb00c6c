package folder

import (
	"context"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
)

// studyFigures lists the names of the figures that only studies have.
var studyFigures = []string{"newcomers", "effects", "shrinkage"}

// mostEffects is the largest number of effects, and of parameters with groups, that figures show.
const mostEffects = 24

// ofFormulas returns the figures of a fit with formulas: effects of columns, and the shrinkage of levels towards their mean.
func (f *Folder) ofFormulas(ctx context.Context, r *fit.Result) []plannedFigure {
	d := r.Draws.Common()
	effects := plannedFigure{"effects", func() (*figure.Figure, error) {
		all, err := r.Summary.Regression.Effects(d)
		if err != nil || len(all) == 0 {
			return nil, err
		}
		shown := make([]figure.Effect, min(len(all), mostEffects))
		for i := range shown {
			shown[i] = figure.Effect(all[i])
		}
		return figure.Effects(shown)
	}}
	if r.Summary.PriorOnly {
		return []plannedFigure{effects}
	}
	return []plannedFigure{effects, {"shrinkage", func() (*figure.Figure, error) {
		all, err := r.Study.Shrinkage(ctx, d)
		if err != nil || len(all) == 0 {
			return nil, err
		}
		shown := make([]figure.Shrinkage, min(len(all), mostEffects))
		for i := range shown {
			shown[i] = figure.Shrinkage{Title: all[i].Param + all[i].Factors + " by " + all[i].By, Unpooled: all[i].Unpooled, Pooled: all[i].Pooled, Mean: all[i].Mean}
		}
		return figure.Shrunk(shown)
	}}}
}
