package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/runtime/num/statistic"
)

// Predicted holds observed trials, and trials that the posterior predicts for them. Choice is nil for a model without choice.
type Predicted struct {
	Condition                    string // "" for all trials
	RT, Choice                   []float64
	PredictedRT, PredictedChoice []float64
	Omitted, PredictedOmitted    int // numbers of further trials without a response

	Smooth *SmoothCheck // a further test of the same trials; nil for none
}

// PredictiveCheck combines two tests of a set of trials. The first counts the observed trials in bins of response time, separately for
// each choice, and compares the counts with predicted ones by Pearson's chi-square. Bins have equal predicted shares; there are up to
// 10 for each choice, with at least 10 expected trials. Trials without a response are one more bin. The second test is Smooth, which
// finds smaller misfits. The check is for all trials together, or for the condition with the smallest p of a test.
//
// The probability that a right model is called a misfit is about 1 % at most, over both tests and all conditions together (Bonferroni's
// rule). For the first test this is a bound, because the distribution of chi-square assumes known parameters, and fitted parameters
// bring the counts closer to the data. The second test takes this into account.
type PredictiveCheck struct {
	Misfit    bool          `json:"misfit"`
	P         finite.Number `json:"p"`          // an upper bound of the probability of counts at least as far from the predicted ones, for one set of trials, if the model is right
	ChiSquare finite.Number `json:"chi_square"` // Pearson's statistic
	Freedom   int           `json:"degrees_of_freedom"`
	Displaced finite.Number `json:"displaced"`           // share of the trials that would have to move to other bins to match the predicted counts
	Chance    finite.Number `json:"chance"`              // the mean of this share if the model is right
	Worst     *Bin          `json:"worst,omitempty"`     // bin that contributes most to chi-square
	Condition string        `json:"condition,omitempty"` // "" for all trials
	Trials    int           `json:"trials"`              // number of observed trials, with or without a response
	Predicted int           `json:"predicted"`           // number of predicted trials
	Sets      int           `json:"sets"`                // number of sets of trials that were checked: all, and each condition
	Level     finite.Number `json:"level,omitempty"`     // the model is a misfit if the p of a test is smaller; missing in summaries of older versions
	Smooth    *SmoothCheck  `json:"smooth,omitempty"`    // nil if the test does not apply

	farthest float64 // the part of chi-square that comes from Worst
}

// Bin is the bin whose count differs most from the predicted one.
type Bin struct {
	Omission  bool          `json:"omission,omitempty"` // whether it holds the trials without a response; then it has no choice and no times
	Choice    json.Number   `json:"choice,omitempty"`   // `""` for a model without choice; 1 and -1 for the boundaries, or the number of the choice
	Response  string        `json:"response,omitempty"` // the data's own name of the choice, such as key = left; "" if it is the model's number
	From      finite.Number `json:"from"`               // beginning of the bin, in seconds
	To        finite.Number `json:"to"`                 // end of the bin, in seconds; infinite for the last bin
	Observed  finite.Number `json:"observed"`           // share of the trials in the bin
	Predicted finite.Number `json:"predicted"`          // predicted share of the trials
}

// falseAlarm is the largest probability that a right model is called a misfit.
const falseAlarm = 0.01

// CheckPredictions compares sets of trials with their predictions. It returns the check of the set with the smallest p of a test; nil
// if there are too few trials.
func CheckPredictions(all []Predicted) (worst *PredictiveCheck) {
	sets, tests := 0, 0
	for i := range all {
		c := all[i].check()
		if c == nil {
			continue
		}
		sets, tests = sets+1, tests+1
		if c.Smooth != nil {
			tests++
		}
		if worst == nil || c.smallest() < worst.smallest() || c.smallest() == worst.smallest() && c.ChiSquare > worst.ChiSquare {
			worst = c
		}
	}
	if worst != nil {
		worst.Sets, worst.Level = sets, finite.Number(falseAlarm/float64(tests))
		worst.Misfit = worst.smallest() < worst.Level
	}
	return worst
}

// smallest returns the smallest p of the tests.
func (c *PredictiveCheck) smallest() finite.Number {
	if c.Smooth == nil {
		return c.P
	}
	return min(c.P, c.Smooth.P)
}

