package audit

import (
	"fmt"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/search/study"
	"likc/search/study/bank"
)

// withLapses mixes a model with lapses, whose response times are uniform from 0 to the subject's last one. It refuses a model that is no density.
func withLapses(text string, src *catalog.Model, binder *bound.Prepared) (study.Bind, error) {
	probability, err := lapse.ParseProbability(text)
	if err != nil {
		return nil, err
	}
	mixture, err := lapse.New(src, binder, lapse.Window{High: bank.Latest})
	if err != nil {
		return nil, fmt.Errorf("--lapse: %w", err)
	}
	return func(c *study.Case) (p study.Problem, err error) {
		x := *mixture
		x.Window.High = slices.Max(c.Columns[0])
		p.Sum, p.Params, err = probability.Bind(&x, c.Columns[0], c.Choice)
		return p, err
	}, nil
}

// AdmitsLapses says why lapses cannot be mixed with a model.
func AdmitsLapses(src *catalog.Model) error {
	binder, err := bound.Open(src, bound.Ready)
	if err != nil {
		return err
	}
	defer binder.Close()
	if _, err := lapse.New(src, binder, lapse.Window{High: bank.Latest}); err != nil {
		return fmt.Errorf("--lapse: %w", err)
	}
	return nil
}
