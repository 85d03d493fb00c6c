package syntax

import (
	"fmt"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// badFiles are whole files and the exact error of each.
var badFiles = []struct{ text, want string }{
	{``, `f.lik:1:1: unexpected end, expected "model"`},
	{"// only a comment\n", `f.lik:2:1: unexpected end, expected "model"`},
	{`x + 1`, `f.lik:1:1: unexpected "x", expected "model"`},
	{`model`, `f.lik:1:6: unexpected end, expected a name`},
	{`model {`, `f.lik:1:7: unexpected "{", expected a name`},
	{`model m`, `f.lik:1:8: unexpected end, expected "{"`},
	{`model m {`, `f.lik:1:10: unexpected end, expected a declaration or "}"`},
	{`model 3 {}`, `f.lik:1:7: unexpected "3", expected a name`},
	{`model let {}`, `f.lik:1:7: unexpected "let", expected a name`},
	{`model m { 3 }`, `f.lik:1:11: unexpected "3", expected a declaration or "}"`},
	{`model m {} x`, `f.lik:1:12: unexpected "x", expected "model"`},
	{`model m { model n {} }`, `f.lik:1:11: unexpected "model", expected a declaration or "}"`},
	{`model m { param p in [0, 1] loglik = p }`, `f.lik:1:40: unexpected "}", expected at least one trial in model "m"`},
	{`model m { trial x loglik = x }`, `f.lik:1:30: unexpected "}", expected at least one param in model "m"`},
	{`model m {}`, `f.lik:1:10: unexpected "}", expected a loglik in model "m"`},
	{`model m { trial x param p in [0, 1] loglik = x } model m { trial x param p in [0, 1] loglik = x }`, `f.lik:1:56: model "m" is already declared at 1:7`},
}

// badBodies are declarations for the third line of a model with the trial x and the parameter p. Their errors are given without the file name.
var badBodies = []struct{ text, want string }{
	{`normalise normalise loglik = x`, `3:13: normalise after normalise at 3:3, expected at most one`},
	{`normalise trial y loglik = x`, `3:3: normalise: the model has 2 trial columns, expected one, the response time`},
	{`loglik = x support x < p normalise`, `3:28: normalise: support x < p, expected one of parameters < x`},
	{`lapse 0.1 until 9 loglik = x`, `3:3: lapse in a model that is not normalised, expected the word normalise too`},
	{`bind { input p shift p { 0 1 } } loglik = x`, `3:3: bind in a model that is not normalised, expected the word normalise too`},
	{`normalise lapse -0.1 until 9 loglik = x`, `3:19: unexpected "-", expected a number`},
	{`normalise lapse 1 until 9 loglik = x`, `3:19: lapse 1, expected a probability above 0 and below 1`},
	{`normalise lapse 0.1 until 0 loglik = x`, `3:29: lapse until 0, expected a time in seconds above 0`},
	{`normalise lapse 0.1 until 9 lapse 0.1 until 9 loglik = x`, `3:31: lapse after lapse at 3:13, expected at most one`},
	{`bind { input p shift p { 0 1 } } bind { } loglik = x`, `3:36: bind after bind at 3:3, expected at most one`},
	{`bind { input p shift p { 0 0.5 } } loglik = x`, `3:30: degree 0.5, expected a whole number from 0 to 32`},
	{`bind { input p tilt { } } loglik = x`, `3:23: a polynomial without terms, expected at least one`},
	{`bind { input p shift q { 0 1 } } loglik = x`, `3:24: bind names "q", expected a declared parameter`},
	{`bind { input p } loglik = x`, `3:3: bind of 1 inputs and 0 polynomials, expected at least one of each`},
	{`bind { input x shift p { 0 1 } } loglik = x`, `3:16: input uses "x", expected only parameters and numbers`},
	{`bind { input p shift p { 0 } } loglik = x`, `3:28: a term of 1 numbers, expected 2: a coefficient and a degree of each input`},
	{`bind { input p shift p { 0 1 } shift p { 0 1 } } loglik = x`, `3:40: bind shifts "p" twice, expected once`},
	{`bind { input p shift p { 0 1 } tilt { 0 1 } tilt { 0 1 } } loglik = x`, `3:47: a second tilt, expected at most one`},
	{`trial`, `4:1: unexpected "}", expected a name`},
	{`trial 3`, `3:9: unexpected "3", expected a name`},
	{`trial in`, `3:9: unexpected "in", expected a name`},
	{`trial p`, `3:9: "p" is already declared at 2:17`},
	{`trial x`, `3:9: "x" is already declared at 2:9`},
	{`trial exp`, `3:9: "exp" is a function, expected another name`},
	{`trial add`, `3:9: "add" is a function, expected another name`},
	{`choice`, `4:1: unexpected "}", expected a name`},
	{`choice c loglik = x`, `3:10: choice "c" without lower, expected both or neither`},
	{`choice c choice d lower {}`, `3:19: choice "d" after choice "c", expected at most one`},
	{`choice c lower { q = 1 } loglik = x`, `3:20: lower assigns "q", expected a declared parameter`},
	{`param`, `4:1: unexpected "}", expected a name`},
	{`param q`, `4:1: unexpected "}", expected "in"`},
	{`param q in`, `4:1: unexpected "}", expected "["`},
	{`param q in 0`, `3:14: unexpected "0", expected "["`},
	{`param q in [`, `4:1: unexpected "}", expected a number`},
	{`param q in [a, 1]`, `3:15: unexpected "a", expected a number`},
	{`param q in [0`, `4:1: unexpected "}", expected ","`},
	{`param q in [0, 1`, `4:1: unexpected "}", expected "]"`},
	{`param q in [--1, 1]`, `3:16: unexpected "-", expected a number`},
	{`param q in [1, 1]`, `3:18: range [1, 1] of param "q" is empty, expected lower < upper`},
	{`param q in [2, -2]`, `3:19: range [2, -2] of param "q" is empty, expected lower < upper`},
	{`param q in [0, 1e999]`, `3:18: number "1e999" is too large for a float64`},
	{`param q in [-1e400, 0]`, `3:16: number "1e400" is too large for a float64`},
	{`param sqrt in [0, 1]`, `3:9: "sqrt" is a function, expected another name`},
	{`param p in [0, 1]`, `3:9: "p" is already declared at 2:17`},
	{`support`, `4:1: unexpected "}", expected an expression`},
	{`support p`, `4:1: unexpected "}", expected an operator or "<"`},
	{`support p <`, `4:1: unexpected "}", expected an expression`},
	{`support p < q`, `3:15: unknown symbol "q", expected one declared above`},
	{`support q < p`, `3:11: unknown symbol "q", expected one declared above`},
	{`support p < x < 3`, `3:17: unexpected "<", expected an operator, a declaration or "}"`},
	{`support (p < x)`, `4:1: unexpected "}", expected an operator or "<"`},
	{`let k = (p < x < 1)`, `3:18: unexpected "<", expected an operator or ")"`},
	{`let k = p < x`, `3:13: unexpected "<", expected an operator, a declaration or "}"`},
	{`let k = if(p < x, 1)`, `3:11: number of arguments of "if" is 2, expected 3`},
	{`let k = if(p <, 1, 2)`, `3:17: unexpected ",", expected an expression`},
	{`let k = if(p < 1 and, 1, 2)`, `3:23: unexpected ",", expected an expression`},
	{`param and in [0, 1]`, `3:9: "and" is a function, expected another name`},
	{`support p > x`, `3:13: unexpected ">", expected a comparison with < or <=, its lesser side first`},
	{`loglik = if(p >= x, 1, 2)`, `3:17: unexpected ">", expected a comparison with < or <=, its lesser side first`},
	{`loglik = ln(p)`, `3:12: unknown function "ln", expected log`},
	{`loglik = ddm(p = p)`, `3:12: unknown model "ddm", expected one declared above or built in`},
	{`lower`, `4:1: unexpected "}", expected "{"`},
	{`lower {`, `4:2: unexpected end, expected a declaration or "}"`},
	{`lower { p }`, `3:13: unexpected "}", expected "="`},
	{`lower { p = }`, `3:15: unexpected "}", expected an expression`},
	{`lower { p = 1 3 }`, `3:17: unexpected "3", expected an assignment or "}"`},
	{`lower { x = 1 }`, `3:11: lower assigns "x", expected a declared parameter`},
	{`lower { q = 1 }`, `3:11: lower assigns "q", expected a declared parameter`},
	{`lower { p = x }`, `3:15: lower uses "x", expected only parameters and numbers`},
	{`lower { p = p; p = 1 }`, `3:18: lower assigns "p" twice, expected once`},
	{`let k = p  lower { p = k } choice c`, `3:26: lower uses "k", expected only parameters and numbers`},
	{`choice c lower { p = c } loglik = x`, `3:24: lower uses "c", expected only parameters and numbers`},
	{`lower {} lower {}`, `3:12: lower after lower at 3:3, expected at most one`},
	{`simulator`, `4:1: unexpected "}", expected a name`},
	{`simulator d {`, `4:2: unexpected end, expected a declaration or "}"`},
	{`simulator d { q }`, `3:19: unexpected "}", expected "="`},
	{`simulator d { q = x }`, `3:21: simulator uses "x", expected only parameters and numbers`},
	{`simulator d { q = p, q = 1 }`, `3:24: simulator assigns "q" twice, expected once`},
	{`simulator d simulator e`, `3:15: simulator "e" after simulator "d" at 3:13, expected at most one`},
	{`simulator d 3`, `3:15: unexpected "3", expected a declaration or "}"`},
	{`trial latency positive 3`, `3:26: unexpected "3", expected a declaration or "}"`},
	{`let k = p 3`, `3:13: unexpected "3", expected an operator, a declaration or "}"`},
	{`lower {} loglik = x`, `3:3: lower without choice, expected both or neither`},
	{`let`, `4:1: unexpected "}", expected a name`},
	{`let k`, `4:1: unexpected "}", expected "="`},
	{`let k p`, `3:9: unexpected "p", expected "="`},
	{`let k =`, `4:1: unexpected "}", expected an expression`},
	{`let = 3`, `3:7: unexpected "=", expected a name`},
	{`let k = k + 1`, `3:11: unknown symbol "k", expected one declared above`},
	{`let k = p let k = x`, `3:17: "k" is already declared at 3:7`},
	{`let p = x`, `3:7: "p" is already declared at 2:17`},
	{`let normcdf = x`, `3:7: "normcdf" is a function, expected another name`},
	{`let choice = x`, `3:7: unexpected "choice", expected a name`},
	{`loglik`, `4:1: unexpected "}", expected "="`},
	{`loglik x`, `3:10: unexpected "x", expected "="`},
	{`loglik =`, `4:1: unexpected "}", expected an expression`},
	{`loglik = q`, `3:12: unknown symbol "q", expected one declared above`},
	{`loglik = late let late = x`, `3:12: unknown symbol "late", expected one declared above`},
	{`loglik = x loglik = x`, `3:14: loglik after loglik at 3:3, expected exactly one`},
	{`let k = x`, `4:1: unexpected "}", expected a loglik in model "m"`},
	{`loglik = (x`, `4:1: unexpected "}", expected an operator or ")"`},
	{`loglik = x)`, `3:13: unexpected ")", expected an operator, a declaration or "}"`},
	{`loglik = ()`, `3:13: unexpected ")", expected an expression`},
	{`loglik = x p`, `3:14: unexpected "p", expected an operator, a declaration or "}"`},
	{`loglik = x *`, `4:1: unexpected "}", expected an expression`},
	{`loglik = * x`, `3:12: unexpected "*", expected an expression`},
	{`loglik = x + / p`, `3:16: unexpected "/", expected an expression`},
	{`loglik = x ^`, `4:1: unexpected "}", expected an expression`},
	{`loglik = x ** p`, `3:15: unexpected "*", expected an expression`},
	{`loglik = +x`, `3:12: unexpected "+", expected an expression`},
	{`loglik = exp`, `3:12: "exp" is a function, expected its arguments`},
	{`loglik = exp()`, `3:16: unexpected ")", expected an expression`},
	{`loglik = exp x`, `3:16: unexpected "x", expected an operator, a declaration or "}"`},
	{`loglik = exp(x`, `4:1: unexpected "}", expected an operator or ")"`},
	{`loglik = exp(x,`, `4:1: unexpected "}", expected an expression`},
	{`loglik = exp(x, p)`, `3:12: number of arguments of "exp" is 2, expected 1`},
	{`loglik = pow(x)`, `3:12: number of arguments of "pow" is 1, expected 2`},
	{`loglik = fma(x, p)`, `3:12: number of arguments of "fma" is 2, expected 3`},
	{`loglik = gamma(x)`, `3:12: unknown function "gamma", expected ` + functions},
	{`loglik = x(p)`, `3:12: symbol "x" is not a function, expected an operator before "("`},
	{`loglik = sum(x)`, `3:12: unknown function "sum", expected ` + functions},
	{`loglik = const(x)`, `3:12: unknown function "const", expected ` + functions},
	{`loglik = Exp(x)`, `3:12: unknown function "Exp", expected ` + functions},
	{`loglik = X`, `3:12: unknown symbol "X", expected one declared above`},
	{`loglik = 2x`, `3:12: malformed number "2x"`},
	{`loglik = 2(x)`, `3:13: unexpected "(", expected an operator, a declaration or "}"`},
	{`loglik = 1e999`, `3:12: number "1e999" is too large for a float64`},
	{`loglik = 1e`, `3:12: malformed number "1e"`},
	{`loglik = 1e+`, `3:12: malformed number "1e"`},
	{`loglik = 0x1F`, `3:12: malformed number "0x1F"`},
	{`loglik = 1_000`, `3:12: malformed number "1_000"`},
	{`loglik = 1.2.3`, `3:12: malformed number "1.2.3"`},
	{`loglik = .`, `3:12: stray character "."`},
	{`loglik = x.y`, `3:13: stray character "."`},
	{`loglik = 3in`, `3:12: malformed number "3in"`},
	{`loglik = inf`, `3:12: unknown symbol "inf", expected one declared above, or infinity alone as an end of an integral`},
	{`loglik = NaN`, `3:12: unknown symbol "NaN", expected one declared above`},
	{`loglik = x = p`, `3:14: unexpected "=", expected an operator, a declaration or "}"`},
	{`loglik = x < p`, `3:14: unexpected "<", expected an operator, a declaration or "}"`},
	{`loglik = [x]`, `3:12: unexpected "[", expected an expression`},
	{`loglik = {x}`, `3:12: unexpected "{", expected an expression`},
	{`loglik = x, p`, `3:13: unexpected ",", expected an operator, a declaration or "}"`},
	{`; let k = x`, `4:1: unexpected "}", expected a loglik in model "m"`},
	{`loglik = x;;`, `3:14: unexpected ";", expected a declaration or "}"`},
	{`loglik = x!`, `3:13: stray character "!"`},
	{`loglik = x % p`, `3:14: stray character "%"`},
	{`loglik = "x"`, `3:12: unexpected "\"x\"", expected an expression`},
	{`loglik = "x`, `3:12: stray character "\""`},
	{`loglik = 'x'`, `3:12: stray character "'"`},
	{`loglik = π`, `3:12: stray character "π"`},
	{`loglik = x − p`, `3:14: stray character "−"`},
	{`loglik = $(x)`, `3:12: stray character "$"`},
	{"loglik = x\x00", `3:13: NUL byte, expected text`},
	{"loglik = x // \x00", `3:17: NUL byte, expected text`},
	{"loglik = x \xff", `3:14: byte 0xff is not UTF-8`},
	{"// é\xff", `3:7: byte 0xff is not UTF-8`},
	{`/* no */ loglik = x`, `3:3: unexpected "/", expected a declaration or "}"`},
	{`loglik = x\n`, `3:13: stray character "\\"`},
	{`loglik = x `, `3:13: stray character "\u00a0"`},
	{`loglik = yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy`, `3:12: unknown symbol "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...", expected one declared above`},
}

// inModel returns the text of a model with those declarations in line 3.
func inModel(body string) string {
	return "model m {\n  trial x param p in [0, 1]\n  " + body + "\n}"
}

// checkError reads a text, and fails the test unless the error is want.
func checkError(t *testing.T, text, want string) {
	t.Helper()
	_, err := Read("f.lik", strings.NewReader(text))
	if err == nil {
		t.Errorf("%s\nread without error, want %s", quote(text), want)
		return
	}
	if _, ok := err.(*Error); !ok {
		t.Errorf("%s\nerror is a %T, want a *syntax.Error", quote(text), err)
	}
	if got := err.Error(); got != want || strings.Contains(got, "\n") {
		t.Errorf("%s\n got %s\nwant %s", quote(text), got, want)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range badFiles {
		checkError(t, c.text, c.want)
	}
}

func TestBadBodies(t *testing.T) {
	for _, c := range badBodies {
		checkError(t, inModel(c.text), "f.lik:"+c.want)
	}
}

// above are two models, on the first line of a text, that models below may call.
const above = `model above { trial x choice c param p in [0, 1] param q in [0, 1] param s in [0, 1] support s < x lower { q = 1 - q } loglik = p*q*x }` +
	` model other { trial y positive param p in [0, 1] loglik = p*y } `

// badCalls are declarations for the third line of a model, as badBodies, with two other models above it.
var badCalls = []struct{ text, want string }{
	{`use`, `4:1: unexpected "}", expected a name or a path in quotes`},
	{`use n`, `3:7: unknown model "n", expected one declared above or built in`},
	{`use above`, `3:7: "p" is already declared at 2:17`},
	{`let k = exp(x = p)`, `3:15: function "exp" has no named arguments, expected an expression`},
	{`let k = above(p, q = x, s = p)`, `3:11: model "above" has a choice, expected one declared above`},
	{`choice c let k = above(p, q = x, s = p)`, `3:20: model "above" has a support, expected it as a term of loglik, or support p < x declared above`},
	{`choice c loglik = 2*above(p, q = x, s = p)`, `3:23: model "above" has a support, expected it as a term of loglik, or support p < x declared above`},
	{`choice c loglik = x - above(p, q = x, s = p)`, `3:25: model "above" has a support, expected it as a term of loglik, or support p < x declared above`},
	{`choice c support 2*p < x loglik = 2*above(p, q = x, s = p)`, `3:39: model "above" has a support, expected it as a term of loglik, or support p < x declared above`},
	{`choice c loglik = above(p, q = x)`, `3:21: model "above" is given no "s", expected a value`},
	{`choice c loglik = above(p, q = x, s = p, q = p)`, `3:44: model "above" is given "q" twice, expected once`},
	{`choice c loglik = above(p, q = x, s = p, x = p)`, `3:44: model "above" has no parameter "x", expected p, q, s`},
	{`choice c loglik = above(p, 2*x, s = p)`, `3:30: argument of model "above", expected NAME = EXPR or the name of a parameter`},
	{`choice c loglik = above(p, q, s = p)`, `3:30: unknown symbol "q", expected one declared above`},
	{`choice c loglik = above(p, q = x, s = p) lower {}`, `3:44: lower beside a call of model "above", which brings its own, expected one of the two`},
	{`loglik = other(p)`, `3:12: model "other" has the trial "y", expected it declared above`},
	{`trial y loglik = other(p)`, `3:20: trial "y" is positive in model "other", expected the same here`},
}

func TestCallErrors(t *testing.T) {
	for _, c := range badCalls {
		checkError(t, above+inModel(c.text), "f.lik:"+c.want)
	}
}

// TestFunctionsAreListed: the list of functions in an error has every function that can be called, except the names of operators that have
// signs.
func TestFunctionsAreListed(t *testing.T) {
	want := 0
	for _, op := range expr.Ops() {
		_, callable := expr.ByName(op.String())
		if n := op.Info().Notation; callable && n != expr.Infix && n != expr.Prefix {
			want++
		}
	}
	if got := len(strings.FieldsFunc(functions, func(r rune) bool { return r == ',' })) + 1; got != want {
		t.Errorf("%d functions are listed, want %d: %s", got, want, functions)
	}
}

// TestLimits: every limit has an error of its own, and a text exactly at the limit is read.
func TestLimits(t *testing.T) {
	repeat := strings.Repeat
	declare := func(keyword, rest string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s q%d%s\n", keyword, i, rest)
		}
		return b.String()
	}
	sum := func(nodes int) string { return "loglik = " + repeat("x+", nodes-2) + "(x^2)" } // one x, one square, nodes-2 sums
	cases := []struct{ good, bad, want string }{
		{"loglik = " + repeat("(", 1000) + "x" + repeat(")", 1000), "loglik = " + repeat("(", 1001) + "x" + repeat(")", 1001),
			"3:1012: expression is nested deeper than 1000"},
		{"loglik = " + repeat("-", 1000) + "x", "loglik = " + repeat("-", 1001) + "x",
			"3:1012: expression is nested deeper than 1000"},
		{"loglik = x" + repeat("^x", 1000), "loglik = x" + repeat("^x", 1001),
			"3:2013: expression is nested deeper than 1000"},
		{"loglik = " + repeat("exp(-", 500) + "x" + repeat(")", 500), "loglik = " + repeat("exp(-", 500) + "-x" + repeat(")", 500),
			"3:2512: expression is nested deeper than 1000"},
		{declare("param", " in [0, 1]", 63) + "loglik = x", declare("param", " in [0, 1]", 64) + "loglik = x",
			`66:7: param "q63" is one too many, expected at most 64`},
		{declare("trial", "", 63) + "loglik = x", declare("trial", "", 64) + "loglik = x",
			`66:7: trial "q63" is one too many, expected at most 64`},
		{sum(50_000), sum(100_001), `1:7: model "m" has 100001 nodes, expected at most 100000`},
		{"loglik = x" + repeat("//\n", 200_000), "loglik = x + 1" + repeat(";", 500_000), "3:499999: more than 500000 tokens"},
		{"loglik = x" + repeat(" ", MaxBytes-60), "loglik = x" + repeat(" ", MaxBytes), "1:1: file is larger than 4194304 bytes"},
	}
	for _, c := range cases {
		if _, err := Read("f.lik", strings.NewReader(inModel(c.good))); err != nil {
			t.Errorf("at the limit of %q: %v", c.want, err)
		}
		checkError(t, inModel(c.bad), "f.lik:"+c.want)
	}
}
