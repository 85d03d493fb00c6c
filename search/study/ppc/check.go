package ppc

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"likc/runtime/fit/figure"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
	"likc/search/study/checks"
)

// Check checks a model on a bank, whose simulator is sim. It runs the units that are missing and writes the model's files.
func Check(ctx context.Context, src *catalog.Model, b *bank.Bank, sim Simulator, s Settings, where checks.Settings) (Summary, error) {
	if !src.Of(b.Settings.Model) {
		return Summary{}, fmt.Errorf("%s: its parameters are not those of %s, from which the bank is simulated", src.Name, b.Settings.Model)
	}
	binder, err := bound.Prepare(ctx, src, bound.Auto)
	if err != nil {
		return Summary{}, err
	}
	defer binder.Close()
	m := Model{Name: src.Name, Params: src.ParamNames(), Bind: func(subject bank.Subject) (*posterior.Posterior, error) {
		return posteriorOf(src, binder, subject)
	}}
	check := checks.New(where, "ppc", src, b.Settings, s)
	all, err := checks.Units(ctx, check, len(b.Subjects), "subjects", func(ctx context.Context, i int) (Subject, error) {
		return Fit(ctx, m, sim, b.Subjects[i], s)
	})
	if err != nil {
		return Summary{}, err
	}
	summary, err := Summarise(ctx, m, sim, b, all, s)
	if err != nil {
		return summary, err
	}
	return summary, check.Write(summary, func() (*figure.Figure, error) { return drawPredictions(ctx, m, sim, b, summary) })
}

// posteriorOf binds a subject's trials.
func posteriorOf(src *catalog.Model, binder *bound.Prepared, s bank.Subject) (*posterior.Posterior, error) {
	columns, choice := [][]float64{s.RT}, s.Choice
	params, err := src.Parameters(nil, columns, choice)
	if err != nil {
		return nil, err
	}
	lik, err := binder.Bind(kernel.Trials{Columns: columns, Choice: choice}, bound.Design{})
	if err != nil {
		return nil, err
	}
	return posterior.New(lik, params)
}

// balance says how often a subject ended at the upper boundary, of a model that has two.
func balance(m *ssm.Model, s Subject) string {
	if m.CheckBoundaries() != nil {
		return ""
	}
	return fmt.Sprintf("%.0f%% upper, ", 100*s.Upper)
}

// drawPredictions draws three subjects that span the choice balance, and the distances of all subjects, sorted.
func drawPredictions(ctx context.Context, m Model, sim Simulator, b *bank.Bank, s Summary) (*figure.Figure, error) {
	var subjects []figure.Predicted
	for _, i := range Spanning(s.Subjects) {
		predicted, err := Predict(ctx, m, sim, b.Subjects[i], s.Settings)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s, subject %d: %sKS %.3f", s.Model, s.Subjects[i].ID, balance(sim.Model, s.Subjects[i]), s.Subjects[i].KS)
		subjects = append(subjects, figure.Predicted{Name: name, Seen: statistic.Signed(b.Subjects[i].RT, b.Subjects[i].Choice), Predicted: predicted})
	}
	var order []int
	for i := range s.Subjects {
		if s.Subjects[i].Error == "" {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Subjects[i].KS, s.Subjects[j].KS) })
	kinds := []figure.Distances{{Name: "posterior", Median: float64(s.KS)}, {Name: "true", Median: float64(s.KSTruth)}, {Name: "null", Median: float64(s.KSNull)}}
	for _, i := range order {
		kinds[0].KS = append(kinds[0].KS, float64(s.Subjects[i].KS))
		kinds[1].KS = append(kinds[1].KS, float64(s.Subjects[i].AtTrue))
		kinds[2].KS = append(kinds[2].KS, s.Nulls[i])
	}
	return figure.Predictive(subjects, kinds)
}