// check compares one set of trials; it returns nil if there are too few trials for two bins.
func (p *Predicted) check() *PredictiveCheck {
	observed := statistic.Signed(p.RT, p.Choice)
	predicted := statistic.Signed(onGrid(p.RT, p.PredictedRT), p.PredictedChoice)
	slices.Sort(observed)
	slices.Sort(predicted)
	c := &PredictiveCheck{Condition: p.Condition, Smooth: p.Smooth, Trials: len(observed) + p.Omitted, Predicted: len(predicted) + p.PredictedOmitted}
	cuts := cutsOf(predicted, float64(c.Trials)/float64(c.Predicted))
	if c.Freedom = len(cuts); p.Omitted+p.PredictedOmitted > 0 {
		c.Freedom++
	}
	if c.Freedom == 0 || c.Trials < fewExpected || c.Predicted == 0 {
		return nil
	}
	low, from, seen := math.Inf(-1), 0, 0
	for _, to := range append(cuts, len(predicted)) {
		high, upto := math.Inf(1), len(observed)
		if to < len(predicted) {
			high = (predicted[to-1] + predicted[to]) / 2
			upto, _ = slices.BinarySearch(observed, high)
		}
		var b *Bin
		if to > from {
			b = binOf(low, high, predicted[from], predicted[to-1], p.numbers())
		}
		c.add(b, upto-seen, to-from)
		low, from, seen = high, to, upto
	}
	c.add(&Bin{Omission: true}, p.Omitted, p.PredictedOmitted)
	c.P = finite.Number(distuv.ChiSquared{K: float64(c.Freedom)}.Survival(float64(c.ChiSquare)))
	return c
}

// add adds a bin with its numbers of observed and predicted trials. b is nil for a bin that messages never name. A count with few
// expected trials is not normal, so the expected count in its variance is at least fewExpected/2, which keeps false alarms rare.
func (c *PredictiveCheck) add(b *Bin, observed, predicted int) {
	n, m := float64(c.Trials), float64(c.Predicted)
	share, count := float64(predicted)/m, float64(observed)
	expected, drawn := n*share, 1+n/m // the predicted count is random too, so its variance is added
	square := (count - expected) * (count - expected) / (max(expected, fewExpected/2) * drawn)
	c.ChiSquare += finite.Number(square)
	c.Displaced += finite.Number(math.Abs(count-expected) / 2 / n)
	c.Chance += finite.Number(math.Sqrt(2/math.Pi*expected*drawn*(1-share)) / 2 / n)
	if b != nil && square > c.farthest {
		c.farthest, c.Worst = square, b
		b.Observed, b.Predicted = finite.Number(count/n), finite.Number(share)
	}
}

// Bins have at least fewExpected expected trials, enough for nearly normal counts. A choice with at least half as many gets a bin
// of its own.
const (
	fewExpected = 10
	mostBins    = 10 // bins for each choice
)

// cutsOf returns the indices in the predicted trials, signed and ascending, at which the bins after the first one begin. each is
// the number of observed trials divided by the number of predicted ones.
func cutsOf(predicted []float64, each float64) (cuts []int) {
	expected := func(from, to int) float64 { return float64(to-from) * each }
	for from := 0; from < len(predicted); {
		to := from
		for to < len(predicted) && signOf(predicted[to]) == signOf(predicted[from]) {
			to++
		}
		bins := min(max(int(expected(from, to))/fewExpected, 1), mostBins)
		for i := 1; i < bins; i++ {
			cuts = append(cuts, distinct(predicted, from+(to-from)*i/bins))
		}
		if to < len(predicted) && expected(from, to) >= fewExpected/2 {
			cuts = append(cuts, to)
		}
		from = to
	}
	cuts = slices.DeleteFunc(slices.Compact(cuts), func(i int) bool { return i == 0 || i == len(predicted) })
	if last := len(cuts) - 1; last >= 0 && expected(cuts[last], len(predicted)) < fewExpected/2 {
		cuts = cuts[:last]
	}
	return cuts
}

// distinct moves a cut back to the first of several equal values, which belong to the same bin.
func distinct(sorted []float64, cut int) int {
	at, _ := slices.BinarySearch(sorted, sorted[cut])
	return at
}

// signOf distinguishes the choices of signed times; see [statistic.Signed].
func signOf(x float64) int {
	if x < 0 {
		return -1
	}
	return int(x / statistic.ChoiceOffset)
}

// binOf returns the bin between the times low and high; nil if its predicted trials, which go from first to last, have several
// choices. numbers holds the codes of the first two choices, -1 and 1 or 0 and 1: see [statistic.Signed].
func binOf(low, high, first, last float64, numbers []int) *Bin {
	sign := signOf(first)
	if sign != signOf(last) {
		return nil
	}
	b := &Bin{To: finite.Number(math.Inf(1))}
	start := max(float64(sign), 0) * statistic.ChoiceOffset
	if sign < 0 {
		low, high = -high, -low
	}
	if !math.IsInf(high, 1) && signOf(high) == max(sign, 0) {
		b.To = finite.Number(high - start)
	}
	if low > start {
		b.From = finite.Number(low - start)
	}
	if numbers != nil {
		choice := numbers[0]
		if sign >= 0 {
			choice = numbers[1] + sign
		}
		b.Choice = json.Number(strconv.Itoa(choice))
	}
	return b
}

// numbers returns the codes of the choices whose signed times are below and above zero; nil for a model without choice.
func (p *Predicted) numbers() []int {
	switch {
	case p.Choice == nil:
		return nil
	case slices.Contains(p.Choice, 0) || slices.Contains(p.PredictedChoice, 0):
		return []int{0, 1}
	}
	return []int{-1, 1}
}

