// Package honesty decides whether estimates and intervals by a formula can replace those of a reference, the exact density or a
// teacher, and how certain this is, given the number of simulated subjects.
//
// A formula is honest if, for every parameter, 90 % intervals contain the truth about as often as they should, and errors are about
// as small as the reference's. Both figures are computed from a sample of subjects. So each has one-sided bounds with 95 %
// confidence, and the verdict is
//
//	honest      every bound lies within the limits
//	not honest  both bounds of some figure lie beyond the same limit
//	undecided   otherwise: more subjects would decide
package honesty

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"

	"gonum.org/v1/gonum/mathext"
)

// These are the limits of an honest formula.
const (
	MostRMSE                  = 1.5        // root mean squared error divided by the reference's
	LeastCovered, MostCovered = 0.80, 0.97 // share of 90 % intervals that contain the truth
)

// Limits is the condition on every parameter of an honest formula, in words.
func Limits() string {
	return fmt.Sprintf("the root mean squared error (RMSE) is below %g times the reference's, and %g to %g %% of the 90 %% intervals contain the truth",
		MostRMSE, 100*LeastCovered, 100*MostCovered)
}

// oneSided is the probability that a figure's true value lies beyond one of its bounds.
const oneSided = 0.05

// Verdict is the conclusion from the figures of all parameters. The zero value means that there was no reference. In JSON it is
// true, false or null.
type Verdict string

// These are the verdicts.
const (
	Honest    Verdict = "yes"
	NotHonest Verdict = "no"
	Undecided Verdict = "undecided"
)

// MarshalJSON writes true, false or null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	switch v {
	case Honest:
		return []byte("true"), nil
	case NotHonest:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON decodes the JSON that MarshalJSON writes; null means undecided.
func (v *Verdict) UnmarshalJSON(text []byte) error {
	var honest *bool
	if err := json.Unmarshal(text, &honest); err != nil {
		return err
	}
	switch {
	case honest == nil:
		*v = Undecided
	case *honest:
		*v = Honest
	default:
		*v = NotHonest
	}
	return nil
}

// Bounds are one-sided lower and upper bounds of a figure. Each is wrong with a probability of 5 %. NaN means unknown.
type Bounds [2]finite.Number

// unknown returns unknown bounds.
func unknown() Bounds { return Bounds{finite.Number(math.NaN()), finite.Number(math.NaN())} }

// within reports whether both bounds lie within the limits low and high.
func (b Bounds) within(low, high float64) bool {
	return float64(b[0]) >= low && float64(b[1]) <= high
}

// beyond reports whether both bounds lie below low, or both lie above high.
func (b Bounds) beyond(low, high float64) bool {
	return float64(b[1]) < low || float64(b[0]) > high
}

// Coverage returns bounds of the probability that an interval contains the truth, given that `held` of n intervals did. They are
// those of Clopper and Pearson [clopper1934], which are exact. They are unknown for n < 1. held need not be a whole number.
//
//	[clopper1934] Clopper, Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika 26,
//	              404-413.
func Coverage(held float64, n int) Bounds {
	if n < 1 || !(held >= 0 && held <= float64(n)) {
		return unknown()
	}
	b, missed := Bounds{0, 1}, float64(n)-held
	if held > 0 {
		b[0] = finite.Number(mathext.InvRegIncBeta(held, missed+1, oneSided))
	}
	if missed > 0 {
		b[1] = finite.Number(mathext.InvRegIncBeta(held+1, missed, 1-oneSided))
	}
	return b
}

const (
	resamples      = 4000 // number of resamples of the bootstrap
	fewestSubjects = 20   // smallest number of subjects for the bootstrap: with fewer, its bounds would be too narrow
)

// RMSERatio returns bounds of the root mean square of a formula's errors divided by that of a reference's errors on the same
// subjects. They are quantiles of a bootstrap over subjects. The same errors give the same bounds. They are unknown for fewer than
// 20 subjects.
func RMSERatio(errs, references []float64) Bounds {
	n := len(errs)
	if n < fewestSubjects {
		return unknown()
	}
	rng := rand.New(rand.NewPCG(90, uint64(n)))
	ratios := make([]float64, resamples)
	for i := range ratios {
		formula, reference := 0.0, 0.0
		for range n {
			k := rng.IntN(n)
			formula += errs[k] * errs[k]
			reference += references[k] * references[k]
		}
		ratios[i] = math.Sqrt(formula / reference)
	}
	slices.Sort(ratios)
	return Bounds{finite.Number(statistic.Quantile(ratios, oneSided)), finite.Number(statistic.Quantile(ratios, 1-oneSided))}
}

