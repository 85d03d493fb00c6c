package ppc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/runtime/num/statistic"

	"gonum.org/v1/gonum/stat"
)

// Own is the predictive check of fits to a user's own data, whose true parameters are unknown.
type Own struct {
	Model    string        `json:"model"`
	KS       finite.Number `json:"ks"`      // median over subjects of KS
	KSNull   finite.Number `json:"ks_null"` // median over subjects of the subjects' KSNull
	Subjects []OwnSubject  `json:"subjects"`
}

// OwnSubject is the result of one subject.
type OwnSubject struct {
	Subject string        `json:"subject,omitempty"`
	Trials  int           `json:"trials"`
	KS      finite.Number `json:"ks"`      // distance of the observed trials from the posterior predictive
	KSNull  finite.Number `json:"ks_null"` // median over replicates of their distance from the posterior predictive; a replicate is as many trials, simulated from one draw
	MCSE    finite.Number `json:"p_mcse"`  // Monte Carlo standard error of P, from the finite numbers of replicates and of predictive trials
	P       finite.Number `json:"p"`       // share of replicates with a distance at least as large as the observed one
}

// Fits are the fits in a folder of likc fit, with the predictor of a subject's trials.
type Fits struct {
	*folder.Saved
	Spec      *fit.Spec
	Simulator *fit.Simulator // simulates the model; models of sessions do not need it
	Seed      uint64
}

// Check compares the observed trials of the subjects with the predictions of their fits. It simulates `trials` trials from many
// draws; if trials is 0, it chooses a number that makes p stable. It simulates `replicates` replicates of each subject's data. It
// returns an error if the fits are of other trials. sum is the SHA-256 of the data file.
func (f *Fits) Check(ctx context.Context, subjects []fit.Subject, sum string, trials, replicates int) (Own, error) {
	out := Own{Model: f.Spec.Model.Name}
	if len(subjects) != len(f.Subjects) {
		return out, fmt.Errorf("%s has fits of %s, and the data have %d", f.Dir, notation.Count(len(f.Subjects), "subject"), len(subjects))
	}
	var distances, null []float64
	for i := range subjects {
		of := &subjects[i]
		if s := f.Subjects[i]; len(subjects) > 1 && s.Subject != of.Label || !ofTrials(s, f.Spec.Model, of, sum) {
			return out, of.Name(fmt.Errorf("%s was fitted to other trials: name the data and the columns of the fit", f.Path(s)))
		}
		one, err := f.check(ctx, f.Subjects[i], of, trials, replicates)
		if err != nil {
			return out, err
		}
		out.Subjects = append(out.Subjects, one)
		distances, null = append(distances, float64(one.KS)), append(null, float64(one.KSNull))
	}
	out.KS, out.KSNull = finite.Number(statistic.Median(distances)), finite.Number(statistic.Median(null))
	return out, nil
}

// check compares the trials of one subject with the predictions of its fit.
func (f *Fits) check(ctx context.Context, s *fit.Summary, of *fit.Subject, trials, replicates int) (out OwnSubject, err error) {
	draws, err := f.Draws(s)
	if err != nil {
		return out, err
	}
	r := fit.Result{Subject: *of}
	if r.Study, err = f.Spec.Unbound(of); err != nil {
		return out, err
	}
	fitted := make([]string, len(s.Params))
	for i, p := range s.Params {
		fitted[i] = p.Name
	}
	if names := r.Study.Names(); !slices.Equal(names, fitted) {
		return out, fmt.Errorf("%s: has draws of %v, and the model has %v: give the fit's own --fix", f.Path(s), fitted, names)
	}
	return compare(ctx, r.Predictor(f.Simulator, f.Seed), draws, of, trials, replicates)
}

// ofTrials reports whether a fit is of a subject's trials, with the same codes of choices. Fits by older versions without PSIS-LOO
// do not record their trials; their data file must be the same one.
func ofTrials(s *fit.Summary, m *catalog.Model, of *fit.Subject, sum string) bool {
	if s.N != of.Trials() {
		return false
	}
	if s.Responses == "" {
		return s.Record == nil || s.Data == nil || s.Data.SHA256 == sum
	}
	return s.Responses == fit.ResponsesSum(m, of)
}

// The predictive comes from at most predictiveDraws draws. By default, it has many trials for each observed one, within limits.
// Then the randomness of the predictive adds little to that of the replicates.
const (
	predictiveDraws = 1000
	predictedEach   = 200
	leastPredicted  = 100_000
	mostPredicted   = 1_000_000
)

