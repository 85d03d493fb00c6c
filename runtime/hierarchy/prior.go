package hierarchy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/runtime/posterior"
)

// Priors where the user names none. On a scale whose usual width is W (the range's for identity, 6 for logit, where most of the
// range lies within ±3, and 3 for log) they are
//
//	intercept or level     normal(middle, W/6)
//	slope                  normal(0, W/12) per standard deviation of its column, if that is larger than 1, else per unit
//	spread                 halfnormal(W/12), in the same units
//
// A drift in [-3, 3] has thus N(0, 1), N(0, 0.5) and HalfNormal(0.5), those of the paper's models.

// scale returns the middle and the usual width of the linear predictor.
func (l *linear) scale() (middle, width float64) {
	switch {
	case l.link == Log:
		return math.Log(max(l.Upper, 1e-3)) / 2, 3
	case l.link == Logit || math.IsInf(l.Lower, 0) || math.IsInf(l.Upper, 0):
		return 0, 6
	}
	return (l.Lower + l.Upper) / 2, l.Upper - l.Lower
}

func (l *linear) prior(values []float64, intercept bool) posterior.Prior {
	middle, width := l.scale()
	if intercept || isIndicator(values) && !slices.Contains(values, 0) {
		return mustPrior("normal(%v, %v)", middle, width/6)
	}
	return mustPrior("normal(0, %v)", width/12/unit(values))
}

func (l *linear) spreadPrior(values []float64) posterior.Prior {
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

// unit is the standard deviation of a column, but at least 1.
func unit(values []float64) float64 {
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, x := range values {
		mean += x / n
	}
	for _, x := range values {
		squares += (x - mean) / n * (x - mean)
	}
	return max(1, math.Sqrt(squares))
}

// list names the first few coefficients.
func list(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
