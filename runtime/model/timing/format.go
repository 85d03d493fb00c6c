package timing

import (
	"fmt"
	"math"
	"strings"
)

// Duration writes a time in ns with three digits and its unit, such as 1.50 us; a dash for NaN.
func Duration(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return "-"
	case ns < 999.5:
		return digits(ns) + " ns"
	case ns < 999.5e3:
		return digits(ns/1e3) + " us"
	case ns < 999.5e6:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// Ratio writes a ratio with three digits, or as a whole number; a dash for NaN.
func Ratio(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x >= 999.5:
		return Thousands(int(math.Round(x)))
	}
	return digits(x)
}

// Thousands writes a number with separators, such as 1,000,000.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// digits writes three digits, or all digits before the point if there are more.
func digits(x float64) string {
	if x >= 999.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.3g", x), ".")
}
