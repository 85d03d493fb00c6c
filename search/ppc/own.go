package ppc

import (
	"context"
	"fmt"
	"slices"

	"likc/runtime/chains"
	"likc/runtime/finite"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/notation"
	"likc/runtime/statistic"
)

// Own is the check of fits of a user's own data, whose true parameters nobody knows.
type Own struct {
	Model    string        `json:"model"`
	KS       finite.Number `json:"ks"`      // median over subjects
	KSNull   finite.Number `json:"ks_null"` // the same of trials that the fits simulate themselves
	Subjects []OwnSubject  `json:"subjects"`
}

// OwnSubject is what came of one subject.
type OwnSubject struct {
	Subject string        `json:"subject,omitempty"`
	Trials  int           `json:"trials"`
	KS      finite.Number `json:"ks"`      // observed against posterior predictive
	KSNull  finite.Number `json:"ks_null"` // median over replicates: as many trials from one draw, against posterior predictive
	P       finite.Number `json:"p"`       // share of replicates at least as far off as the observed trials
}

// CheckFits compares the observed trials of the subjects with what their fits predict: with about trials simulated trials of many
// draws, and with replicates of each subject's data. It fails where the fits are of other trials.
func CheckFits(ctx context.Context, saved *folder.Saved, p *fit.Predictor, subjects []fit.Subject, trials, replicates int) (Own, error) {
	out := Own{Model: p.Spec.Model.Name}
	if len(subjects) != len(saved.Subjects) {
		return out, fmt.Errorf("%s has fits of %s, and the data have %d", saved.Dir, notation.Count(len(saved.Subjects), "subject"), len(subjects))
	}
	var distances, null []float64
	for i := range subjects {
		one, err := checkFit(ctx, saved, saved.Subjects[i], p, &subjects[i], trials, replicates)
		if err != nil {
			return out, err
		}
		out.Subjects = append(out.Subjects, one)
		distances, null = append(distances, float64(one.KS)), append(null, float64(one.KSNull))
	}
	out.KS, out.KSNull = finite.Number(statistic.Median(distances)), finite.Number(statistic.Median(null))
	return out, nil
}

func checkFit(ctx context.Context, saved *folder.Saved, s *fit.Summary, p *fit.Predictor, of *fit.Subject, trials, replicates int) (OwnSubject, error) {
	out := OwnSubject{Subject: of.Label, Trials: of.Trials()}
	if s.N != of.Trials() || s.Responses != "" && s.Responses != fit.ResponsesSum(p.Spec.Model, of) {
		return out, of.Name(fmt.Errorf("%s was fitted to other trials: name the data and the columns of the fit", saved.Path(s)))
	}
	draws, err := saved.Draws(s)
	if err != nil {
		return out, err
	}
	if names := p.Spec.Names(); !slices.Equal(names, draws.Names) {
		return out, fmt.Errorf("%s: has draws of %v, and the model has %v: give the fit's own --fix", saved.Path(s), draws.Names, names)
	}
	predicted, err := signedTrials(ctx, p, draws, of.Label, min(trials, 100), max(1, trials/100))
	if err != nil {
		return out, err
	}
	all := slices.Concat(predicted...)
	out.KS = finite.Number(KS(statistic.Signed(of.Columns[p.Spec.Model.TimeColumn()], of.Choice), all))
	again, err := signedTrials(ctx, p, draws, of.Label+" replicated", replicates, of.Trials())
	if err != nil {
		return out, err
	}
	var null []float64
	farther := 0
	for _, x := range again {
		null = append(null, KS(x, all))
		if null[len(null)-1] >= float64(out.KS) {
			farther++
		}
	}
	out.KSNull, out.P = finite.Number(statistic.Median(null)), finite.Number(float64(farther)/float64(len(null)))
	return out, nil
}

// signedTrials simulates so many trials of each of so many draws, with the sign of their choice.
func signedTrials(ctx context.Context, p *fit.Predictor, d *chains.Draws, label string, draws, trials int) (all [][]float64, err error) {
	err = p.Each(ctx, d, label, draws, trials, func(_ int, rt, choice []float64) error {
		all = append(all, statistic.Signed(rt, choice))
		return nil
	})
	return all, err
}