// Figures holds the figures of one parameter, with their bounds.
type Figures struct {
	Covered, Ratio             float64 // share of 90 % intervals that contain the truth; RMSE divided by the reference's
	CoveredBounds, RatioBounds Bounds
}

// Verdict returns the verdict on one parameter.
func (f Figures) Verdict() Verdict {
	switch {
	case f.CoveredBounds.beyond(LeastCovered, MostCovered) || f.RatioBounds.beyond(0, MostRMSE):
		return NotHonest
	case f.CoveredBounds.within(LeastCovered, MostCovered) && f.RatioBounds.within(0, MostRMSE):
		return Honest
	}
	return Undecided
}

// Of returns the verdict on all parameters of a formula that was fitted to n subjects. For an undecided one, it also returns the
// number of subjects that would decide if the figures did not change; 0 if no number up to a million does, or if bounds are unknown.
func Of(params []Figures, n int) (v Verdict, subjects int) {
	v = Honest
	for _, f := range params {
		switch f.Verdict() {
		case NotHonest:
			return NotHonest, 0
		case Undecided:
			v = Undecided
		}
	}
	if v == Undecided {
		subjects = wanted(params, n)
	}
	if subjects <= n { // bounds are unknown
		subjects = 0
	}
	return v, subjects
}

// wanted returns the number of subjects with which the verdict would no longer be undecided, if the figures did not change; 0 if there
// is none. Then all figures are certain to lie within the limits, or a figure beyond them is certain to lie there.
func wanted(params []Figures, n int) int {
	all, one := 0, mostSubjects+1
	for _, f := range params {
		covered := smallest(func(n int) bool {
			b := Coverage(f.Covered*float64(n), n)
			return b.within(LeastCovered, MostCovered) || b.beyond(LeastCovered, MostCovered)
		})
		ratio := smallest(func(m int) bool {
			b := f.RatioBounds.rescaled(f.Ratio, n, m)
			return math.IsNaN(float64(b[1])) || b.within(0, MostRMSE) || b.beyond(0, MostRMSE)
		})
		if f.Covered < LeastCovered || f.Covered > MostCovered {
			one = min(one, covered)
		} else {
			all = max(all, covered)
		}
		if f.Ratio > MostRMSE {
			one = min(one, ratio)
		} else {
			all = max(all, ratio)
		}
	}
	if one <= mostSubjects {
		return one
	}
	if all > mostSubjects || beyondAny(params) {
		return 0
	}
	return all
}

// beyondAny reports whether a figure lies outside the limits; then no number of subjects makes the formula honest.
func beyondAny(params []Figures) bool {
	return slices.ContainsFunc(params, func(f Figures) bool {
		return f.Covered < LeastCovered || f.Covered > MostCovered || f.Ratio > MostRMSE
	})
}

// rescaled returns the bounds of a ratio that m subjects would give, if n subjects gave b. The logs of the bounds come nearer to the log
// of the ratio with the root of the number of subjects.
func (b Bounds) rescaled(ratio float64, n, m int) Bounds {
	shrink := math.Sqrt(float64(n) / float64(m))
	for i := range b {
		b[i] = finite.Number(ratio * math.Pow(float64(b[i])/ratio, shrink))
	}
	return b
}

// mostSubjects is the largest number of subjects that the search considers.
const mostSubjects = 1_000_000

// smallest returns the smallest number for which decides is true; mostSubjects + 1 if there is none. It must be true for all larger
// numbers too.
func smallest(decides func(n int) bool) int {
	low, high := 0, 1 // decides(low) is false
	for ; !decides(high); low, high = high, 2*high {
		if high > mostSubjects {
			return mostSubjects + 1
		}
	}
	for high-low > 1 {
		if middle := (low + high) / 2; decides(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// Say writes the verdict in words.
func Say(v Verdict, subjects int) string {
	switch {
	case v == Honest:
		return "honest"
	case v == NotHonest:
		return "not honest"
	case v == "":
		return "not compared with a reference"
	case subjects == 0:
		return "undecided"
	}
	return fmt.Sprintf("undecided: %d subjects would decide if the figures stay as they are", subjects)
}
