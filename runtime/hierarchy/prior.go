package hierarchy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/compiler/formula"
	"likc/runtime/posterior"
)

// Priors where the user names none. On a scale whose usual width is W (the range's for identity, 6 for logit, where most of the
// range lies within ±3, and 6 for log, whose middle is a quarter of the range's upper end) they are
//
//	intercept or level     normal(middle, W/6); levels are the columns of a term that sum to 1, as those of 0 + C(cond)
//	slope                  normal(0, W/12) per standard deviation of its column, if that is larger than 1, else per unit
//	spread                 halfnormal(W/12), in the same units
//
// A drift in [-3, 3] has thus N(0, 1), N(0, 0.5) and HalfNormal(0.5), those of the paper's models.

// PriorSet names priors for all coefficients and spreads: "" for those above.
type PriorSet string

// Priors of the paper's applied case, on the scale of the linear predictor, and the defaults of brms. Slopes are flat there.
// Intercepts of brms are centred at the median of the response times, which says nothing of a drift: here they are at 0.
const (
	PaperPriors PriorSet = "paper"
	BrmsPriors  PriorSet = "brms"
)

// sets are the priors of each set; uniform is flat over all numbers.
var sets = map[PriorSet]struct{ intercept, level, slope, spread string }{
	PaperPriors: {"normal(0, 1)", "normal(0, 1)", "normal(0, 0.5)", "halfnormal(0.5)"},
	BrmsPriors:  {"student_t(3, 0, 2.5)", "uniform", "uniform", "student_t(3, 0, 2.5)"},
}

// role is what a common coefficient is.
type role int

const (
	slope role = iota
	intercept
	level
)

// roleOf is that of the coefficients of a term.
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

// SetPriorSet chooses the priors of all coefficients for which SetPriors has none: paper, brms, or the name of a set whose
// priors of the model's parameters are given. An intercept of a parameter that is its own linear predictor has the parameter's
// prior then, and all else what it has without a set.
func (s *Spec) SetPriorSet(name string, of map[string]posterior.Prior) error {
	if _, known := sets[PriorSet(name)]; known {
		s.set = PriorSet(name)
		return nil
	}
	if len(of) == 0 {
		return fmt.Errorf("%s: coefficients have no range to be uniform over; want hssm, paper or brms", name)
	}
	s.intercepts = of
	return nil
}

// scale returns the middle and the usual width of the linear predictor.
func (l *linear) scale() (middle, width float64) {
	switch {
	case l.link == Log:
		return math.Log(max(l.Lower, l.Upper/4, 1e-3)), 6
	case l.link == Logit || math.IsInf(l.Lower, 0) || math.IsInf(l.Upper, 0):
		return 0, 6
	}
	return (l.Lower + l.Upper) / 2, l.Upper - l.Lower
}

func (l *linear) prior(values []float64, r role) posterior.Prior {
	middle, width := l.scale()
	set, named := sets[l.set]
	switch {
	case r != slope && l.intercept != nil:
		return *l.intercept
	case r == intercept && named:
		return mustPrior("%s", set.intercept)
	case r == level && named:
		return mustPrior("%s", set.level)
	case r != slope:
		return mustPrior("normal(%v, %v)", middle, width/6)
	case named:
		return mustPrior("%s", set.slope)
	}
	return mustPrior("normal(0, %v)", width/12/unit(values))
}

func (l *linear) spreadPrior(values []float64) posterior.Prior {
	if set, named := sets[l.set]; named {
		return mustPrior("%s", set.spread)
	}
	_, width := l.scale()
	return mustPrior("halfnormal(%v)", width/12/unit(values))
}

// mustPrior reads a prior that this package writes.
func mustPrior(format string, args ...any) posterior.Prior {
	p, err := posterior.ParsePrior(fmt.Sprintf(format, args...))
	if err != nil {
		panic("hierarchy: " + err.Error())
	}
	return p
}

func isIndicator(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != 0 && x != 1 })
}

// unit is the standard deviation of a column, but at least 1, and a number where its square is none.
func unit(values []float64) float64 {
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, x := range values {
		mean += x / n
	}
	for _, x := range values {
		squares += (x - mean) / n * (x - mean)
	}
	return min(max(1, math.Sqrt(squares)), math.MaxFloat64)
}

// list names the first few coefficients.
func list(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
