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

// Summary says how much each term of a formula carries: see [Outcome].
type Summary struct {
	Model    string   `json:"model"`
	Bank     string   `json:"bank"` // its role
	Subjects int      `json:"subjects"`
	Settings Settings `json:"settings"`
	Trials   int      `json:"trials"` // trials of the subject with the most
	Forms    int      `json:"forms"`  // formulas that were judged, with the whole one
	Whole    Outcome  `json:"whole"`
	Terms    []Term   `json:"terms"` // in descending order of Carried
}

// Term is a term of a formula, and how the formula fares without it.
type Term struct {
	Text         string        `json:"term"`
	Size         int           `json:"size"`         // nodes
	Carried      finite.Number `json:"carried"`      // loss with the first replacement
	Replacements []Replacement `json:"replacements"` // in ascending order of Carried

	number int // number among the ablation's terms
}

// Replacement is a formula with a number in the place of a term.
type Replacement struct {
	By    string  `json:"by"` // "0", "1" or "mean"
	Value float64 `json:"value"`
	Outcome
}

// Outcome is what the judge found of a formula.
type Outcome struct {
	Reason   string        `json:"reason,omitempty"` // why it was given up
	WeakestR finite.Number `json:"weakest_r"`
	// Carried is how much of the recovery is lost without the term, from 0 to 1: the mean of Carried over the parameters, see [Param].
	Carried finite.Number `json:"carried"`
	Params  []Param       `json:"params"`
}

// Param is what the judge found of a parameter.
type Param struct {
	Name      string        `json:"name"`
	R         finite.Number `json:"r"`          // correlation of posterior means with the truth
	RMSE      finite.Number `json:"rmse"`       // root mean squared error
	RMSERatio finite.Number `json:"rmse_ratio"` // over that of the whole formula, on the subjects that both could fit
	Covered   finite.Number `json:"covered_90"` // share of 90 % intervals that hold the truth
	// Carried is the log of RMSERatio over the log of what it would be with one guess for all subjects, between 0 and 1: 0 where errors are
	// no larger than those of the whole formula, 1 where the formula says nothing of the parameter.
	Carried   finite.Number `json:"carried"`
	Recovered bool          `json:"recovered"` // by the rule of likc judge
}

// summarise reads the verdicts.
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

// outcome reads a verdict. A formula that was given up has lost every parameter.
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

// carried returns the Carried of a Param; most is the ratio with one guess for all subjects. It is 0 where the whole formula is no better than
// that guess either.
func carried(ratio, most float64) finite.Number {
	switch {
	case !(most > 1):
		return 0
	case math.IsNaN(ratio):
		return 1
	}
	return finite.Number(min(1, max(0, math.Log(ratio)/math.Log(most))))
}

// spread is the standard deviation of a parameter's true values.
func (st *ablation) spread(param string) float64 {
	j := st.ParamIndex(param)
	var x []float64
	for _, s := range st.bank.Subjects {
		x = append(x, st.truth(st.bank, s)[j])
	}
	return stat.PopStdDev(x, nil)
}

func nan() finite.Number { return finite.Number(math.NaN()) }

// WorstRatio is the largest error over that of the whole formula; NaN for a formula that was given up.
func (o *Outcome) WorstRatio() float64 {
	worst := math.NaN()
	for _, p := range o.Params {
		if x := float64(p.RMSERatio); !(x <= worst) {
			worst = x
		}
	}
	return worst
}

// Coverage is the smallest and the largest share of 90 % intervals that hold the truth; NaN for a formula that was given up.
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

// Lost lists the parameters that the whole formula recovers and this one does not, and those whose 90 % intervals hold the truth too rarely
// or too often while those of the whole formula do not.
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
