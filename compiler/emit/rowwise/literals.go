package rowwise

import (
	"fmt"
	"math"
	"strings"
)

// goNumber returns a number as a Go expression.
func goNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "math.NaN()"
	case math.IsInf(x, 1):
		return "math.Inf(1)"
	case math.IsInf(x, -1):
		return "math.Inf(-1)"
	case x == 0 && math.Signbit(x):
		return "math.Copysign(0, -1)"
	}
	return floating(x)
}

// bare returns a function that writes numbers without the parentheses that they need within expressions.
func bare(write func(float64) string) func(float64) string {
	return func(x float64) string {
		if text, ok := strings.CutPrefix(write(x), "("); ok {
			return strings.TrimSuffix(text, ")")
		}
		return write(x)
	}
}

// goFloats returns numbers as a Go slice literal.
func goFloats(xs []float64) string {
	if xs == nil {
		return "nil"
	}
	return "[]float64{" + wrapped(xs, bare(goNumber)) + "}"
}

// goInts returns whole numbers as a Go slice literal.
func goInts(xs []int) string {
	if xs == nil {
		return "nil"
	}
	return "[]int{" + wrapped(xs, func(x int) string { return fmt.Sprint(x) }) + "}"
}

// wrapped returns numbers as text, ten to a line.
func wrapped[E any](xs []E, write func(E) string) string {
	var b strings.Builder
	for i, x := range xs {
		switch {
		case i > 0 && i%10 == 0:
			b.WriteString(",\n")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(write(x))
	}
	if len(xs) > 10 {
		b.WriteString(",\n")
	}
	return b.String()
}
