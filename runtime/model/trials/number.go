package trials

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var (
	errEmpty = missingValue("empty: want a number")
	errNaN   = missingValue("NaN: want a number")
	errInf   = errors.New("infinite: want a finite number")
	errNever = errors.New("infinite: want a finite number") // +Inf, which EMC2 writes for a response or a stop signal that never came
)

// number parses a finite number.
func number(c Cell) (float64, error) {
	v := c.number
	if c.kind != numberCell {
		text := strings.TrimSpace(c.text)
		if c.kind == nullCell || text == "" {
			return 0, errEmpty
		}
		var err error
		if v, err = parse(text); err != nil {
			return 0, err
		}
	}
	switch {
	case math.IsNaN(v):
		return 0, errNaN
	case math.IsInf(v, 1):
		return 0, errNever
	case math.IsInf(v, -1):
		return 0, errInf
	}
	return v, nil
}

// parse parses a decimal number.
func parse(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case isMissingText(text):
		return math.NaN(), nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large for a number", quote(text))
	case err != nil && strings.Count(text, ",") == 1 && !strings.Contains(text, "."):
		if _, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
			return 0, fmt.Errorf("%s is not a number: want a decimal point, not a comma", quote(text))
		}
	}
	if err != nil || strings.ContainsAny(text, "xX_") {
		return 0, fmt.Errorf("%s is not a number", quote(text))
	}
	return v, nil
}

// missingTexts lists the texts that programs write for a missing value: all that pandas recognises, and the point of SAS and Stata.
var missingTexts = map[string]bool{"#N/A": true, "#N/A N/A": true, "#NA": true, "-1.#IND": true, "-1.#QNAN": true, "-NaN": true, "-nan": true,
	"1.#IND": true, "1.#QNAN": true, "<NA>": true, "N/A": true, "NULL": true, "None": true, "n/a": true, "null": true, ".": true}

// isMissingText reports whether a text means a missing value. NA and NaN do in upper or lower case; other spellings of none and Null
// may be labels.
func isMissingText(text string) bool {
	return missingTexts[text] || strings.EqualFold(text, "NA") || strings.EqualFold(text, "NaN")
}

// quote quotes the beginning of a text from a file.
func quote(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return strconv.Quote(string(r[:most])) + "…"
	}
	return strconv.Quote(text)
}