// onGrid rounds predicted times to the steps of the observed ones. It does so only if observed times were recorded in such coarse
// steps that most of them equal another one: milliseconds, or the frames of a screen.
func onGrid(observed, predicted []float64) []float64 {
	sorted := slices.Compact(slices.Sorted(slices.Values(observed)))
	if len(sorted) < 2 || 2*len(sorted) > len(observed) {
		return predicted
	}
	step := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		if gap := sorted[i] - sorted[i-1]; gap > 1e-6 {
			step = min(step, gap)
		}
	}
	for _, x := range sorted {
		if steps := (x - sorted[0]) / step; math.Abs(steps-math.Round(steps)) > 0.1 {
			return predicted
		}
	}
	out := make([]float64, len(predicted))
	for i, x := range predicted {
		out[i] = sorted[0] + math.Round((x-sorted[0])/step)*step
	}
	return out
}

// String describes in what respect the trials differ from the predicted ones if the smooth test finds a difference. Then it describes
// the size of the misfit, and the worst bin if Pearson's test finds a difference.
func (c *PredictiveCheck) String() string {
	where := ""
	if c.Condition != "" {
		where = " where the condition is " + c.Condition
	}
	text := ""
	if c.shaped() {
		text = fmt.Sprintf("%s%s (smooth test: chi-square %.0f, %s, %s); ", c.Smooth.Farthest, where,
			float64(c.Smooth.ChiSquare), notation.Count(c.Smooth.Freedom, "degree")+" of freedom", pText(c.Smooth.P))
		where = " there"
		if c.Condition == "" {
			where = ""
		}
	}
	text += fmt.Sprintf("%.1f %% of %s%s lie elsewhere than predicted, where chance explains some %.1f %% (chi-square %.0f, %s of freedom, %s)",
		100*float64(c.Displaced), notation.Count(c.Trials, "trial"), where, 100*float64(c.Chance), float64(c.ChiSquare), notation.Count(c.Freedom, "degree"), pText(c.P))
	if c.binned() && c.Worst != nil {
		text += "; farthest off are " + c.Worst.String()
	}
	return text
}

// Short describes a misfit in a few words.
func (c *PredictiveCheck) Short() string {
	size := fmt.Sprintf("%.1f %% of trials elsewhere; by chance %.1f %%", 100*float64(c.Displaced), 100*float64(c.Chance))
	if c.shaped() {
		return c.Smooth.Farthest.String() + "; " + size
	}
	return size
}

// shaped reports whether the smooth test finds a misfit.
func (c *PredictiveCheck) shaped() bool {
	return c.Misfit && c.Smooth != nil && c.Smooth.Farthest != nil && c.Smooth.P < c.Level
}

// binned reports whether Pearson's test finds a misfit.
func (c *PredictiveCheck) binned() bool { return c.Misfit && (c.P < c.Level || c.Smooth == nil) }

func pText(p finite.Number) string {
	if p < 1e-4 {
		return "p < 0.0001"
	}
	return fmt.Sprintf("p = %.2g", float64(p))
}

// String describes the trials in the bin, and their number.
func (b *Bin) String() string {
	of := responsesWith(b.Omission, b.Choice, b.Response)
	if b.Omission {
		return fmt.Sprintf("%s: %.1f %% observed, %.1f %% predicted", of, 100*float64(b.Observed), 100*float64(b.Predicted))
	}
	switch {
	case b.From == 0 && !(float64(b.To) < math.Inf(1)): // any time
	case !(float64(b.To) < math.Inf(1)): // NaN if the file has null
		of += fmt.Sprintf(" after %.3g s", float64(b.From))
	case b.From == 0:
		of += fmt.Sprintf(" before %.3g s", float64(b.To))
	default:
		of += fmt.Sprintf(" from %.3g to %.3g s", float64(b.From), float64(b.To))
	}
	return fmt.Sprintf("%s: %.1f %% observed, %.1f %% predicted", of, 100*float64(b.Observed), 100*float64(b.Predicted))
}

// String describes the difference in plain words.
func (s *Shape) String() string {
	who := responsesWith(s.Omission, s.Choice, s.Response)
	words := map[ShapeKind][2]string{Number: {"more frequent", "less frequent"}, Position: {"slower", "faster"}, Spread: {"more spread out in time", "less spread out in time"}}[s.Kind]
	word := words[0]
	if s.Scores < 0 {
		word = words[1]
	}
	return fmt.Sprintf("%s are %s than predicted", who, word)
}

// responsesWith names the responses with one choice, which the data or else the model name; or the trials without a response.
func responsesWith(omission bool, choice json.Number, name string) string {
	switch {
	case omission:
		return "trials without a response"
	case name != "":
		return "responses with " + name
	case choice != "":
		return "responses of choice " + choice.String()
	}
	return "response times"
}
