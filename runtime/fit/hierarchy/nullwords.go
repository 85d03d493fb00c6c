package hierarchy

import (
	"fmt"
	"math"
	"strings"

	"likc/runtime/num/notation"
)

// Words writes the Bayes factor as odds, with the hypothesis that they favour: "31 : 1 for no difference", "2.4 : 1 for a
// difference". If the null is not about two conditions, it writes "31 : 1 for 0", "2.4 : 1 against 0". A Monte Carlo error above a
// fifth follows. A guess is a bound, rounded down to one of a few round odds, because the few draws near the value, and so the bound, vary
// from fit to fit: "more than 100 : 1 for a difference".
func (n Null) Words() string {
	if math.IsInf(n.Posterior, 1) {
		return "not known: too few draws"
	}
	ratio, what, bound, after := n.Ratio(), fmt.Sprintf("against %.4g", n.Value), "", ""
	if n.Equal {
		what = "for a difference"
	}
	if n.Guess {
		bound = "more than "
	} else if n.Error > largeError {
		after = notation.Figure(", ± %.0f %%", 100*n.Error)
	}
	if ratio < 1 {
		ratio, what = 1/ratio, fmt.Sprintf("for %.4g", n.Value)
		if n.Equal {
			what = "for no difference"
		}
		if n.Guess {
			bound = "less than about "
		}
	}
	odds := ""
	switch {
	case n.Guess && n.Ratio() >= 1:
		odds = fmt.Sprint(roundedDown(ratio))
	case !(ratio <= largestOdds): // infinite if a density underflows to 0
		odds = "> 10,000"
	case ratio >= 9.95:
		odds = notation.Figure("%.0f", ratio)
	default:
		odds = notation.Figure("%.1f", ratio)
	}
	return bound + odds + " : 1 " + what + after
}

// roundedDown returns the largest of a few round odds that is not above the given ones, which are 1 or more.
func roundedDown(odds float64) (largest int) {
	for _, round := range []int{1, 3, 10, 30, 100} { // the ends of Jeffreys' words, as in Strength
		if float64(round) <= odds {
			largest = round
		}
	}
	return largest
}

// Strength returns how strong the evidence of the Bayes factor is, in the words of Jeffreys: anecdotal, moderate, strong, very strong or
// extreme. "at least" or "at most" comes before a guess. It returns "" if the ratio is not known.
func (n Null) Strength() string {
	ratio := n.Ratio()
	if math.IsInf(n.Posterior, 1) || math.IsNaN(ratio) {
		return ""
	}
	bound := ""
	switch {
	case n.Guess && ratio < 1:
		bound = "at most "
	case n.Guess:
		bound = "at least "
	}
	ratio = max(ratio, 1/ratio)
	for _, s := range []struct {
		below float64
		word  string
	}{{3, "anecdotal"}, {10, "moderate"}, {30, "strong"}, {100, "very strong"}} {
		if ratio < s.below {
			return bound + s.word
		}
	}
	return "extreme" // no word is stronger, so a bound adds nothing
}

// Conditioned describes the prior of the model with the null, if the statement has several coefficients; otherwise it returns "".
func (n Null) Conditioned() string {
	if len(n.Of) < 2 {
		return ""
	}
	return fmt.Sprintf("the model with it has the prior of %s given %s", strings.Join(n.Of, ", "), n.Tested)
}

// Caution returns a warning if a widened prior makes the Bayes factor favour the null whatever the data are; otherwise "".
func (n Null) Caution() string {
	if n.Widened == "" {
		return ""
	}
	return fmt.Sprintf("the Bayes factor is no evidence: the prior of %s is %.3g times as wide as with numeric columns of mean 0, and favours the null as much more; "+
		"fit with centred columns, as center(x) in place of x", n.Widened, n.Times)
}
