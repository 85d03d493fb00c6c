package trials

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// declaredValue returns the value that the model declares for a missing value of a symbol. It returns false where the model declares none, or
// the cell holds a value. It counts the cells whose value it returns.
func (c *collector) declaredValue(symbol string, from Cell) (float64, bool) {
	x, declared := c.Missing[symbol]
	if !declared || !isMissing(from) {
		return 0, false
	}
	if c.table.Source.Filled == nil {
		c.table.Source.Filled = map[string]int{}
	}
	c.table.Source.Filled[symbol]++
	return x, true
}

// silence empties the choice of a row if its text means that nobody responded.
func (c *collector) silence(cells []Cell) {
	if at := c.plan.choice; at >= 0 && c.codes.silent[cells[at].label()] {
		cells[at] = Cell{}
	}
}

// readChoice reads the choice of a row. A model may declare a silent choice, which means that nobody responded. A row without a response time
// must have the silent choice or an empty choice. A row with a response time must have another choice: it is an error if the file
// codes a response by the number of the silent choice, such as an error by 0.
func (c *collector) readChoice(at place, from Cell) (float64, error) {
	silent, declared := c.Missing[c.Choice]
	if _, named := c.codes.named[from.label()]; declared && !named && isMissing(from) {
		if !c.silent {
			return 0, fmt.Errorf("empty, and yet there is a response time: want a choice, or neither")
		}
		code, _ := c.declaredValue(c.Choice, from)
		return code, nil
	}
	code, err := c.codes.read(at, from)
	if err == nil && c.silent && declared && code != silent {
		return 0, fmt.Errorf("the choice %v without a response time: want one, or the choice %v or none, which mean that nobody responded", code, silent)
	}
	if _, timeless := c.Missing[ResponseTime(c.Trials)]; err == nil && !c.silent && declared && timeless && code == silent {
		return 0, fmt.Errorf("the choice %v, which means that nobody responded, and yet there is a response time: want another choice, or the time empty, NA or -999", code)
	}
	return code, err
}

// choiceFollows reports whether the presence of a response time decides the choice: one of two choices means that nobody responded. Then the
// file may have no column of choices.
func (o Options) choiceFollows() bool {
	_, timeless := o.Missing[ResponseTime(o.Trials)]
	silent, declared := o.Missing[o.Choice]
	return timeless && declared && o.Choices == 2 && (silent == 0 || silent == 1)
}

// followingChoice returns the choice of the row where the file has no column of choices: see choiceFollows.
func (c *collector) followingChoice() float64 {
	if silent := c.Missing[c.Choice]; c.silent {
		return silent
	}
	return 1 - c.Missing[c.Choice]
}

// lacks reports whether a row lacks a value that the model uses, and neither the model nor a deadline gives the missing value a
// meaning.
func (c *collector) lacks(cells []Cell) bool {
	for i, from := range c.plan.trials {
		_, declared := c.Missing[c.table.Symbols[i]]
		switch isTime := i == c.plan.rt; {
		case declared, isTime && c.Deadline.IsSet(), c.omits(cells) && slices.Contains(c.Idle, c.table.Symbols[i]):
		case isAbsent(cells[from]), isTime && isMissing(cells[from]):
			return true
		}
	}
	if c.plan.choice >= 0 && c.lacksChoice(cells[c.plan.choice]) || c.Deadline.Column != "" && isAbsent(cells[c.plan.deadline]) {
		return true
	}
	return slices.ContainsFunc(c.plan.extra, func(from int) bool { return isAbsent(cells[from]) })
}

// isAbsent reports whether a cell of any column holds no value: it is empty, or holds a usual text for a missing value, or -999.
func isAbsent(from Cell) bool {
	switch from.kind {
	case nullCell:
		return true
	case numberCell:
		return math.IsNaN(from.number) || from.number == missingTime
	}
	text := strings.TrimSpace(from.text)
	if text == "" || isMissingText(text) {
		return true
	}
	if text[0] != '-' {
		return false // most labels need not be parsed
	}
	v, err := parse(text)
	return err == nil && v == missingTime
}

// checkPresent returns the error for a cell without a value; want names the expected value.
func checkPresent(from Cell, want string) error {
	switch label := from.label(); {
	case !isAbsent(from):
		return nil
	case label == "":
		return missingValue("empty: want " + want)
	default:
		return missingValue(fmt.Sprintf("%s stands for a missing value: want %s", quote(label), want))
	}
}

// lacksChoice reports whether a cell of the column of choices is missing, and neither the model nor a deadline gives that a meaning.
func (c *collector) lacksChoice(from Cell) bool {
	_, declared := c.Missing[c.Choice]
	_, named := c.codes.named[from.label()]
	return !declared && !named && !c.Deadline.IsSet() && isMissing(from)
}
