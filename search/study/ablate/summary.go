package ablate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// Summary describes how much each term of a formula contributes to recovery: see [Outcome].
type Summary struct {
	Model    string   `json:"model"`
	Bank     string   `json:"bank"` // the purpose of the bank, such as test-60: its role
	Subjects int      `json:"subjects"`
	Settings Settings `json:"settings"`
	Trials   int      `json:"trials"` // the largest number of trials of a subject
	Forms    int      `json:"forms"`  // number of formulas that were judged, the whole one included
	Whole    Outcome  `json:"whole"`
	Terms    []Term   `json:"terms"` // in descending order of Carried
}

// Term is a term of a formula, with the loss of recovery when it is replaced.
type Term struct {
	Text         string        `json:"term"`
	Size         int           `json:"size"`         // number of nodes
	Carried      finite.Number `json:"carried"`      // share of the recovery that is lost without the term: the smallest over its replacements
	Replacements []Replacement `json:"replacements"` // in ascending order of Carried

	number int // index among the ablation's terms
}

// Replacement is a formula in which a number replaces a term.
type Replacement struct {
	By    string  `json:"by"` // "0", "1" or "mean"
	Value float64 `json:"value"`
	Outcome
}

// Outcome is a verdict on a formula.
type Outcome struct {
	Reason   string        `json:"reason,omitempty"` // why the judge gave up on the formula; "" if it did not
	WeakestR finite.Number `json:"weakest_r"`
	// Carried is the share of the recovery that is lost without the term, from 0 to 1: the mean of Carried over the parameters, see
	// [Param].
	Carried finite.Number `json:"carried"`
	Params  []Param       `json:"params"`
}

// Param is the recovery of one parameter.
type Param struct {
	Name      string        `json:"name"`
	R         finite.Number `json:"r"`          // correlation of posterior means with the truth
	RMSE      finite.Number `json:"rmse"`       // root mean squared error
	RMSERatio finite.Number `json:"rmse_ratio"` // RMSE divided by that of the whole formula, on the subjects that both could fit
	Covered   finite.Number `json:"covered_90"` // share of 90 % intervals that contain the truth
	// Carried is log(RMSERatio) divided by the log of the RMSERatio of an estimate that is the mean of the true values for every subject. It is
	// limited to [0, 1]. It is 0 if the errors
	// are no larger than those of the whole formula, and 1 if the formula is useless for the parameter.
	Carried   finite.Number `json:"carried"`
	Recovered bool          `json:"recovered"` // whether likc judge counts the parameter as recovered
}

// summarise computes the summary from the verdicts.
func (st *ablation) summarise(s Settings) *Summary {
	all, b := st.job.Verdicts, st.bank
	sum := &Summary{Model: st.Name, Bank: b.Settings.Role, Subjects: len(b.Subjects), Settings: s, Trials: b.Settings.Trials, Forms: len(all), Whole: st.outcome(all[0])}
	for t, node := range st.terms {
		sum.Terms = append(sum.Terms, Term{Text: st.text(node), Size: node.Size(), number: t})
	}
	for _, r := range st.replacements {
		t := &sum.Terms[r.term]
		t.Replacements = append(t.Replacements, Replacement{r.by, r.value, st.outcome(all[r.form])})
	}
	sum.Terms = slices.DeleteFunc(sum.Terms, func(t Term) bool { return len(t.Replacements) == 0 })
	for i := range sum.Terms {
		t := &sum.Terms[i]
		slices.SortStableFunc(t.Replacements, func(a, b Replacement) int { return cmp.Compare(a.Carried, b.Carried) })
		t.Carried = t.Replacements[0].Carried
	}
	slices.SortStableFunc(sum.Terms, func(a, b Term) int { return cmp.Compare(b.Carried, a.Carried) })
	return sum
}

// outcome computes the outcome from a verdict. A formula that the judge gave up has lost every parameter.
func (st *ablation) outcome(v *judge.Verdict) Outcome {
	o := Outcome{Reason: v.Reason, WeakestR: v.WeakestR}
	for j, whole := range st.job.Verdicts[0].Params {
		p := Param{Name: whole.Name, R: nan(), RMSE: nan(), RMSERatio: nan(), Covered: nan(), Carried: 1}
		if v.Reason == "" {
			of := &v.Params[j]
			p.R, p.RMSE, p.RMSERatio, p.Covered, p.Recovered = of.R, of.RMSE, of.RMSERatio, of.Covered, of.Pass()
			p.Carried = carried(float64(of.RMSERatio), st.spread(whole.Name)/float64(whole.RMSE))
		}
		o.Carried += p.Carried / finite.Number(len(st.job.Verdicts[0].Params))
		o.Params = append(o.Params, p)
	}
	return o
}

// carried returns the Carried of a Param. most is the ratio with one guess for all subjects. The result is 0 if the whole formula is
// no better than that guess.
func carried(ratio, most float64) finite.Number {
	switch {
	case !(most > 1):
		return 0
	case math.IsNaN(ratio):
		return 1
	}
	return finite.Number(min(1, max(0, math.Log(ratio)/math.Log(most))))
}

// spread returns the standard deviation of a parameter's true values.
func (st *ablation) spread(param string) float64 {
	j := st.ParamIndex(param)
	var x []float64
	for _, s := range st.bank.Subjects {
		x = append(x, st.truth(st.bank, s)[j])
	}
	return stat.PopStdDev(x, nil)
}

func nan() finite.Number { return finite.Number(math.NaN()) }

// WorstRatio returns the largest RMSERatio of the parameters; NaN for a formula that the judge gave up.
func (o *Outcome) WorstRatio() float64 {
	worst := math.NaN()
	for _, p := range o.Params {
		if x := float64(p.RMSERatio); !(x <= worst) {
			worst = x
		}
	}
	return worst
}

// Coverage returns the smallest and the largest share of 90 % intervals that contain the truth; NaN for a formula that the judge
// gave up.
func (o *Outcome) Coverage() (low, high float64) {
	low, high = math.NaN(), math.NaN()
	for _, p := range o.Params {
		if x := float64(p.Covered); !(x >= low) {
			low = x
		}
		if x := float64(p.Covered); !(x <= high) {
			high = x
		}
	}
	return low, high
}

// Lost returns two lists of parameters for which this formula is worse than the whole one: those that only the whole formula
// recovers, and those for which only the whole formula's 90 % intervals contain the truth as often as they should.
func (o *Outcome) Lost(whole *Outcome) (recovery, coverage []string) {
	for j, p := range o.Params {
		was := whole.Params[j]
		if was.Recovered && !p.Recovered {
			recovery = append(recovery, p.Name)
		}
		if covers(was) && !covers(p) {
			coverage = append(coverage, p.Name)
		}
	}
	return recovery, coverage
}

func covers(p Param) bool {
	return p.Covered >= honesty.LeastCovered && p.Covered <= honesty.MostCovered
}
