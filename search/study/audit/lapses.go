package audit

import (
	"fmt"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// lapses make the likelihood that is fitted one that knows of guesses.
type lapses struct {
	mixture     *lapse.Mixture
	probability lapse.Probability
}

// newLapses mixes a model with lapses. It refuses a model that is no density.
func newLapses(text string, src *catalog.Model, binder *bound.Prepared) (*lapses, error) {
	p, err := lapse.ParseProbability(text)
	if err != nil {
		return nil, err
	}
	x, err := lapse.New(src, binder, lapse.Window{High: bank.Latest})
	if err != nil {
		return nil, fmt.Errorf("--lapse: %w", err)
	}
	return &lapses{x, p}, nil
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

// problem is the mixture, given a subject's trials. Response times of lapses are uniform from 0 to the subject's last one.
func (l *lapses) problem(s bank.Subject) (judge.Problem, error) {
	x := *l.mixture
	x.Window.High = slices.Max(s.RT)
	lik, params, err := l.probability.Bind(&x, s.RT, s.Choice)
	if err != nil {
		return judge.Problem{}, err
	}
	return judge.Problem{Sum: lik, Params: params}, nil
}
