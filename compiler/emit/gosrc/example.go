package gosrc

import (
	"fmt"
	"math"
	"strings"

	"likc/compiler/emit"
)

// example is what example_test.go shows: the smallest case with a finite result and more than one trial, if there is one.
type example struct {
	emit.Case
	Columns      []namedColumn
	Args         string
	LogLikFormat string
	GradFormat   string // "" where no number of decimals survives rounding
}

type namedColumn struct {
	Name   string
	Values []float64
}

func (u *unit) example(cfg emit.Config) example {
	e := example{Case: smallest(cfg.Cases)}
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
	if e.LogLikFormat == "" {
		e.LogLikFormat = "%.0f"
	}
	e.GradFormat = stableFormat(e.Scale, e.Grad...)
	return e
}

// smallest picks the case to show.
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

// stableFormat is the longest fixed-point format in which rounding errors of 1e-11 of scale do not show; "" if there is none.
func stableFormat(scale float64, xs ...float64) string {
	for decimals := 4; decimals >= 0; decimals-- {
		format, stable := fmt.Sprintf("%%.%df", decimals), true
		for _, x := range xs {
			stable = stable && fmt.Sprintf(format, x-1e-11*scale) == fmt.Sprintf(format, x+1e-11*scale)
		}
		if stable {
			return format
		}
	}
	return ""
}
