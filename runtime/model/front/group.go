package front

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/runtime/num/finite"
)

// Canonical returns a model's name and its log density in canonical form. It is equal for expressions that the simplifier recognises
// as equal.
func Canonical(m *expr.Model) string {
	out, _ := simplify.Model(m, simplify.Options{})
	if m.Normalise {
		return m.Name + ", normalised" + calibrated(m) + ": " + out.LogLik.String()
	}
	return m.Name + ": " + out.LogLik.String()
}

// calibrated writes the parts of a normalised model that are not in its expression.
func calibrated(m *expr.Model) (text string) {
	if m.Lapse != nil {
		text = fmt.Sprintf(", lapses %v", *m.Lapse)
	}
	if m.Binding != nil {
		text += fmt.Sprintf(", bound %v", *m.Binding)
	}
	return text
}

// Group finds lines with the same canonical form. For each line it returns the index of the first line with its form, which may be its
// own index. Lines must have been read from a file.
func Group(lines []Line) (first []int) {
	known := map[string]int{} // the first line with a form
	first = make([]int, len(lines))
	for i := range lines {
		key := Canonical(lines[i].Parsed)
		if _, seen := known[key]; !seen {
			known[key] = i
		}
		first[i] = known[key]
	}
	return first
}

// Union joins fronts. For each canonical form, it keeps the line that comes first by size, then loss, then λ, seed and text, so the
// result does not depend on the order of the fronts. Lines must have been read from a file.
func Union(fronts ...[]Line) []Line {
	all := slices.Concat(fronts...)
	slices.SortStableFunc(all, before)
	first := Group(all)
	unique := all[:0]
	for i, l := range all {
		if first[i] == i {
			unique = append(unique, l)
		}
	}
	return unique
}

// before compares two lines for the order in which Union keeps them.
func before(a, b Line) int {
	for _, c := range []int{a.Size - b.Size, compare(a.Loss, b.Loss), compare(a.Lambda, b.Lambda)} {
		if c != 0 {
			return c
		}
	}
	switch {
	case a.Seed != b.Seed && a.Seed < b.Seed:
		return -1
	case a.Seed != b.Seed:
		return 1
	}
	return strings.Compare(a.Expr, b.Expr)
}

// compare orders numbers, with NaN last.
func compare(a, b finite.Number) int {
	switch {
	case a < b || a == a && b != b:
		return -1
	case a > b || a != a && b == b:
		return 1
	}
	return 0
}
