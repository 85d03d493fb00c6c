package hierarchy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/num/chains"
	"likc/runtime/num/statistic"
)

// Cell holds the mean, standard deviation and quantiles of a parameter, on its own scale, in one cell of the design. A cell
// belongs to one level of a grouping, such as a participant, or to the typical level, whose offsets are 0. Numeric columns are at
// their means over all trials, or over the trials of the level.
type Cell struct {
	Param     string
	By, Level string // grouping and its level; both "" for the typical level
	Values    []Value
	At        string   // position of a numeric column that is not at its mean, such as "x + 1 sd"; "" for none
	Figures            // figures of the parameter in the cell
	Levels    *Figures // figures of the mean over those levels of the first grouping that have the cell; nil if the parameter has no grouping
	LevelsOf  string   // name of the grouping of Levels
	LevelsN   int      // number of levels in the mean of Levels
	Low, High float64  // bounds of the parameter in the cell; infinite for none
	Shared    bool     // whether the cell belongs to a level of a grouping by which the parameter does not vary
	Fixed     bool     // whether the parameter has a fixed value

	moved  string // name of the numeric column that is not at its mean
	digits int    // number of digits of that column's value in names
}

// Value is the value of a column in a cell: a label, or the text of a number.
type Value struct {
	Column string `json:"column"`
	Text   string `json:"value"`
	kind   valueKind
}

// valueKind says how a column's value enters a cell. A column that is both a factor and part of a grouping counts as a factor.
type valueKind int

const (
	ofFactor valueKind = iota
	ofNumber
	ofGrouping
)

// Figures are the mean, standard deviation and quantiles of draws.
type Figures struct {
	Mean float64
	SD   float64
	Q5   float64
	Q50  float64
	Q95  float64
}

// FiguresOf returns the figures of draws, with a slice for each chain.
func FiguresOf(x [][]float64) Figures {
	sorted := slices.Concat(x...)
	slices.Sort(sorted)
	return Figures{chains.Mean(x), chains.SD(x), statistic.Quantile(sorted, 0.05), statistic.Quantile(sorted, 0.5), statistic.Quantile(sorted, 0.95)}
}

// Text returns the value of a column in the cell; "" if the parameter does not depend on it.
func (c *Cell) Text(column string) string {
	i := slices.IndexFunc(c.Values, func(v Value) bool { return v.Column == column })
	if i < 0 {
		return ""
	}
	return c.Values[i].Text
}

// AtMean returns the numeric columns that are at their means, with the means as texts.
func (c *Cell) AtMean() (all []Value) {
	for _, v := range c.Values {
		if v.kind == ofNumber && v.Column != c.moved {
			all = append(all, v)
		}
	}
	return all
}

// HasFactor reports whether a column is a factor of the cell.
func (c *Cell) HasFactor(column string) bool {
	return slices.ContainsFunc(c.Values, func(v Value) bool { return v.Column == column && v.kind == ofFactor })
}

// String returns the name of the cell in a contrast, such as v[conf=HC]. Numbers at their means are omitted, others are rounded.
func (c *Cell) String() string {
	parts := c.factors()
	for _, v := range c.Values {
		if x, _ := strconv.ParseFloat(v.Text, 64); v.kind == ofNumber && v.Column == c.moved {
			parts = append(parts, fmt.Sprintf("%s=%.*g", formula.QuoteName(v.Column), c.digits, x))
		}
	}
	return c.Param + bracketed(parts)
}

// Factors returns the factors of the cell, such as [conf=HC]; "" if there are none.
func (c *Cell) Factors() string { return bracketed(c.factors()) }

func (c *Cell) factors() (parts []string) {
	for _, v := range c.Values {
		if v.kind == ofFactor {
			parts = append(parts, formula.QuoteName(v.Column)+"="+quoteLabel(v.Text))
		}
	}
	return parts
}

func bracketed(parts []string) string {
	if parts == nil {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// quoteLabel quotes a label that is neither a word nor a number, as the syntax of contrasts requires.
func quoteLabel(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil || formula.QuoteName(text) == text {
		return text
	}
	return strconv.Quote(text)
}
