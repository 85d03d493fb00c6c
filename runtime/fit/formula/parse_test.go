package formula

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goodFormulas are texts and how they are printed: with products multiplied out and every intercept written.
var goodFormulas = []struct{ text, want string }{
	{`v ~ 1 + theta + (1 + theta | subj_idx)`, `v ~ 1 + theta + (1 + theta | subj_idx)`},
	{`a ~ 0 + C(conf)`, `a ~ 0 + C(conf)`},
	{`z~1`, `z ~ 1`},
	{"t ~\n  1 + (1|subj_idx)", `t ~ 1 + (1 | subj_idx)`},
	{`v ~ scale(theta) * stim`, `v ~ 1 + scale(theta) + stim + scale(theta):stim`},
	{`v ~ x`, `v ~ 1 + x`},
	{`v ~ x - 1`, `v ~ 0 + x`},
	{`v ~ -1 + x`, `v ~ 0 + x`},
	{`v ~ x + 0`, `v ~ 0 + x`},
	{`v ~ a:b + a`, `v ~ 1 + a + a:b`},
	{`v ~ a*b + a`, `v ~ 1 + a + b + a:b`},
	{`v ~ a*b*c`, `v ~ 1 + a + b + c + a:b + a:c + b:c + a:b:c`},
	{`v ~ (a + b):c`, `v ~ 1 + a:c + b:c`},
	{`v ~ (a + b)*c - 1`, `v ~ 0 + a + b + c + a:c + b:c`},
	{`v ~ ((a) + (b + 0))`, `v ~ 0 + a + b`},
	{`v ~ (1|g) + x`, `v ~ 1 + x + (1 | g)`},
	{`v ~ 0 + (0 + x|g)`, `v ~ 0 + (0 + x | g)`},
	{`v ~ (x || g)`, `v ~ 1 + (1 + x || g)`},
	{`v ~ (a*b | g) + (1|h)`, `v ~ 1 + (1 + a + b + a:b | g) + (1 | h)`},
	{`v ~ (x | g1/g2)`, `v ~ 1 + (1 + x | g1) + (1 + x | g1:g2)`},
	{`v ~ (1|g1:g2)`, `v ~ 1 + (1 | g1:g2)`},
	{`v ~ (1|g) + (0 + x|g)`, `v ~ 1 + (1 | g) + (0 + x | g)`},
	{`v ~ x + offset(log_n) + offset(2*n)`, `v ~ 1 + x + offset(log_n) + offset(2 * n)`},
	{`v ~ C(conf, Treatment(reference="HC"))`, `v ~ 1 + C(conf, Treatment(reference="HC"))`},
	{`v ~ C(conf, Treatment('HC'))`, `v ~ 1 + C(conf, Treatment(reference="HC"))`},
	{`v ~ C(conf, reference='say "hi"')`, `v ~ 1 + C(conf, Treatment(reference='say "hi"'))`},
	{`v ~ C(n, reference=-2)`, `v ~ 1 + C(n, Treatment(reference="-2"))`},
	{`v ~ center(x) + scale(x + w)`, `v ~ 1 + center(x) + scale(x + w)`},
	{`v ~ I(x**2) + I((x-y)-(z-w)) + I(-(x*y)/(z/w))`, `v ~ 1 + I(x^2) + I(x - y - (z - w)) + I(-(x * y) / (z / w))`},
	{`v ~ I(--x) + I((-x)^2) + I(-x^2) + I(x^-y^2) + I((x^y)^z)`, `v ~ 1 + I(--x) + I((-x)^2) + I(-x^2) + I(x^-y^2) + I((x^y)^z)`},
	{`v ~ I(x*1e3) + I(x*.5)`, `v ~ 1 + I(x * 1000) + I(x * 0.5)`},
	{"v ~ `reaction time` + `x`", "v ~ 1 + `reaction time` + x"},
	{`v ~ größe + x.1 + I + C`, `v ~ 1 + größe + x.1 + I + C`},
}

