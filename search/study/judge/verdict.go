package judge

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
)

// These are the limits of the paper's rule.
const (
	LeastR    = 0.5  // a recovered parameter's correlation is above this
	MostEdge  = 0.5  // a recovered parameter's share of estimates at an edge is below this
	EdgeWidth = 0.01 // an estimate within this share of the range from a bound is at an edge
	HighRhat  = 1.01 // a fit with R-hat above this has not converged
	FewOfOne  = 10   // a subject with fewer responses of some choice does not count for r_both: its parameters are hard to tell apart
)

// Verdict is the result of judging a candidate: a line of VERDICTS.jsonl. It contains no times, so the same fits give the same
// bytes.
type Verdict struct {
	Model     string `json:"model"`
	Bank      string `json:"bank"`                   // the bank's role
	Scheme    string `json:"scheme"`                 // scheme of the bank's simulator
	Method    string `json:"method"`                 // nuts, or map for a screen
	Settings  string `json:"settings,omitempty"`     // hash of everything on which the fits depend, except the candidate
	Candidate int    `json:"candidate,omitempty"`    // number of the candidate in the input, and of this line in the file, from 1
	Duplicate int    `json:"duplicate_of,omitempty"` // the number of the first candidate with the same canonical form

	File       string        `json:"file,omitempty"` // the front that the candidate comes from; Line is its line in that file, and Search that line's content
	Line       int           `json:"line,omitempty"`
	Lambda     finite.Number `json:"lambda"`
	Seed       uint64        `json:"seed"`
	Search     *front.Search `json:"search,omitempty"` // nil for a candidate that comes from no front
	Expr       string        `json:"expr,omitempty"`
	Size       int           `json:"size,omitempty"`
	Simplified string        `json:"simplified,omitempty"`
	Tier       string        `json:"tier,omitempty"`
	Teacher    string        `json:"teacher,omitempty"`     // SHA-256 of the weights of a teacher; "" for other candidates
	Text       string        `json:"text_sha256,omitempty"` // SHA-256 of the text of a model with calls or states; "" for other candidates

	Pass      bool          `json:"pass"`
	Reason    string        `json:"reason,omitempty"`    // why the judge gave up on the candidate; "" if it did not
	Note      string        `json:"note,omitempty"`      // a remark, for example that all fits have divergences
	WeakestR  finite.Number `json:"weakest_r"`           // smallest correlation of all parameters
	Recovered []string      `json:"recovered"`           // the parameters that pass
	Reference string        `json:"reference,omitempty"` // the model with which this candidate is compared; "" for none

	Proposal string `json:"reference_proposal,omitempty"` // the model whose draws were weighted to be the reference's; "": the reference was fitted itself
	Refitted int    `json:"reference_refitted,omitempty"` // subjects on which such weights could not be trusted, so that the reference was fitted itself
	Alone    int    `json:"reference_failed,omitempty"`   // subjects to which the reference could not be fitted, or for which it was given up

	Honest       honesty.Verdict `json:"honest,omitzero"`         // whether every parameter is honest; "" without a reference
	UndecidedFor int             `json:"undecided_for,omitempty"` // number of subjects that would decide whether the candidate is honest, if the figures did not change

	Params []Param `json:"params"`

	Subjects int            `json:"subjects"`         // number of subjects of the bank
	Trials   int            `json:"trials,omitempty"` // largest number of trials of a subject of the bank; 0 in files of earlier versions
	Fitted   int            `json:"fitted"`           // number of subjects that were tried; fewer than Subjects if the judge gave up
	Both     int            `json:"subjects_both"`    // number of subjects that were tried and have at least FewOfOne responses of each choice
	Failed   int            `json:"failed"`           // number of subjects that could not be fitted
	Limited  int            `json:"limited"`          // number of fits that the limit on gradients cut short
	Why      map[string]int `json:"why,omitempty"`    // for each reason of a failure, the number of subjects that failed
	RhatMax  finite.Number  `json:"rhat_max"`         // the largest R-hat of all fits
	RhatHigh int            `json:"rhat_above_1.01"`  // number of fits with R-hat above HighRhat

	RhatShare         finite.Number `json:"rhat_share"` // share of the successful fits with R-hat above HighRhat
	Divergences       int           `json:"divergences"`
	DivergencesMedian finite.Number `json:"divergences_median"` // median number of divergences over the fits
	Divergent         int           `json:"divergent_fits"`     // number of fits with a divergence
	Gradients         int           `json:"gradients"`
	Fits              []Fit         `json:"fits,omitempty"`

	Timing Timing `json:"-"` // times of this run
}

