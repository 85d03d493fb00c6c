package sbc

import (
	"context"
	"fmt"

	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
	"likc/search/study/checks"
)

// Calibrate calibrates a model. It runs the simulations that are missing and writes the model's files.
func Calibrate(ctx context.Context, src *catalog.Model, s Settings, where checks.Settings) (Summary, error) {
	model, done, err := Open(ctx, src, s.Process)
	if err != nil {
		return Summary{}, err
	}
	defer done()
	check := checks.New(where, "sbc", src, nil, s)
	all, err := checks.Units(ctx, check, s.Simulations, "simulations", func(ctx context.Context, i int) (Simulation, error) {
		return Simulate(ctx, model, s, i)
	})
	if err != nil {
		return Summary{}, err
	}
	summary := Summarise(model, s, all)
	return summary, check.Write(summary, func() (*figure.Figure, error) { return drawRanks(summary) })
}

// drawRanks draws the simulations that are not flagged, or all if every one is flagged.
func drawRanks(s Summary) (*figure.Figure, error) {
	r := s.Kept
	if r.Band == nil {
		r = s.All
	}
	if r.Band == nil {
		return figure.NoRanks("no simulation could be fitted")
	}
	var panels []figure.Ranked
	for _, p := range r.Params {
		panels = append(panels, figure.Ranked{Name: p.Name, Counts: p.Counts, Inside: p.Inside,
			Note: fmt.Sprintf("dispersion %.2f", p.Dispersion)})
	}
	return figure.RankDifference(panels, r.Band.Low, r.Band.High, r.Simulations)
}
