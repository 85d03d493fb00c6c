package ppc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/runtime/num/statistic"

	"gonum.org/v1/gonum/stat"
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
	MCSE    finite.Number `json:"p_mcse"`  // Monte Carlo standard error of P, from replicates and predictive
	P       finite.Number `json:"p"`       // share of replicates at least as far off as the observed trials
}

// CheckFits compares the observed trials of the subjects with what their fits predict: with about trials simulated trials of many
// draws, 0 for as many as make p stable, and with replicates of each subject's data. It fails where the fits are of other trials; sum is the SHA-256 of the data's file.
func CheckFits(ctx context.Context, saved *folder.Saved, p *fit.Predictor, subjects []fit.Subject, sum string, trials, replicates int) (Own, error) {
	out := Own{Model: p.Spec.Model.Name}
	if len(subjects) != len(saved.Subjects) {
		return out, fmt.Errorf("%s has fits of %s, and the data have %d", saved.Dir, notation.Count(len(saved.Subjects), "subject"), len(subjects))
	}
	var distances, null []float64
	for i := range subjects {
		of := &subjects[i]
		if s := saved.Subjects[i]; len(subjects) > 1 && s.Subject != of.Label || !ofTrials(s, p.Spec.Model, of, sum) {
			return out, of.Name(fmt.Errorf("%s was fitted to other trials: name the data and the columns of the fit", saved.Path(s)))
		}
		one, err := checkFit(ctx, saved, saved.Subjects[i], p, of, trials, replicates)
		if err != nil {
			return out, err
		}
		out.Subjects = append(out.Subjects, one)
		distances, null = append(distances, float64(one.KS)), append(null, float64(one.KSNull))
	}
	out.KS, out.KSNull = finite.Number(statistic.Median(distances)), finite.Number(statistic.Median(null))
	return out, nil
}

// ofTrials reports whether a fit is of a subject's trials, with the same codes of choices, which its predictions have. A fit that does not say what its trials
// are, as one without PSIS-LOO by an older version, must be of the very file.
func ofTrials(s *fit.Summary, m *catalog.Model, of *fit.Subject, sum string) bool {
	if s.N != of.Trials() {
		return false
	}
	if s.Responses == "" {
		return s.Record == nil || s.Data == nil || s.Data.SHA256 == sum
	}
	return s.Responses == fit.ResponsesSum(m, of)
}

// The predictive is of so many draws at most. Unless the caller says otherwise it has so many trials for each observed one, within limits: what p
// owes to the chance of the predictive is small then, beside that of the replicates.
const (
	predictiveDraws = 1000
	predictedEach   = 200
	leastPredicted  = 100_000
	mostPredicted   = 1_000_000
)

func checkFit(ctx context.Context, saved *folder.Saved, s *fit.Summary, p *fit.Predictor, of *fit.Subject, trials, replicates int) (out OwnSubject, err error) {
	draws, err := saved.Draws(s)
	if err != nil {
		return out, err
	}
	if names := p.Spec.Names(); !slices.Equal(names, draws.Names) {
		return out, fmt.Errorf("%s: has draws of %v, and the model has %v: give the fit's own --fix", saved.Path(s), draws.Names, names)
	}
	return compare(ctx, p, draws, of, trials, replicates)
}

// compare compares the trials of a subject with what draws predict.
func compare(ctx context.Context, p *fit.Predictor, draws *chains.Draws, of *fit.Subject, trials, replicates int) (OwnSubject, error) {
	out := OwnSubject{Subject: of.Label, Trials: of.Trials()}
	if trials == 0 {
		trials = min(max(leastPredicted, predictedEach*of.Trials()), mostPredicted)
	}
	many := min(trials, predictiveDraws, len(draws.Chains)*draws.Len())
	all, err := newPredictive(ctx, p, draws, of.Label, many, trials/many)
	if err != nil {
		return out, err
	}
	seen := all.distances(statistic.Signed(of.Columns[p.Spec.Model.TimeColumn()], of.Choice))
	var null []float64
	var farther [1 + folds]float64
	err = eachSigned(ctx, p, draws, of.Label+" replicated", replicates, of.Trials(), func(x []float64) {
		replicated := all.distances(x)
		for i := range seen {
			if replicated[i] >= seen[i] {
				farther[i]++
			}
		}
		null = append(null, replicated[0])
	})
	if err != nil {
		return out, err
	}
	out.KS, out.KSNull = finite.Number(seen[0]), finite.Number(statistic.Median(null))
	out.P, out.MCSE = finite.Number(farther[0]/float64(replicates)), finite.Number(errorOf(farther, float64(replicates)))
	return out, nil
}