// Param says how well one parameter is recovered.
type Param struct {
	Name  string        `json:"name"`
	R     finite.Number `json:"r"`      // correlation of posterior means with the truth; NaN if undefined
	RBoth finite.Number `json:"r_both"` // the same for subjects with at least FewOfOne responses of each choice
	Edge  finite.Number `json:"edge"`   // share of subjects whose estimate is within EdgeWidth of a bound of Θ, or that could not be fitted
	Bias  finite.Number `json:"bias"`   // mean of estimate - truth
	RMSE  finite.Number `json:"rmse"`   // root mean square of estimate - truth

	// Covered is the share of 90 % intervals that contain the truth: 0.9 for an honest posterior. With a reference, intervals are
	// between quantiles, and a subject that could not be fitted counts as not covered. Without one, they are the mean ± 1.645
	// posterior sds.
	Covered finite.Number `json:"covered_90"`

	*Compared // nil without a reference
}

// Pass reports whether the parameter is recovered.
func (p *Param) Pass() bool { return p.R > LeastR && p.Edge < MostEdge }

func newVerdict(c Candidate, b *bank.Bank, columns []int, fits []Fit, s Settings) *Verdict {
	v := &Verdict{Model: c.Name, Bank: b.Settings.Role, Scheme: b.Settings.Scheme, Method: "nuts", Lambda: finite.Number(math.NaN()),
		Subjects: len(b.Subjects), Trials: b.Settings.Trials, Fitted: len(fits), Recovered: []string{}, WeakestR: finite.Number(math.Inf(1))}
	if s.Screen {
		v.Method = "map"
	}
	v.count(fits)
	for j, name := range c.Params {
		p := recovered(name, b.Settings.Params[columns[j]], j, fits)
		s.Reference.compare(&p, j, fits)
		v.Params = append(v.Params, p)
		v.WeakestR = min(v.WeakestR, p.R) // NaN if any R is NaN
		if p.Pass() {
			v.Recovered = append(v.Recovered, name)
		}
	}
	v.Reason = v.givenUp()
	v.Pass = len(v.Recovered) == len(c.Params) && v.Reason == ""
	v.compare(s.Reference)
	if draws := s.Chains * s.Draws; 2*float64(v.DivergencesMedian) > float64(draws) {
		v.Note = "diverges everywhere: of the median fit more than half of the draws"
	}
	v.Timing = newTiming(fits)
	if s.Fits {
		v.Fits = slices.Clone(fits)
	}
	return v
}

// count computes the counts from the fits.
func (v *Verdict) count(fits []Fit) {
	var divergences, rhats []float64
	for i := range fits {
		f := &fits[i]
		v.Gradients += f.Gradients
		if f.Limited {
			v.Limited++
		}
		if f.Error != "" {
			v.Failed++
			if v.Why == nil {
				v.Why = map[string]int{}
			}
			v.Why[cause(f.Error)]++
			continue
		}
		if f.Rarer >= FewOfOne {
			v.Both++
		}
		divergences = append(divergences, float64(f.Divergences))
		rhats = append(rhats, float64(f.Rhat))
		if v.Method == "nuts" && !(f.Rhat <= HighRhat) {
			v.RhatHigh++
		}
		if f.Divergences > 0 {
			v.Divergent++
		}
		v.Divergences += f.Divergences
	}
	v.RhatMax, v.RhatShare, v.DivergencesMedian = worst(rhats), finite.Number(float64(v.RhatHigh)/float64(len(rhats))), finite.Number(statistic.Median(divergences))
}

// worst returns the largest number that is not NaN; NaN if there is none.
func worst(x []float64) finite.Number {
	most := math.NaN()
	for _, v := range x {
		if !(v <= most) && !math.IsNaN(v) {
			most = v
		}
	}
	return finite.Number(most)
}

// givenUp says why the judge gave up on the candidate; "" if it did not.
func (v *Verdict) givenUp() string {
	reason, most := "", 0
	for why, n := range v.Why {
		if n > most || n == most && why < reason {
			reason, most = why, n
		}
	}
	switch {
	case v.Failed == v.Fitted:
		return fmt.Sprintf("none of the first %d subjects could be fitted: %s", v.Fitted, reason)
	case 2*v.Failed >= v.Subjects:
		return fmt.Sprintf("%d of the first %d subjects could not be fitted: %s", v.Failed, v.Fitted, reason)
	}
	return ""
}

// failedVerdict returns the verdict on a candidate with which nothing could be fitted.
func failedVerdict(e Entry, err error, b *bank.Bank, s Settings) *Verdict {
	v := newVerdict(Candidate{Name: e.Name}, b, nil, nil, s)
	v.Reason, v.Pass, v.WeakestR = err.Error(), false, undefined()
	return v
}