// compare compares the trials of a subject with trials simulated from draws.
func compare(ctx context.Context, p *fit.Predictor, draws *chains.Draws, of *fit.Subject, trials, replicates int) (OwnSubject, error) {
	out := OwnSubject{Subject: of.Label, Trials: of.Trials()}
	if trials == 0 {
		trials = min(max(leastPredicted, predictedEach*of.Trials()), mostPredicted)
	}
	many := min(trials, predictiveDraws, len(draws.Chains)*draws.Len())
	all, err := newPredictive(ctx, p, draws, of, many, trials/many)
	if err != nil {
		return out, err
	}
	seen := all.distances(observed(of, p.Study.Model()))
	var null []float64
	var farther [1 + folds]float64
	again := *p
	again.Label += " replicated"
	err = eachSigned(ctx, &again, draws, of, replicates, of.Trials(), func(x []float64) {
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

// folds is the number of parts of a predictive. Each is left out once, to estimate how much p depends on the simulated trials.
const folds = 10

// predictive holds simulated trials of many draws, as signed times in ascending order. before[i] holds, for each fold, the number
// of its trials among the first i.
type predictive struct {
	times  []float64
	before [][folds]int32
}

// newPredictive simulates `trials` trials for each of `draws` draws.
func newPredictive(ctx context.Context, p *fit.Predictor, d *chains.Draws, of *fit.Subject, draws, trials int) (*predictive, error) {
	type trial struct {
		time float64
		fold int
	}
	var all []trial
	err := eachSigned(ctx, p, d, of, draws, trials, func(x []float64) {
		for _, time := range x {
			all = append(all, trial{time, len(all) / trials % folds}) // draws belong to the folds in turn
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

// distances returns the Kolmogorov-Smirnov distances of a sample: first from the complete predictive, then from the predictive
// without each fold. It sorts the sample.
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

// widen raises each distance to the one at a given time. `position` trials of the predictive, and the given share of the sample,
// are below that time.
func (p *predictive) widen(out *[1 + folds]float64, position int, share float64) {
	total := len(p.times)
	out[0] = max(out[0], math.Abs(share-float64(position)/float64(total)))
	for k := range folds {
		below, of := position-int(p.before[position][k]), total-int(p.before[total][k])
		out[1+k] = max(out[1+k], math.Abs(share-float64(below)/float64(of)))
	}
}

// errorOf returns the Monte Carlo standard error of a share of n replicates. It combines the binomial error of the replicates,
// with one more replicate of each kind so that it is never 0, and the jackknife error over the folds of the predictive. farther
// counts the replicates with larger distances: with all folds, then without each.
func errorOf(farther [1 + folds]float64, n float64) float64 {
	share := (farther[0] + 1) / (n + 2)
	variance := share * (1 - share) / n
	mean := stat.Mean(farther[1:], nil)
	for _, k := range farther[1:] {
		variance += (folds - 1.) / folds * (k - mean) / n * (k - mean) / n
	}
	return math.Sqrt(variance)
}

// eachSigned simulates trials from several draws, one draw after the other, and calls use with the signed response times of each
// draw. Times are negative for the lower choice. If a draw has as many trials as the data, they are those of all rows; otherwise
// their rows are spread over the data.
func eachSigned(ctx context.Context, p *fit.Predictor, d *chains.Draws, of *fit.Subject, draws, trials int, use func(x []float64)) error {
	rows, next, n := make([]int, trials), 0, of.Trials()
	for i := range rows {
		rows[i] = i
	}
	some := func(int, *rand.Rand) []int {
		if trials != n {
			fit.SpreadRows(rows, next, n)
			next += trials
		}
		return rows
	}
	return p.EachOf(ctx, d, draws, some, func(_ int, rows []int, rt, choice []float64) error {
		x := statistic.Signed(rt, choice)
		for i, row := range rows {
			response := 0.0
			if choice != nil {
				response = choice[i]
			}
			if math.IsNaN(rt[i]) || !of.Answers(row, rt[i], response) {
				x[i] = math.Inf(1)
			}
		}
		use(x)
		return nil
	})
}

// observed returns the signed response times of a subject. A trial without a response has an infinite time, as in predictions, so
// that distances also compare the numbers of omissions.
func observed(of *fit.Subject, m *catalog.Model) []float64 {
	var choice []float64
	if m.Choice != "" {
		choice = of.Choice
	}
	x := statistic.Signed(of.Times(m), choice)
	for i, c := range of.Choice {
		if c == trials.Omitted {
			x[i] = math.Inf(1)
		}
	}
	return x
}
