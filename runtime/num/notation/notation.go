// Package notation formats numbers for tables and messages.
package notation

import (
	"fmt"
	"math"
	"strings"
)

// Count returns a number with its noun, such as "1 chain" or "2 chains".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Figure returns a number in a format of package fmt, or a dash if it is NaN.
func Figure[F ~float64](format string, x F) string {
	if math.IsNaN(float64(x)) {
		return "-"
	}
	return fmt.Sprintf(format, float64(x))
}

// Verdict returns "pass" or "fail".
func Verdict(pass bool) string {
	if pass {
		return "pass"
	}
	return "fail"
}
