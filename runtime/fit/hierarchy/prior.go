package hierarchy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/model/posterior"
)

// These are the default priors. On the scale of the linear predictor, a level of the parameter is normal around a middle with a
// standard deviation S. A level is an intercept or a coefficient of a factor without intercept, as in 0 + C(cond). [Study.scale]
// determines the middle and S.
//
//	intercept or level             normal(middle, S)
//	slope                          normal(0, S/unit)
//	spread of intercept or level   halfnormal(S/2)
//	spread of slope                halfnormal(S/(2 unit))
//
// A spread is the standard deviation of a coefficient among groups. Its prior is twice as wide if no common coefficient is its mean.
//
// The unit of a column makes all codings of a design nearly the same [gelman2008]. It is 1 for an indicator. For a numeric column
// with two values it is their distance, for other numeric columns two standard deviations. For an interaction it is the product
// of the units of its factors. If columns have a mean other than 0, some priors are wider: those of the intercept, and of terms
// that an interaction with such columns contains. See [multiples].
//
//	[gelman2008] Gelman (2008). Scaling regression inputs by dividing by two standard deviations. Statistics in Medicine 27, 2865-2873.

// PriorSet names priors for all coefficients and spreads: "" for those above.
type PriorSet string

// These sets of priors are on the scale of the linear predictor.
const (
	FlatPriors  PriorSet = "flat"  // flat priors of coefficients; spreads have the default priors
	PaperPriors PriorSet = "paper" // priors of the paper's applied case
	BrmsPriors  PriorSet = "brms"  // the defaults of brms, whose intercept is centred at the median response time: here it is at 0
	HSSMPriors  PriorSet = "hssm"  // priors of HSSM 0.4.0; the prior of an intercept with link identity is the parameter's own
)

// priorSet holds the priors of a set. "" means the default prior. flat means a uniform density. With the identity link, it is
// uniform over all numbers. With other links, it is uniform within flatReach/unit of the middle, because the likelihood need not
// fall to 0 as the linear predictor goes to infinity. The prior "uniform" of brms has no such ends.
type priorSet struct {
	intercept, level, slope, spread string
	// identity says that the default link is identity, and that intercepts behind such a link have the prior of the parameter itself.
	identity bool
}

const (
	flat      = "flat" // the name of a uniform density
	flatReach = 10.0   // half the width of a uniform density of a coefficient whose unit is 1, if the link is not identity
)

// sets holds the priors of each set.
var sets = map[PriorSet]priorSet{
	FlatPriors:  {intercept: flat, level: flat, slope: flat},
	PaperPriors: {intercept: "normal(0, 1)", level: "normal(0, 1)", slope: "normal(0, 0.5)", spread: "halfnormal(0.5)"},
	BrmsPriors:  {intercept: "student_t(3, 0, 2.5)", level: "uniform", slope: "uniform", spread: "student_t(3, 0, 2.5)"},
	HSSMPriors:  {intercept: "normal(0, 0.25)", level: "normal(0, 0.25)", slope: "normal(0, 0.25)", spread: "weibull(1.5, 0.3)", identity: true},
}

// role is the role of a common coefficient: a slope along a column, an intercept, or the value for one label of a factor.
type role int

const (
	slope role = iota
	intercept
	level
)

// roleOf returns the role of a term's coefficients.
func roleOf(t formula.DesignTerm) role {
	if t.Term.IsIntercept() {
		return intercept
	}
	var sum []float64
	for _, c := range t.Columns {
		if !isIndicator(c.Values) {
			return slope
		}
		sum = append(sum, make([]float64, len(c.Values)-len(sum))...)
		for i, x := range c.Values {
			sum[i] += x
		}
	}
	if len(t.Columns) == 0 || slices.ContainsFunc(sum, func(x float64) bool { return x != 1 }) {
		return slope
	}
	return level
}

