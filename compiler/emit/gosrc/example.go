package gosrc

import (
	"fmt"
	"math"
	"strings"

	"likc/compiler/emit"
)

// example is the case (trials, parameters and the expected result) that example_test.go shows. It is the smallest one with a finite
// result and, if possible, more than one trial.
type example struct {
	emit.Case
	Columns      []namedColumn
	Args         string
	Trials       int
	LogLikFormat string // the format that prints the log-likelihood without rounding errors; "" if there is none
	GradFormat   string // the format that prints the gradient without rounding errors; "" if there is none
}

// namedColumn is a trial column, or the choice, with its values.
type namedColumn struct {
	Name   string
	Values []float64
}

// example returns the case that example_test.go shows, with formats that print it without rounding errors.
func (u *unit) example(cfg emit.Config) example {
	e := example{Case: smallest(cfg.Cases)}
	e.Trials = len(e.Case.Columns[0])
	columns, choice := u.ColumnNames(u.Top.Inner())
	var args []string
	for j, name := range columns {
		e.Columns = append(e.Columns, namedColumn{name, e.Case.Columns[j]})
		args = append(args, name)
	}
	if choice != "" {
		e.Columns = append(e.Columns, namedColumn{choice, e.Choice})
		args = append(args, choice)
	}
	e.Args = strings.Join(args, ", ")
	e.LogLikFormat = stableFormat(e.Scale, e.LogLik)
	for digits := 12; e.LogLikFormat == "" && digits > 0; digits-- { // for numbers too large for fixed-point formats
		e.LogLikFormat = stable(fmt.Sprintf("%%.%dg", digits), e.Scale, e.LogLik)
	}
	e.GradFormat = stableFormat(e.Scale, e.Grad...)
	return e
}

// smallest returns the case to show.
func smallest(cases []emit.Case) emit.Case {
	best, size := cases[0], math.MaxInt
	for _, c := range cases {
		n := len(c.Columns[0])
		if finite := !math.IsInf(c.LogLik, 0) && !math.IsNaN(c.LogLik); finite && n > 1 && n < size {
			best, size = c, n
		}
	}
	return best
}

// stableFormat returns the fixed-point format with the most decimals in which rounding errors do not show, or "" if there is
// none.
func stableFormat(scale float64, xs ...float64) string {
	for decimals := 4; decimals >= 0; decimals-- {
		if format := stable(fmt.Sprintf("%%.%df", decimals), scale, xs...); format != "" {
			return format
		}
	}
	return ""
}

// stable returns format if rounding errors of 1e-11 of scale do not show in it, else "".
func stable(format string, scale float64, xs ...float64) string {
	for _, x := range xs {
		if fmt.Sprintf(format, x-1e-11*scale) != fmt.Sprintf(format, x+1e-11*scale) {
			return ""
		}
	}
	return format
}
