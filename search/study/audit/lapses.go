package audit

import (
	"fmt"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/search/study"
)

// withLapses mixes a model with lapses, whose response times are uniform from 0 to the subject's last one. It refuses a model that
// is no density.
func withLapses(text string, p *bound.Prepared) (study.Bind, error) {
	probability, err := lapse.ParseProbability(text)
	if err != nil {
		return nil, err
	}
	if err := admitsLapses(p); err != nil {
		return nil, err
	}
	return func(c *study.Case) (of study.Problem, err error) {
		x, err := p.With(lapse.Lapses{Times: lapse.Window{High: slices.Max(c.Columns[0])}})
		if err == nil {
			of.Sum, of.Params, err = probability.Bind(x, c.Columns[0], c.Choice)
		}
		return of, err
	}, nil
}

// AdmitsLapses returns an error if lapses cannot be mixed with a model.
func AdmitsLapses(src *catalog.Model) error {
	p, err := bound.Open(src, bound.Ready)
	if err != nil {
		return err
	}
	defer p.Close()
	return admitsLapses(p)
}

func admitsLapses(p *bound.Prepared) error {
	if err := (lapse.Lapses{}).Check(p); err != nil {
		return fmt.Errorf("--lapse: %w", err)
	}
	return nil
}