// SetPriorSet chooses a set of priors for all coefficients and spreads whose priors SetPriors does not set. own holds a prior for
// each parameter, which the set hssm uses for the intercepts of parameters with the identity link.
func (s *Spec) SetPriorSet(name PriorSet, own map[string]posterior.Prior) error {
	set, known := sets[name]
	switch {
	case !known:
		return fmt.Errorf("%s: want flat, hssm, paper or brms", name)
	case set.identity && len(own) == 0:
		return fmt.Errorf("%s: it needs a prior of each parameter for the intercepts, and the model has none", name)
	}
	s.set = name
	if set.identity {
		s.intercepts = own
	}
	for param, r := range s.Params {
		if set.identity && r.Link == "" {
			r.Link = Identity
			s.Params[param] = r
		}
	}
	return nil
}

// usualOnset is the middle of the prior of a non-decision time, in seconds. Most published estimates are within a factor of 2.
const usualOnset = 0.3

// scale returns the expected level of a parameter on the scale of its linear predictor, and the standard deviation S of the
// level's prior. Both follow from the range [low, high] that the model declares, not from the data:
//
//   - identity: the middle of the range; S is half its width, or a quarter if the likelihood is known only within the range
//   - log: the middle of [log low, log high]; S is half its width. A low below high/16 counts as high/16
//   - logit: 0; S is 1.5, with which the parameter is nearly uniform over its range
//
// The middle of a non-decision time, which must be smaller than response times, is usualOnset if its range contains that. S is
// then log 2 with link log, the middle itself with identity, and 1 with logit.
func (s *Study) scale(l *linear) (middle, sd float64) {
	low, high := s.model.Params[l.index].Lower, s.model.Params[l.index].Upper
	if math.IsInf(high-low, 1) {
		return 0, 3
	}
	centre, isTime := (low+high)/2, s.model.IsOnset(l.Name)
	if isTime && low < usualOnset && usualOnset < centre {
		centre = usualOnset
	}
	switch {
	case l.link == Logit && isTime:
		return math.Log((centre - low) / (high - centre)), 1
	case l.link == Logit:
		return 0, 1.5
	case l.link == Log && isTime && centre > 0:
		return math.Log(centre), math.Ln2
	case l.link == Log:
		from, to := math.Log(max(low, high/16)), math.Log(high)
		return (from + to) / 2, (to - from) / 2
	case isTime && centre > 0:
		return centre, centre
	case s.model.EndsWithin(l.index):
		return centre, (high - low) / 4
	}
	return centre, (high - low) / 2
}

// prior returns the prior of a common coefficient. multiple is its prior standard deviation divided by that of a level; see [multiples].
func (s *Study) prior(l *linear, multiple float64, r role) posterior.Prior {
	middle, sd := s.scale(l)
	if r == slope {
		middle = 0
	}
	set := sets[l.set]
	text := map[role]string{intercept: set.intercept, level: set.level, slope: set.slope}[r]
	switch {
	case r == intercept && l.intercept != nil:
		return *l.intercept
	case text == flat && l.link == Identity:
		return posterior.Prior{}
	case text == flat:
		return mustPrior("uniform(%v, %v)", middle-flatReach*multiple, middle+flatReach*multiple)
	case text != "":
		return mustPrior("%s", text)
	}
	return mustPrior("normal(%v, %v)", threeDigits(middle), threeDigits(sd*multiple))
}

// spreadPrior returns the prior of a coefficient's spread among groups. hasMean says whether a common coefficient is its mean.
func (s *Study) spreadPrior(l *linear, multiple float64, hasMean bool) posterior.Prior {
	if text := sets[l.set].spread; text != "" {
		return mustPrior("%s", text)
	}
	_, sd := s.scale(l)
	if hasMean {
		sd /= 2
	}
	return mustPrior("halfnormal(%v)", threeDigits(sd*multiple))
}

// threeDigits rounds a number so that a prior is easy to read.
func threeDigits(x float64) float64 { return rounded(x, 3) }

// rounded rounds to a number of digits. A positive number stays positive.
func rounded(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		panic("hierarchy: " + err.Error())
	}
	return y
}

// mustPrior parses a prior that this package wrote.
func mustPrior(format string, args ...any) posterior.Prior {
	p, err := posterior.ParsePrior(fmt.Sprintf(format, args...))
	if err != nil {
		panic("hierarchy: " + err.Error())
	}
	return p
}

// isIndicator reports whether a column has only the values 0 and 1.
func isIndicator(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != 0 && x != 1 })
}

// list lists the first few coefficients.
func list(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
