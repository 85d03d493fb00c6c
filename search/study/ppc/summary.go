package ppc

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
)

// Summary is the result of checking a model.
type Summary struct {
	Model     string        `json:"model"`
	Bank      string        `json:"bank"`
	Scheme    string        `json:"scheme"`
	Settings  Settings      `json:"settings"`
	KS        finite.Number `json:"ks"`       // median over subjects of the distance of their trials from the posterior predictive
	KSTruth   finite.Number `json:"ks_truth"` // median over subjects of the distance from trials simulated at the true parameters
	NullRange               // figures of the fair null with new errors for each trial
	Single    NullRange     `json:"single"` // figures of the fair null with one error for each subject
	Failed    int           `json:"failed"` // number of subjects that could not be fitted; the medians ignore them
	Params    []Param       `json:"params"`
	Subjects  []Subject     `json:"subjects"`
	Nulls     []float64     `json:"ks_null_subjects"` // for each subject, the median distance over replicates
}

// NullRange holds the figures of one fair null. In each replicate, the figure is the median distance over subjects.
type NullRange struct {
	KSNull   finite.Number `json:"ks_null"` // median over replicates
	NullLow  finite.Number `json:"ks_null_q5"`
	NullHigh finite.Number `json:"ks_null_q95"`
	Beats    bool          `json:"beats_null"` // whether the fits' KS is below KSNull
}

// Param is the recovery of a parameter, which the null imitates.
type Param struct {
	Name  string        `json:"name"`
	R     finite.Number `json:"r"`      // correlation of posterior means with the truth
	NullR finite.Number `json:"r_null"` // the same correlation for the null
	SD    finite.Number `json:"sd_null"`
}

// summarise compares the fits of all subjects with the fair null.
func (q *question) summarise(ctx context.Context, subjects []Subject) (Summary, error) {
	out := Summary{Model: q.model, Bank: q.bank.Settings.Role, Scheme: q.bank.Settings.Scheme, Settings: q.Settings, Subjects: subjects}
	r := make([]float64, len(q.params))
	for j := range r {
		r[j] = correlation(subjects, j)
	}
	out.KS = median(subjects, func(x Subject) finite.Number { return x.KS })
	out.KSTruth = median(subjects, func(x Subject) finite.Number { return x.AtTrue })
	for _, x := range subjects {
		if x.Error != "" {
			out.Failed++
		}
	}
	null, err := newNull(ctx, q.sim, q.bank, r, q.Settings)
	if err != nil {
		return out, err
	}
	for j, name := range q.params {
		out.Params = append(out.Params, Param{name, finite.Number(r[j]), finite.Number(null.Achieved[j]), finite.Number(null.SD[j])})
	}
	out.addNull(null)
	return out, nil
}

func (out *Summary) addNull(null *Null) {
	out.NullRange, out.Single = rangeOf(null.Spread, out.KS), rangeOf(null.Single, out.KS)
	for i := range out.Subjects {
		column := make([]float64, len(null.Spread))
		for k := range column {
			column[k] = null.Spread[k][i]
		}
		out.Nulls = append(out.Nulls, statistic.Median(column))
	}
}

// rangeOf compares the fits' distance with the distances of a null's replicates.
func rangeOf(replicates [][]float64, fits finite.Number) NullRange {
	medians := make([]float64, len(replicates))
	for k, replicate := range replicates {
		medians[k] = statistic.Median(replicate)
	}
	slices.Sort(medians)
	middle := finite.Number(statistic.Median(medians))
	return NullRange{
		KSNull:   middle,
		NullLow:  finite.Number(stat.Quantile(0.05, stat.Empirical, medians, nil)),
		NullHigh: finite.Number(stat.Quantile(0.95, stat.Empirical, medians, nil)),
		Beats:    fits < middle,
	}
}

// median returns the median of a figure over the fitted subjects.
func median(subjects []Subject, of func(Subject) finite.Number) finite.Number {
	var x []float64
	for _, s := range subjects {
		if s.Error == "" {
			x = append(x, float64(of(s)))
		}
	}
	return finite.Number(statistic.Median(x))
}

// correlation returns the correlation of parameter j's posterior means with the truth.
func correlation(subjects []Subject, j int) float64 {
	var truth, mean []float64
	for _, s := range subjects {
		if s.Error == "" {
			truth, mean = append(truth, float64(s.Truth[j])), append(mean, float64(s.Mean[j]))
		}
	}
	return statistic.Correlation(truth, mean)
}

// Spanning returns the indices of three fitted subjects that span the shares of choices: a tenth, half and nine tenths of the way
// along, in the order of the share of responses at the upper boundary.
func Spanning(subjects []Subject) []int {
	var order []int
	for i, s := range subjects {
		if s.Error == "" {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(subjects[a].Upper, subjects[b].Upper) })
	if len(order) < 3 {
		return order
	}
	last := len(order) - 1
	return []int{order[last/10], order[last/2], order[last-last/10]}
}
