package folder

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
	"likc/runtime/model/stopsignal"
)

// signalsFile compares sessions of the stop-signal task with predicted ones, with a row for each statistic. signalsFigure is a
// figure of the same comparison.
const (
	signalsFile   = "signals.csv"
	signalsFigure = "signals"
)

// signalDraws is the number of draws, evenly spaced over all chains, each of which predicts one session for signalsFile.
const signalDraws = 500

// writeSignals writes signalsFile and draws its figure, for a result of sessions. Errors of prediction and drawing go into undrawn.
func (f *Folder) writeSignals(ctx context.Context, r *fit.Result) (undrawn, unwritten error) {
	if r.Draws == nil || r.Interrupted() || !f.ofSessions() {
		return nil, nil
	}
	all, err := f.compareSignals(ctx, r)
	if err != nil {
		return err, nil
	}
	if err := f.hidden.WriteFile(filepath.Join(r.Folder, signalsFile), func(w io.Writer) error { return writeCompared(w, all) }); err != nil {
		return nil, err
	}
	if f.NoFigures {
		return nil, nil
	}
	d := plannedFigure{signalsFigure, func() (*figure.Figure, error) { return figure.Comparisons(signalPanels(all)) }}.render(f.PNG)
	if d.err != nil {
		return d.err, nil
	}
	return nil, f.writeDrawing(r.Folder, d)
}

// compareSignals compares the observed sessions of a result with sessions predicted from draws of its posterior.
func (f *Folder) compareSignals(ctx context.Context, r *fit.Result) ([]stopsignal.Compared, error) {
	// a trial without a signal has the delay NaN, instead of the number that stands for a missing value
	predictive := stopsignal.NewPredictive(stopsignal.SessionOf(f.Spec.Model.MissingAsNaN(r.Columns), r.Choice))
	use := func(_ int, rt, choice []float64) error {
		predictive.Add(rt, choice)
		return nil
	}
	err := r.Predictor(f.Simulator, f.Seed).Each(ctx, r.Draws.Common(), signalDraws, use)
	return predictive.Compare(), err
}

// writeCompared writes a row for each statistic; NA marks missing values.
func writeCompared(w io.Writer, all []stopsignal.Compared) error {
	out := csv.NewWriter(w)
	out.Write([]string{"statistic", "ssd", "trials", "observed", "mean", "5%", "95%", "p"}) // the csv writer remembers its first error
	for _, c := range all {
		row := []string{c.Name, short(c.Delay), strconv.Itoa(c.Trials)}
		for _, x := range []float64{c.Observed, c.Mean, c.Low, c.High, c.P} {
			row = append(row, short(x))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// short writes a number with 6 digits, or NA.
func short(x float64) string {
	if math.IsNaN(x) {
		return "NA"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// signalPanels returns three panels: the inhibition function, response times in spite of a signal, and response times without a
// signal. It skips statistics of fewer than [stopsignal.Fewest] trials. all is in the order of [stopsignal.Predictive.Compare]: the
// share of omissions, a quantile for each of Levels, then two statistics for each delay.
func signalPanels(all []stopsignal.Compared) []figure.Comparison {
	omitted := all[0]
	inhibition := figure.Comparison{Title: "signals: responses", X: "delay of the signal (s)", Y: "share of responses", Share: true}
	times := figure.Comparison{Title: "signals: times of responses", X: "delay of the signal (s)", Y: "median response time (s)"}
	free := figure.Comparison{Title: fmt.Sprintf("no signal: omitted %.2g, predicted %.2g", omitted.Observed, omitted.Mean), X: "quantile", Y: "response time (s)"}
	for i, c := range all[1:] {
		switch {
		case c.Trials < stopsignal.Fewest:
		case i < len(stopsignal.Levels):
			free.Add(stopsignal.Levels[i], c.Observed, c.Mean, c.Low, c.High)
		case c.Name == stopsignal.ResponseShare:
			inhibition.Add(c.Delay, c.Observed, c.Mean, c.Low, c.High)
		default:
			times.Add(c.Delay, c.Observed, c.Mean, c.Low, c.High)
		}
	}
	return []figure.Comparison{inhibition, times, free}
}
