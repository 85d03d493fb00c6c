package ppc

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"likc/runtime/fit/figure"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
)

// Check checks a model on a bank, whose simulator is sim. It runs the missing units and writes the model's files.
func Check(ctx context.Context, m *catalog.Model, b *bank.Bank, sim Simulator, s Settings, where study.Where) (Summary, error) {
	sim.Model = sim.Model.From(ctx)
	if !m.OfBank(b.Settings.Model) {
		return Summary{}, fmt.Errorf("%s: its parameters are not those of %s, from which the bank is simulated", m.Name, b.Settings.Model)
	}
	binder, err := bound.Prepare(ctx, m, bound.Auto)
	if err != nil {
		return Summary{}, err
	}
	defer binder.Close()
	q := &question{s, m.Name, m.ParamNames(), b, sim, s.fitter(study.Binding(m, binder))}
	check := study.NewCheck(where, "ppc", "subjects", m, b.Settings, s)
	all, err := q.run(ctx, check)
	return study.Conclude(check, all, err, func(all []Subject) (Summary, error) { return q.summarise(ctx, all) },
		func(s *Summary) (study.Drawing, error) { return q.draw(ctx, s) })
}

// fitter returns the fitter of subjects, with the judge's settings.
func (s Settings) fitter(bind study.Bind) study.Fitter {
	n := s.NUTS(s.Seed)
	n.Init = s.Init
	return study.Draws{Bind: bind, Sampler: n}
}

// balance describes how often a subject ended at the upper boundary; "" for a model without two boundaries.
func balance(m *ssm.Model, s Subject) string {
	if m.CheckBoundaries() != nil {
		return ""
	}
	return fmt.Sprintf("%.0f%% upper, ", 100*s.Upper)
}

// draw draws three subjects that span the shares of choices, and the sorted distances of all subjects.
func (q *question) draw(ctx context.Context, s *Summary) (study.Drawing, error) {
	var subjects []figure.Predicted
	for _, i := range Spanning(s.Subjects) {
		predicted, err := q.predictedAgain(ctx, i)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s, subject %d: %sKS %.3f", s.Model, s.Subjects[i].ID, balance(q.sim.Model, s.Subjects[i]), s.Subjects[i].KS)
		subjects = append(subjects, figure.Predicted{Name: name, Seen: statistic.Signed(q.bank.Subjects[i].RT, q.bank.Subjects[i].Choice), Predicted: predicted})
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

// predictedAgain repeats the fit of a subject and returns the same predicted trials as before.
func (q *question) predictedAgain(ctx context.Context, i int) ([]float64, error) {
	c, err := banked.Source(q.bank).Case(ctx, i)
	if err != nil {
		return nil, err
	}
	f, err := q.fitter.Fit(ctx, &c)
	if err != nil {
		return nil, err
	}
	return q.predicted(c.ID, f.Draws)
}
