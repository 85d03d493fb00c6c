package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/model/posterior"
)

// Layout is the design of a simulated study: the number of participants and of their trials, and the columns that formulas name.
//
// A column is written as NAME=VALUE,VALUE,… with numbers or labels, or as NAME=DISTRIBUTION; then its numbers are drawn once for
// all studies. The values of several columns are crossed: with two columns of two and three values, each combination occurs once
// in six consecutive trials, or participants.
type Layout struct {
	Subjects int
	Trials   int
	Within   []string // columns that change from trial to trial
	Between  []string // columns that change from participant to participant

	Given formula.Table // further columns, with a row for each trial of the first participant, then of the second, and so on; empty for none
}

// has reports whether the layout defines a column.
func (l *Layout) has(name string) bool {
	return slices.ContainsFunc(slices.Concat(l.Within, l.Between), func(text string) bool {
		column, _, _ := strings.Cut(text, "=")
		return strings.TrimSpace(column) == name
	}) || slices.ContainsFunc(l.Given.Columns, func(c formula.DataColumn) bool { return c.Name == name })
}

// mostRows is the largest number of trials of a study; mostValues is the largest number of values of a column.
const (
	mostRows   = 1_000_000
	mostValues = 1000
)

// table returns the columns of the layout, with a row for each trial. If the layout has no column with the name group, such a
// column numbers the participants from 0.
func (l *Layout) table(group string, rng *rand.Rand) (formula.Table, error) {
	rows := l.Subjects * l.Trials
	t := formula.Table{Rows: rows}
	if rows > mostRows {
		return t, fmt.Errorf("%d participants of %d trials: want at most %d trials in all", l.Subjects, l.Trials, mostRows)
	}
	participants := make([]float64, rows)
	for row := range participants {
		participants[row] = float64(row / l.Trials)
	}
	t.Columns = slices.Clone(l.Given.Columns)
	if !l.has(group) {
		t.Columns = append(t.Columns, formula.DataColumn{Name: group, Numeric: participants})
	}
	for _, of := range []struct {
		texts []string
		units int
		unit  func(row int) int
	}{
		{l.Between, l.Subjects, func(row int) int { return row / l.Trials }},
		{l.Within, rows, func(row int) int { return row }},
	} {
		repeat := 1
		for _, text := range of.texts {
			c, values, err := parseColumn(text, of.units, repeat, rng)
			if err != nil {
				return t, err
			}
			if slices.ContainsFunc(t.Columns, func(other formula.DataColumn) bool { return other.Name == c.Name }) {
				return t, fmt.Errorf("%s: there is a column of that name already", c.Name)
			}
			repeat *= values
			t.Columns = append(t.Columns, spread(c, rows, of.unit))
		}
	}
	return t, nil
}

// spread returns a column with a row for each trial, given a column with a row for each unit, such as a participant. unit(row) is
// the unit of a row.
func spread(c formula.DataColumn, rows int, unit func(row int) int) formula.DataColumn {
	out := formula.DataColumn{Name: c.Name}
	for row := range rows {
		if c.Numeric != nil {
			out.Numeric = append(out.Numeric, c.Numeric[unit(row)])
		} else {
			out.Labels = append(out.Labels, c.Labels[unit(row)])
		}
	}
	return out
}

// parseColumn parses a column of n units. Each value is used for `repeat` consecutive units before the next one. values is the
// number of values, or 1 if they are drawn.
func parseColumn(text string, n, repeat int, rng *rand.Rand) (c formula.DataColumn, values int, err error) {
	name, list, ok := strings.Cut(text, "=")
	c.Name = strings.TrimSpace(name)
	if !ok || c.Name == "" {
		return c, 0, fmt.Errorf("%s: want NAME=VALUE,VALUE,… or NAME=DISTRIBUTION, as in cond=low,high or x=normal(0,1)", text)
	}
	if strings.Contains(list, "(") {
		c.Numeric, err = drawColumn(list, n, rng)
		if err != nil {
			err = fmt.Errorf("%s: %w", c.Name, err)
		}
		return c, 1, err
	}
	labels := strings.Split(list, ",")
	if len(labels) > mostValues {
		return c, 0, fmt.Errorf("%s: %d values: want at most %d", c.Name, len(labels), mostValues)
	}
	numbers := make([]float64, len(labels))
	numeric := true
	for i := range labels {
		if labels[i] = strings.TrimSpace(labels[i]); labels[i] == "" {
			return c, 0, fmt.Errorf("%s: value %d is empty", c.Name, i+1)
		}
		x, err := strconv.ParseFloat(labels[i], 64)
		numbers[i], numeric = x, numeric && err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	for i := range n {
		at := i / repeat % len(labels)
		if numeric {
			c.Numeric = append(c.Numeric, numbers[at])
		} else {
			c.Labels = append(c.Labels, labels[at])
		}
	}
	return c, len(labels), nil
}

// drawColumn draws n numbers from a distribution.
func drawColumn(text string, n int, rng *rand.Rand) ([]float64, error) {
	prior, err := posterior.ParsePrior(text)
	if err != nil {
		return nil, err
	}
	sampler, err := (&posterior.Parameter{Name: text, Lower: math.Inf(-1), Upper: math.Inf(1), Prior: prior}).Sampler()
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = sampler.Draw(rng)
	}
	return numbers, nil
}
