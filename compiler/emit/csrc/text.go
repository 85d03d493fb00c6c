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

// text is C source in the making.
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

func (t *text) bytes() []byte { return append(bytes.TrimRight(t.b.Bytes(), "\n"), '\n') }

// fixed adds a text that is the same for every model but for the name of the interface, and an empty line.
func (u *unit) fixed(t *text, name string) {
	t.line("%s\n", u.template(name))
}

// template reads a fixed text; NAME stands for the name of the interface, CAPS for the same in capitals, and words for
// pairs of a word and what it stands for.
func (u *unit) template(name string, words ...string) string {
	s := strings.TrimSpace(templates.Text("csrc/" + name + ".txt"))
	words = append(words, dataWords(u.Codes(), u.Choices, len(u.Zero) > 0)...)
	return strings.NewReplacer(append(words, "NAME", u.pkg, "CAPS", u.caps())...).Replace(s)
}

// Fixed returns a fixed text of C sources for an interface of that name: "bits" or "check".
func Fixed(name, pkg string, m *expr.Model) string {
	words := append(dataWords(m.Codes(), m.Choices, len(m.Zero) > 0), "NAME", pkg)
	return strings.NewReplacer(words...).Replace(strings.TrimSpace(templates.Text("csrc/" + name + ".c.txt")))
}

// Plain makes a text fit for a block comment, whatever it holds.
func Plain(text string) string { return plain.Replace(text) }

// dataWords returns the words of fixed texts that depend on what the columns and the choice may hold, with what they stand
// for.
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

// wrongChoice says in the words of a predicate what a number is that is no choice.
func wrongChoice(choices int) string {
	if choices > 0 {
		return fmt.Sprintf("none of 0 to %d", choices-1)
	}
	return "neither +1 nor -1"
}

// caps returns the name of the interface as a constant's prefix.
func (u *unit) caps() string { return strings.ToUpper(u.pkg) }

// chunks are the fixed texts of a source file, each with the word that calls for it; texts before what uses them.
var chunks = []struct{ word, name string }{
	{"from_bits(", "frombits.c"},
	{"sum_of(", "compensated.c"},
	{" least(", "least.c"},
	{"ordered(", "order.c"},
	{"total(", "lanes.c"},
	{"shared(", "ranges.c"},
	{"new_cells(", "cells.c"},
}

// support adds what code calls: fixed texts, and the sources of the operators that math.h does not have.
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

// called reports whether code calls the function name.
func called(code, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\(`).MatchString(code)
}

// number writes a float64 as C. Infinities and NaN have no literal: they are made of bits, which no flag optimises.
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

// literal returns a number's text for static initialisers, which cannot call functions. Model files have no infinite
// bounds.
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
