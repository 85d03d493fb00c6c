package trials

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Files code a choice as +1/-1 (HSSM), 1/0 (HDDM), upper/lower (rtdists, brms), or 2/1 (a factor with the levels lower and upper). The
// value 1 occurs in three of these, so only the whole column tells which coding it has.
const (
	codeTwo = 2  // upper
	codeOne = 1  // lower if the column also holds 2, otherwise upper
	codeNil = 0  // lower
	codeNeg = -1 // lower
	upper   = 3
	lower   = -3
)

var choiceText = map[string]float64{"upper": upper, "lower": lower, "true": codeOne, "false": codeNil}

var errChoice = "is not a choice: want +1/-1, 1/0 or upper/lower"

// choiceCodes reads the cells of the column of choices, and stores where each code first occurred.
type choiceCodes struct {
	named    map[string]float64 // choices by the texts in the column, if the user gives them
	silent   map[string]bool    // texts that mean that nobody responded, if the user gives them
	numbered int                // number of choices, coded 0, 1, …; 0 for two boundaries
	first    [2*upper + 1]place // for each code plus upper, the position at which it first occurred
}

// name sets what the user says about the texts in the column. The choice Omitted means that nobody responded.
func (c *choiceCodes) name(choices map[string]float64) {
	for text, choice := range choices {
		if c.named == nil {
			c.named, c.silent = map[string]float64{}, map[string]bool{}
		}
		if choice == Omitted {
			c.silent[text] = true
		} else {
			c.named[text] = choice
		}
	}
}

// firstPlace returns the position at which a code first occurred; the zero place if it never did.
func (c *choiceCodes) firstPlace(code float64) place { return c.first[int(code)+upper] }

// has reports whether the column holds a code.
func (c *choiceCodes) has(code float64) bool { return c.firstPlace(code) != place{} }

// read returns the code in a cell; after all rows are read, settle converts codes into choices.
func (c *choiceCodes) read(at place, from Cell) (float64, error) {
	switch {
	case c.named != nil:
		return c.readNamed(from)
	case c.numbered > 0:
		return c.readNumbered(from)
	}
	code, isText := choiceText[strings.ToLower(strings.TrimSpace(from.text))]
	if !isText {
		var err error
		code, err = number(from)
		switch {
		case errors.Is(err, errEmpty), errors.Is(err, errNaN):
			return 0, missingValue("empty: want a choice, +1/-1, 1/0 or upper/lower")
		case err != nil && from.kind == textCell:
			label := strings.TrimSpace(from.text)
			return 0, &Unclear{Question: WhichChoice, Labels: []string{label}, err: fmt.Errorf("%s %s", quote(label), errChoice)}
		case code == missingTime:
			return 0, missingValue(fmt.Sprintf("%v %s", code, errChoice))
		case err != nil || code != codeTwo && code != codeOne && code != codeNil && code != codeNeg:
			return 0, otherCode("%v %s", from.number+code, errChoice)
		}
	}
	if !c.has(code) {
		c.first[int(code)+upper] = at
	}
	return code, nil
}

// readNamed returns the choice that the user assigned to a cell's text.
func (c *choiceCodes) readNamed(from Cell) (float64, error) {
	label := from.label()
	if choice, ok := c.named[label]; ok {
		return choice, nil
	}
	if x, err := number(from); err == nil { // so that 1.0 means 1
		if choice, ok := c.named[strconv.FormatFloat(x, 'g', -1, 64)]; ok {
			return choice, nil
		}
	}
	return 0, fmt.Errorf("%s is none of the named responses: %s (name it too: as a choice, or as none if nobody responded)", quote(label), list(sortedKeys(c.named)))
}

// readNumbered parses a choice of a model with numbered choices. It accepts only their numbers.
func (c *choiceCodes) readNumbered(from Cell) (float64, error) {
	code, err := number(from)
	label := from.label()
	switch {
	case errors.Is(err, errEmpty), errors.Is(err, errNaN):
		return 0, missingValue(fmt.Sprintf("empty: want a choice, 0 to %d", c.numbered-1))
	case err == nil && code == missingTime:
		return 0, missingValue(fmt.Sprintf("%v is not a choice: want 0 to %d", code, c.numbered-1))
	case err != nil || !(code >= 0 && code < float64(c.numbered)) || code != math.Trunc(code):
		return 0, otherCode("%s is not a choice: want 0 to %d", quote(label), c.numbered-1)
	}
	return code, nil
}

// otherCode returns the error for a value that is none of the usual codes of a choice.
func otherCode(format string, args ...any) error {
	return &Unclear{Question: WhichChoice, err: fmt.Errorf(format, args...)}
}

// coding returns the choice for each code in the column.
func (c *choiceCodes) coding() map[string]float64 {
	if c.named != nil {
		return c.named
	}
	all, least := map[string]float64{}, 1.0
	if c.numbered > 0 {
		for k := range c.numbered {
			all[strconv.Itoa(k)] = float64(k)
		}
		return all
	}
	if c.has(codeTwo) {
		least = codeTwo
	}
	for _, code := range []float64{upper, codeTwo, codeOne, codeNil, codeNeg, lower} {
		if c.has(code) {
			all[codeName(code)] = map[bool]float64{true: 1, false: -1}[code >= least]
		}
	}
	return all
}

// settle converts the codes of two boundaries in choice to +1 and -1. It returns an error if codings are mixed. note is a remark for the
// user; "" for none.
func (c *choiceCodes) settle(choice []float64) (note string, err error) {
	if c.named != nil || c.numbered > 0 {
		return "", nil
	}
	for _, mix := range [][2]float64{
		{codeNil, codeNeg}, {codeTwo, codeNil}, {codeTwo, codeNeg},
		{upper, codeTwo}, {upper, codeOne}, {upper, codeNil}, {upper, codeNeg},
		{lower, codeTwo}, {lower, codeOne}, {lower, codeNil}, {lower, codeNeg},
	} {
		if c.has(mix[0]) && c.has(mix[1]) {
			return "", fmt.Errorf("mixes codings: %s at %s and %s at %s: want +1/-1, 1/0 or upper/lower",
				codeName(mix[0]), c.firstPlace(mix[0]), codeName(mix[1]), c.firstPlace(mix[1]))
		}
	}
	least := 1.0
	if c.has(codeTwo) {
		least, note = codeTwo, "read as a factor: 2 is upper, 1 is lower"
	}
	for i, code := range choice {
		if choice[i] = -1; code >= least {
			choice[i] = 1
		}
	}
	return note, nil
}

func codeName(code float64) string {
	switch code {
	case upper:
		return "upper"
	case lower:
		return "lower"
	}
	return fmt.Sprint(code)
}
