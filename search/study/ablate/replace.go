package ablate

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/search/study/bank"
)

// replacement is a formula in which a number replaces a term.
type replacement struct {
	term  int    // the index of the term
	by    string // "0", "1" or "mean"
	value float64
	form  int // the index of the formula among those to judge
}

// form is a formula to judge: the whole one, or one for all replacements that have the same posterior.
type form struct {
	name   string
	model  *expr.Model
	values []float64 // the log density at some trials
}

// someTrials is the approximate number of trials of each subject at which a formula with a replacement must be finite.
const someTrials = 20

// replace lists, for each term, the numbers that replace it: 0, 1 and the mean of the term over the bank's trials at the true
// parameters. Equal numbers come once. It skips a number if the formula is then not finite at one of some trials, and the mean of a
// term that is not finite at every trial. The first form is the whole formula.
func (f *formula) replace(b *bank.Bank) (forms []form, all []replacement) {
	forms = []form{{f.Name, f.Model, f.values(f.LogLik, b)}}
	means := f.means(b)
	for t, node := range f.terms {
		choices := []replacement{{by: "0"}, {by: "1", value: 1}, {by: "mean", value: means[t]}}
		if f.outer[node] {
			choices = choices[:1] // an added constant changes no posterior
		}
		for k, r := range choices {
			same := slices.ContainsFunc(choices[:k], func(o replacement) bool { return o.value == r.value })
			if same || math.IsNaN(r.value) || node.IsNum(r.value) {
				continue
			}
			m := f.without(node, r.value)
			values := f.values(m.LogLik, b)
			if values == nil {
				continue
			}
			r.term = t
			if r.form = slices.IndexFunc(forms, func(o form) bool { return samePosterior(o.values, values) }); r.form < 0 {
				r.form = len(forms)
				forms = append(forms, form{fmt.Sprintf("%s, %s = %s", f.Name, f.text(node), expr.Literal(r.value)), m, values})
			}
			all = append(all, r)
		}
	}
	return forms, all
}

// samePosterior reports whether two log densities differ by a constant.
func samePosterior(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs((a[i]-b[i])-(a[0]-b[0])) <= 1e-9*(1+math.Abs(a[i])+math.Abs(b[i]))) {
			return false
		}
	}
	return true
}

// means returns the mean of each term, rounded to four digits; NaN for a term that is not finite at a trial.
func (f *formula) means(b *bank.Bank) []float64 {
	tape, sums, n := expr.NewTape(f.symbols(), f.terms...), make([]float64, len(f.terms)), 0
	var at []float64
	f.eachTrial(b, math.MaxInt, func(values []float64) bool {
		at, _ = tape.Eval(at[:0], values)
		for t, x := range at {
			sums[t] += x
		}
		n++
		return true
	})
	for t := range sums {
		if sums[t] = expr.Rounded(sums[t]/float64(n), 4); math.IsInf(sums[t], 0) {
			sums[t] = math.NaN()
		}
	}
	return sums
}

// values returns the values of an expression at some trials of each subject; nil if one is not finite.
func (f *formula) values(e *expr.Expr, b *bank.Bank) (all []float64) {
	tape := expr.NewTape(f.symbols(), e)
	f.eachTrial(b, someTrials, func(values []float64) bool {
		all, _ = tape.Eval(all, values)
		x := all[len(all)-1]
		if math.IsNaN(x) || math.IsInf(x, 0) {
			all = nil
		}
		return all != nil
	})
	return all
}

// symbols returns the names of the trial column, the parameters and the choice. The choice is missing in a model without choices.
func (f *formula) symbols() []string {
	return slices.Concat(f.Trials, f.ParamNames(), []string{f.Choice})
}

// eachTrial calls use with the values of the symbols at the true parameters, for about `most` evenly spaced trials of each
// subject. For trials at the lower boundary, the parameters are reflected. It stops when use returns false.
func (f *formula) eachTrial(b *bank.Bank, most int, use func(values []float64) bool) {
	reflected := expr.NewTape(f.ParamNames(), f.Reflected()...)
	for _, s := range b.Subjects {
		upper := f.truth(b, s)
		lower, _ := reflected.Eval(nil, upper)
		for i := 0; i < len(s.RT); i += max(1, len(s.RT)/most) {
			theta := upper
			if f.Choice != "" && f.Choices == 0 && s.Choice[i] < 0 {
				theta = lower
			}
			if !use(slices.Concat([]float64{s.RT[i]}, theta, []float64{s.Choice[i]})) {
				return
			}
		}
	}
}

// truth returns a subject's true parameters in the formula's order.
func (f *formula) truth(b *bank.Bank, s bank.Subject) []float64 {
	theta := make([]float64, len(f.Params))
	for j, p := range f.Params {
		theta[j] = s.Theta[slices.IndexFunc(b.Settings.Params, func(r bank.Range) bool { return r.Name == p.Name })]
	}
	return theta
}