// folds is how many parts of a predictive are left out, one at a time, to see how much p depends on it.
const folds = 10

// predictive is simulated trials of many draws, sorted, each with its fold. Before the trial of each place there are so many of each fold.
type predictive struct {
	times  []float64
	before [][folds]int32
}

// newPredictive simulates so many trials of each of so many draws.
func newPredictive(ctx context.Context, p *fit.Predictor, d *chains.Draws, label string, draws, trials int) (*predictive, error) {
	type trial struct {
		time float64
		fold int
	}
	var all []trial
	err := eachSigned(ctx, p, d, label, draws, trials, func(x []float64) {
		for _, time := range x {
			all = append(all, trial{time, len(all) / trials % folds}) // every so manieth draw is of one fold
		}
	})
	slices.SortStableFunc(all, func(a, b trial) int { return cmp.Compare(a.time, b.time) })
	out := &predictive{make([]float64, len(all)), make([][folds]int32, len(all)+1)}
	for i, t := range all {
		out.times[i], out.before[i+1] = t.time, out.before[i]
		out.before[i+1][t.fold]++
	}
	return out, err
}

// distances are those of Kolmogorov and Smirnov from a sample to all of the predictive, and to all but each fold. It sorts the sample.
func (p *predictive) distances(x []float64) (out [1 + folds]float64) {
	slices.Sort(x)
	for i, at, n := 0, 0, float64(len(x)); i < len(x); {
		below := at + sort.SearchFloat64s(p.times[at:], x[i])
		p.widen(&out, below, float64(i)/n)
		first := x[i]
		for i < len(x) && x[i] == first {
			i++
		}
		for at = below; at < len(p.times) && p.times[at] == first; {
			at++
		}
		p.widen(&out, at, float64(i)/n)
	}
	return out
}

// widen makes the distances at least those at one place: so many trials of the predictive are below it, and that share of the sample.
func (p *predictive) widen(out *[1 + folds]float64, place int, share float64) {
	total := len(p.times)
	out[0] = max(out[0], math.Abs(share-float64(place)/float64(total)))
	for k := range folds {
		below, of := place-int(p.before[place][k]), total-int(p.before[total][k])
		out[1+k] = max(out[1+k], math.Abs(share-float64(below)/float64(of)))
	}
}

// errorOf is the Monte Carlo standard error of a share of n replicates: the binomial one of the replicates, with one more of either kind, so that it
// is not 0 where none or all are farther; and the jackknife's one over the folds of the predictive. farther counts them for all folds, then without each.
func errorOf(farther [1 + folds]float64, n float64) float64 {
	share := (farther[0] + 1) / (n + 2)
	variance := share * (1 - share) / n
	mean := stat.Mean(farther[1:], nil)
	for _, k := range farther[1:] {
		variance += (folds - 1.) / folds * (k - mean) / n * (k - mean) / n
	}
	return math.Sqrt(variance)
}

// eachSigned calls use with so many trials of one draw after the other, of so many draws, with the sign of their choice.
func eachSigned(ctx context.Context, p *fit.Predictor, d *chains.Draws, label string, draws, trials int, use func(x []float64)) error {
	return p.Each(ctx, d, label, draws, trials, func(_ int, rt, choice []float64) error {
		use(statistic.Signed(rt, choice))
		return nil
	})
}
