package formula

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// String returns the formula with products multiplied out and every intercept written. Parsing it gives an equal formula, apart from
// positions.
func (f *Formula) String() string {
	parts := []string{sum(f.Common)}
	for _, o := range f.Offsets {
		parts = append(parts, "offset("+o.String()+")")
	}
	for _, g := range f.Groups {
		parts = append(parts, g.String())
	}
	return QuoteName(f.Param) + " ~ " + strings.Join(parts, " + ")
}

// String returns the group term in parentheses.
func (g GroupTerm) String() string {
	bar := " || "
	if g.Correlated {
		bar = " | "
	}
	return "(" + sum(g.Effects) + bar + groupName(g.By) + ")"
}

// sum writes terms. If there is no intercept, a 0 comes first.
func sum(terms []Term) string {
	var parts []string
	if len(terms) == 0 || !terms[0].IsIntercept() {
		parts = append(parts, "0")
	}
	for _, t := range terms {
		parts = append(parts, t.String())
	}
	return strings.Join(parts, " + ")
}

// String returns the term's factors with ":" between them, and 1 for the intercept.
func (t Term) String() string {
	if t.IsIntercept() {
		return "1"
	}
	names := make([]string, len(t.Factors))
	for i, f := range t.Factors {
		names[i] = f.String()
	}
	return strings.Join(names, ":")
}

// String returns the factor as in bambi's names.
func (f Factor) String() string {
	switch f.Kind {
	case Plain:
		return QuoteName(f.Column)
	case Category:
		if f.Reference != "" {
			return "C(" + QuoteName(f.Column) + ", Treatment(reference=" + quoteLevel(f.Reference) + "))"
		}
		return "C(" + QuoteName(f.Column) + ")"
	case Center:
		return "center(" + f.Value.String() + ")"
	case Scale:
		return "scale(" + f.Value.String() + ")"
	}
	return "I(" + f.Value.String() + ")"
}

// String writes the expression with as few parentheses as possible.
func (a *Arith) String() string {
	switch a.Op {
	case OpColumn:
		return QuoteName(a.Column)
	case OpNumber:
		return strconv.FormatFloat(a.Number, 'g', -1, 64)
	case OpNegate:
		return "-" + a.Left.inParentheses(3)
	case OpPower:
		return a.Left.inParentheses(5) + "^" + a.Right.inParentheses(3)
	}
	p := a.Op.precedence()
	return a.Left.inParentheses(p) + signs[a.Op] + a.Right.inParentheses(p+1)
}

var signs = map[Op]string{OpAdd: " + ", OpSubtract: " - ", OpMultiply: " * ", OpDivide: " / "}

// inParentheses writes a as an operand. It adds parentheses only if its operation has a lower precedence than the given one.
func (a *Arith) inParentheses(precedence int) string {
	if a.Op.precedence() < precedence {
		return "(" + a.String() + ")"
	}
	return a.String()
}

func (op Op) precedence() int {
	switch op {
	case OpAdd, OpSubtract:
		return 1
	case OpMultiply, OpDivide:
		return 2
	case OpNegate:
		return 3
	case OpPower:
		return 4
	}
	return 5 // OpColumn, OpNumber
}

var plainName = regexp.MustCompile(`^` + identifier + `$`)

// QuoteName writes a name, in backquotes where it is no identifier.
func QuoteName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "`" + name + "`"
}

// quoteLevel writes a level in single or double quotes, whichever it does not contain.
func quoteLevel(level string) string {
	if strings.Contains(level, `"`) {
		return "'" + level + "'"
	}
	return `"` + level + `"`
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
