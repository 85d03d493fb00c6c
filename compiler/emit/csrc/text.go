package csrc

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"

	"likc/compiler/expr"
	"likc/templates"
)

// text is C source code that is being printed.
type text struct{ b bytes.Buffer }

// line adds a line.
func (t *text) line(format string, args ...any) {
	fmt.Fprintf(&t.b, format, args...)
	t.b.WriteByte('\n')
}

// body adds the body of a function.
func (t *text) body(list []string) {
	t.line("{\n%s\n}\n", strings.Join(list, "\n"))
}

// bytes returns the source code, which ends with one newline.
func (t *text) bytes() []byte { return append(bytes.TrimRight(t.b.Bytes(), "\n"), '\n') }

// fixed adds an empty line after a fixed text: one that is the same for every model, except for the name of the interface.
func (u *unit) fixed(t *text, name string) {
	t.line("%s\n", u.template(name))
}

// template returns a fixed text. In it NAME is replaced by the name of the interface, and CAPS by that name in capitals. words
// holds pairs: a word of the text and its replacement.
func (u *unit) template(name string, words ...string) string {
	s := strings.TrimSpace(templates.Text("csrc/" + name + ".txt"))
	words = append(words, dataWords(u.Codes(), u.Choices, len(u.Zero) > 0)...)
	return strings.NewReplacer(append(words, "NAME", u.pkg, "CAPS", u.caps())...).Replace(s)
}

// Fixed returns the fixed text "bits" or "check" of C sources, for the interface pkg.
func Fixed(name, pkg string, m *expr.Model) string {
	words := append(dataWords(m.Codes(), m.Choices, len(m.Zero) > 0), "NAME", pkg)
	return strings.NewReplacer(words...).Replace(strings.TrimSpace(templates.Text("csrc/" + name + ".c.txt")))
}

// Plain returns a text that is safe inside a block comment: what would end the comment is changed.
func Plain(text string) string { return plain.Replace(text) }

// dataWords returns replacements for [unit.template]: the words of fixed texts that depend on the allowed values of columns and
// choices.
func dataWords(codes []float64, choices int, zeros bool) []string {
	bad := "0.0"
	if choices > 0 {
		bad = "-1.0"
	}
	test := ""
	for _, c := range codes {
		test += " && !same(x, " + number(c) + ")"
	}
	if codes == nil {
		test = " && !same(x, 1.0) && !same(x, -1.0)"
	}
	zero, below := "", ""
	if zeros {
		zero, below = " z not negative,", "\n\tif (kind == 'z' && below(x, 0.0))\n\t\treturn \"is below 0\";"
	}
	return []string{"ALSO_ZERO", zero, "BELOW_ZERO", below, "NOT_A_CHOICE", test, "WRONG_CHOICE", wrongChoice(choices), "BAD_CHOICE", bad}
}

// wrongChoice returns the phrase of an error message for a number that is no choice, such as "neither +1 nor -1".
func wrongChoice(choices int) string {
	if choices > 0 {
		return fmt.Sprintf("none of 0 to %d", choices-1)
	}
	return "neither +1 nor -1"
}

// caps returns the name of the interface in capitals, the prefix of its constants.
func (u *unit) caps() string { return strings.ToUpper(u.pkg) }

// chunks are the fixed texts of a source file. Each is printed if the code contains its word. A text stands before the texts
// that use it.
var chunks = []struct{ word, name string }{
	{"from_bits(", "frombits.c"},
	{"sum_of(", "compensated.c"},
	{" least(", "least.c"},
	{"ordered(", "order.c"},
	{"total(", "lanes.c"},
	{"shared(", "ranges.c"},
	{"new_cells(", "cells.c"},
}

// support adds the functions that code calls: fixed texts, and the sources of operators that math.h does not have.
func (u *unit) support(t *text, code string) {
	u.fixed(t, "bits.c")
	for _, c := range chunks {
		if strings.Contains(code, c.word) || c.word == "from_bits(" && strings.Contains(code, "ordered(") {
			u.fixed(t, c.name)
		}
	}
	for _, op := range expr.Ops() {
		if s := op.In(expr.C); s.Kind == expr.Local && called(code, s.Text) {
			t.line("%s\n", s.Body)
		}
	}
	u.fixed(t, "check.c")
}

// called reports whether code calls the function with the given name.
func called(code, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\(`).MatchString(code)
}

// number returns a float64 as a C expression. Infinities and NaN have no literal: they are made from bits, so that no compiler
// flag changes them.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		if math.IsNaN(x) {
			return "from_bits(UINT64_C(0x7ff8000000000000))"
		}
		return fmt.Sprintf("from_bits(UINT64_C(%#x))", math.Float64bits(x))
	}
	s := expr.Literal(x)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// literal returns a number as a C literal, for static initialisers, which cannot call functions. The number must be finite.
func literal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NAN"
	case math.IsInf(x, 0):
		return map[bool]string{true: "HUGE_VAL", false: "-HUGE_VAL"}[x > 0]
	}
	return number(x)
}

// plain replaces what ends or begins a comment.
var plain = strings.NewReplacer("*/", "* /", "/*", "/ *", `\`, " ", "??", "? ?", "\r", " ")