func TestParse(t *testing.T) {
	for _, c := range goodFormulas {
		f, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := f.String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// badFormulas are texts and the exact error of each, without its beginning "formula:".
var badFormulas = []struct{ text, want string }{
	{``, `1:1: unexpected end, expected a parameter's name`},
	{`~ x`, `1:1: unexpected "~", expected a parameter's name`},
	{`1 ~ x`, `1:1: unexpected "1", expected a parameter's name`},
	{`v`, `1:2: unexpected end, expected "~"`},
	{`v ~ I(x^1e999)`, `1:9: number "1e999" is too large for a float64`},
	{`v = x`, `1:3: unexpected "=", expected "~"`},
	{`v ~`, `1:4: unexpected end, expected a term`},
	{`v ~ + x`, `1:5: unexpected "+", expected a term`},
	{`v ~ x +`, `1:8: unexpected end, expected a term`},
	{"v ~ x +\n  * y", `2:3: unexpected "*", expected a term`},
	{`v ~ x y`, `1:7: unexpected "y", expected "+", "*", ":" or the end`},
	{`v ~ x ~ y`, `1:7: unexpected "~", expected "+", "*", ":" or the end`},
	{`v ~ x)`, `1:6: unexpected ")", expected "+", "*", ":" or the end`},
	{`v ~ (x`, `1:7: unexpected end, expected an operator or ")"`},
	{`v ~ x::y`, `1:7: unexpected ":", expected a term`},
	{`v ~ ()`, `1:6: unexpected ")", expected a term`},
	{`v ~ 2`, `1:5: unexpected "2", the only numbers among terms are 0 and 1`},
	{`v ~ x + 0.5`, `1:9: unexpected "0.5", the only numbers among terms are 0 and 1`},
	{`v ~ 2x`, `1:5: malformed number "2x"`},
	{`v ~ x - y`, `1:7: unexpected "-", only -1 (no intercept) can be subtracted`},
	{`v ~ a/b`, `1:6: unexpected "/": it stands between groupings, or in I(...); for a/b write a + a:b`},
	{`v ~ a^2`, `1:6: unexpected "^": powers stand in I(...)`},
	{`v ~ x | g`, `1:7: unexpected "|": a group term stands in parentheses: (1 + x | g)`},
	{`v ~ (1 | p | g)`, `1:12: unexpected "|": group terms are not correlated across parameters, expected (1 | g) in place of (1 | id | g)`},
	{`v ~ 0`, `1:5: nothing to estimate, expected a term or an intercept`},
	{`v ~ 0 + offset(x)`, `1:5: nothing to estimate, expected a term or an intercept`},
	{`v ~ 1 + x + 0`, `1:13: intercept is already decided at 1:5, expected one 0, 1 or -1`},
	{`v ~ x + y + x`, `1:13: term x is already at 1:5`},
	{`v ~ a:b + b:a`, `1:11: term b:a is already at 1:5`},
	{`v ~ x:x`, `1:7: x is twice in one term, write I(x^2) for the square of a column x`},
	{`v ~ x*x`, `1:7: x is twice in one term, write I(x^2) for the square of a column x`},
	{`v ~ offset(x) + offset(x)`, `1:24: offset(x) is already at 1:12`},
	{`v ~ x:1`, `1:7: a number is no factor of a product, expected a column`},
	{`v ~ x*offset(y)`, `1:14: offset is no factor of a product, expected a column`},
	{`v ~ x:(1|g)`, `1:7: a group term is no factor of a product, expected a column`},
	{`v ~ (1 |`, `1:9: unexpected end, expected a column's name`},
	{`v ~ (1 | 3)`, `1:10: unexpected "3", expected a column's name`},
	{`v ~ (1 | C(g))`, `1:11: unexpected "(", expected an operator or ")"`},
	{`v ~ (0 | g)`, `1:6: group term without effects, expected a column or 1`},
	{`v ~ (x + offset(y) | g)`, `1:17: offset does not vary by group, expected a column`},
	{`v ~ (x + (1 | g) | h)`, `1:10: group term inside a group term, expected a column`},
	{`v ~ (1 | g/g)`, `1:12: "g" is twice in one grouping`},
	{`v ~ (1 | g) + (x | g)`, `1:15: 1|g is already in the group term at 1:5; (0 + x | g) adds x without an intercept`},
	{`v ~ (1 | g:h) + (1 | h:g)`, `1:17: 1|h:g is already in the group term at 1:5; (0 + x | g) adds x without an intercept`},
	{`v ~ log(x)`, `1:5: unknown function "log", expected C, I, center, offset or scale`},
	{`v ~ C()`, `1:7: unexpected ")", expected a column or arithmetic`},
	{`v ~ C(x + y)`, `1:7: C takes a column, expected a column's name`},
	{`v ~ C(x, Sum)`, `1:13: unexpected ")", expected "=" or "("`},
	{`v ~ C(x, Sum("a"))`, `1:10: unexpected "Sum", expected reference="LEVEL" or Treatment(reference="LEVEL")`},
	{`v ~ C(x, Treatment(ref="a"))`, `1:20: unexpected "ref", expected reference="LEVEL" or Treatment(reference="LEVEL")`},
	{`v ~ C(x, Treatment())`, `1:20: unexpected ")", expected a level in quotes`},
	{`v ~ C(x, reference=HC)`, `1:20: unexpected "HC", expected a level in quotes`},
	{`v ~ C(x, reference="")`, `1:20: level is empty`},
	{`v ~ C(x, reference="a", reference="b")`, `1:25: C has one option, reference`},
	{`v ~ scale(x, reference="a")`, `1:14: scale has one argument`},
	{`v ~ I(2 + 1)`, `1:7: argument of I is a constant, expected a column in it`},
	{`v ~ I(x +)`, `1:10: unexpected ")", expected a column or arithmetic`},
	{`v ~ I(x:y)`, `1:8: unexpected ":", expected an operator or ")"`},
	{`v ~ I(x * 1e999)`, `1:11: number "1e999" is too large for a float64`},
	{`v ~ x $ y`, `1:7: stray character "$"`},
	{"v ~ größe · x", `1:11: stray character "·"`},
	{`v ~ C(x, reference="HC)`, `1:20: quote " is not closed on its line`},
	{"v ~ `` + x", `1:5: name is empty`},
	{"v ~ x\x00", `1:6: NUL byte, expected text`},
	{"v ~ x\xff", `1:6: byte 0xff is not UTF-8`},
}

func TestBadFormulas(t *testing.T) {
	for _, c := range badFormulas {
		checkError(t, c.text, c.want)
	}
}

func checkError(t *testing.T, text, want string) {
	t.Helper()
	_, err := Parse(text)
	if err == nil {
		t.Errorf("%s\nis read without error, want %s", quote(text), want)
	} else if _, ok := err.(*Error); !ok || err.Error() != "formula:"+want {
		t.Errorf("%s\n got %T %v\nwant formula:%s", quote(text), err, err, want)
	}
}

// Each limit of the text has its own error, and a text at the limit is accepted.
func TestTextLimits(t *testing.T) {
	repeat := strings.Repeat
	terms := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " + x%d", i)
		}
		return "v ~ 0" + b.String()
	}
	product := func(n int) string { return strings.ReplaceAll(terms(n), " + ", ":")[len("v ~ 0:"):] }
	cases := []struct{ good, bad, want string }{
		{"v ~ x" + repeat(" ", MaxBytes-5), "v ~ x" + repeat(" ", MaxBytes-4), "1:1: formula has 8193 bytes, expected at most 8192"},
		{"v ~ " + repeat("(", 50) + "x" + repeat(")", 50), "v ~ " + repeat("(", 51) + "x" + repeat(")", 51), "1:55: parentheses are nested deeper than 50"},
		{terms(MaxTerms), terms(MaxTerms + 1), "1:1299: formula has more than 200 terms"},
		{"v ~ " + product(8), "v ~ " + product(9), "1:29: term has more than 8 factors"},
		{"v ~ " + strings.ReplaceAll(product(7), ":", "*"), "v ~ " + strings.ReplaceAll(product(8), ":", "*"), "1:5: formula has more than 200 terms"},
		{"v ~ (1 | " + product(8) + ")", "v ~ (1 | " + product(9) + ")", "1:34: grouping has more than 8 columns"},
		{"v ~ " + repeat("y", 1_000) + "*a", "v ~ " + repeat("y", 1_000) + "*a*b*c*d", "1:1: formula has 16211 bytes with its products multiplied out, expected at most 8192"},
	}
	for _, c := range cases {
		if _, err := Parse(c.good); err != nil {
			t.Errorf("at the limit of %q: %v", c.want, err)
		}
		checkError(t, c.bad, c.want)
	}
}

// FuzzParse: Parse panics for no text, and its errors have a position. A printed formula parses as the same formula.
func FuzzParse(f *testing.F) {
	for _, c := range goodFormulas {
		f.Add(c.text)
	}
	for _, c := range badFormulas {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		formula, err := Parse(text)
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Pos.Line < 1 || e.Pos.Column < 1 || strings.Contains(e.Msg, "\n") {
				t.Fatalf("error %q of %T", err, err)
			}
			return
		}
		printed := formula.String()
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		noPlaces := cmp.Comparer(func(a, b Pos) bool { return true })
		if d := cmp.Diff(formula, again, noPlaces); d != "" || again.String() != printed {
			t.Fatalf("%q prints as %q, which reads otherwise:\n%s", text, printed, d)
		}
	})
}

// Every line of a formula block in docs/reference/formulas.md is a formula.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/formulas.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```formula\n")[1:]
	lines := 0
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
			lines++
			if _, err := Parse(line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if lines < 10 {
		t.Errorf("docs/reference/formulas.md has %d formulas", lines)
	}
}
