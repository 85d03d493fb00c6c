package syntax

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// integrals is a model whose integrals are known in closed form.
const integrals = `
model integrals {
  trial rt positive
  choice c in {0, 1}
  param b[c] in [0.5, 2]
  param s in [0.1, 1]
  let q[k] = integral(u in [0, b[k]*rt]: exp(-u))
  let bell = integral(u in [-infinity, -1, 1, infinity]: exp(-u^2/(2*s)))
  let tail = integral(y in [rt, infinity]: exp(-s*(y - rt)/(0.5 + y - y)))
  loglik = log(q[c]) + log(bell) + log(tail) + sum(k != c: log(integral(w in [0, 1/2, 1]: w^b[k])))
}`

func TestIntegrals(t *testing.T) {
	models, err := Read("f", strings.NewReader(integrals))
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	symbols := append([]string{"rt"}, m.ParamNames()...)
	for i, g := range m.Groups() {
		tape := expr.NewTape(symbols, g.LogLik)
		for _, at := range [][]float64{{0.7, 0.6, 1.7, 0.4}, {3, 1.9, 1.1, 0.95}, {0.05, 1.2, 0.7, 0.15}} {
			got, _ := tape.Eval(nil, at)
			rt, b, s := at[0], at[1:3], at[3]
			want := math.Log(-math.Expm1(-b[i]*rt)) + math.Log(2*math.Pi*s)/2 + math.Log(0.5/s) - math.Log(b[1-i]+1)
			if !(math.Abs(got[0]-want) < 2e-5) {
				t.Errorf("choice %d at %v: %.10f, want %.10f", i, at, got[0], want)
			}
		}
	}
	again, err := Read("f", strings.NewReader(Format(m)))
	if err != nil {
		t.Fatal(err)
	}
	if again[0].Lets = m.Lets; !again[0].Equal(m) { // the printer adds some
		t.Error("the printed model reads as another")
	}
}

// TestReflectedIntegral: at the lower boundary an integral has the reflected parameters, in its integrand and in its ends.
func TestReflectedIntegral(t *testing.T) {
	models, err := Read("f", strings.NewReader("model m { trial rt choice c param z in [0.1, 0.9] lower { z = 1 - z } loglik = log(integral(u in [z, 2]: exp(z*u*rt))) }"))
	if err != nil {
		t.Fatal(err)
	}
	for i, z := range []float64{0.3, 0.7} {
		got, _ := expr.NewTape([]string{"rt", "z"}, models[0].Groups()[i].LogLik).Eval(nil, []float64{0.8, 0.3})
		k := z * 0.8
		if want := math.Log((math.Exp(2*k) - math.Exp(z*k)) / k); !(math.Abs(got[0]-want) < 1e-5) {
			t.Errorf("group %d: %v, want %v", i, got[0], want)
		}
	}
}

// TestNodesAreAsManyAsItTakes: a smooth integrand gets few nodes, and a steep integrand more.
func TestNodesAreAsManyAsItTakes(t *testing.T) {
	size := func(text string) int {
		models, err := Read("f", strings.NewReader(inModel("loglik = log("+text+")")))
		if err != nil {
			t.Fatal(err)
		}
		return len(expr.Order(models[0].LogLik))
	}
	easy, steep := size("integral(u in [0, 1]: 1 + p*u^2)"), size("integral(u in [0, 1]: 0.01 + exp(-30*(u - p)^2))")
	if easy > 50 || steep < 3*easy {
		t.Errorf("%d and %d nodes of an expression", easy, steep)
	}
}

// badIntegrals are written as badBodies are.
var badIntegrals = map[string]string{
	`loglik = integral(u in [0, 1]: u + w)`:                                  `3:38: unknown symbol "w", expected one declared above`,
	`loglik = u + integral(u in [0, 1]: u)`:                                  `3:12: unknown symbol "u", expected one declared above`,
	`loglik = integral(u in [0, u]: u)`:                                      `3:30: unknown symbol "u", expected one declared above`,
	`loglik = integral(x in [0, 1]: x)`:                                      `3:21: variable "x" is declared already, expected a new name`,
	`loglik = integral(exp in [0, 1]: x)`:                                    `3:21: "exp" is a function, expected another name`,
	`loglik = integral(u in [0]: x)`:                                         `3:12: number of ends and cuts of an integral is 1, expected 2 to 16`,
	`loglik = integral(u in [infinity, 0]: x)`:                               `3:12: infinity inside of an interval, expected -infinity only as the first end and infinity as the last`,
	`loglik = integral(u in [0, 2*infinity]: x)`:                             `3:32: unknown symbol "infinity", expected one declared above, or infinity alone as an end of an integral`,
	`loglik = integral(u in [0, inf]: exp(-u))`:                              `3:30: unknown symbol "inf", expected one declared above, or infinity alone as an end of an integral`,
	`loglik = integral(x, 0, 1)`:                                             `3:12: unknown function "integral", expected integral(NAME in [LOW, HIGH]: EXPR)`,
	`loglik = log(integral(u in [0, 1]: sqrt(u - 1/2)))`:                     `the integrand changes too fast, is undefined somewhere, or its integral is infinite: adaptive quadrature does not settle`,
	`loglik = integral(u in [0, 1]: integral(w in [0, 1]: u*w))`:             `3:34: an integral inside of another, expected none`,
	`let k = integral(w in [0, 1]: w) loglik = integral(u in [0, 1]: u*k)`:   `3:45: an integral of another, expected none`,
	`loglik = sum(u in [0, 1]: u)`:                                           `3:12: an interval in the call of "sum", expected it in integral(NAME in [LOW, HIGH]: EXPR)`,
	`loglik = integral(2*u in [0, 1]: u)`:                                    `3:12: an interval in the call of "integral", expected it in integral(NAME in [LOW, HIGH]: EXPR)`,
	`loglik = min(u in [0, 1]: u, x)`:                                        `3:16: an interval among the arguments of "min", expected it in integral(NAME in [LOW, HIGH]: EXPR)`,
	`loglik = integral(u in 0, 1: u)`:                                        `3:26: unexpected "0", expected "["`,
	`loglik = integral(u in [0, 1] u)`:                                       `3:33: unexpected "u", expected ":"`,
	`loglik = integral(u in [0, 1: u)`:                                       `3:31: unexpected ":", expected "]"`,
	`support integral(u in [0, 1]: u) < x loglik = p`:                        `3:11: an integral in a support, expected it in a let or in loglik`,
	`choice c lower { p = integral(u in [0, 1]: u) } loglik = p`:             `3:24: an integral, expected it only in a let or the loglik of a model`,
	`loglik = log(integral(u in [0, 1]: 1/u))`:                               `the integrand changes too fast, is undefined somewhere, or its integral is infinite: adaptive quadrature does not settle`,
	`loglik = log(integral(u in [0, infinity]: 1 + p))`:                      `the integrand changes too fast, is undefined somewhere, or its integral is infinite: adaptive quadrature does not settle`,
	`loglik = log(-integral(u in [0, 1]: u))`:                                `3:17: integral: the log density is finite at none of the points of the ranges that were looked at`,
	`loglik = log(1e-9 + integral(u in [0, 1]: exp(-1e5*(u - 0.123456)^2)))`: `128 nodes a piece miss the log density by 0.38: cut the interval where the integrand is steep, as in [LO, CUT, HI], or narrow the ranges`,
}

func TestBadIntegrals(t *testing.T) {
	for text, want := range badIntegrals {
		_, err := Read("f.lik", strings.NewReader(inModel(text)))
		if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), "f.lik:3:") {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestLongIntegralsAreRefused: a model within every other limit is refused if its integrals would take too long to check.
func TestLongIntegralsAreRefused(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("LIKC_LONG is not 1: takes some seconds")
	}
	cuts := "0"
	for k := 1; k < MaxCuts; k++ {
		cuts += fmt.Sprint(", ", k)
	}
	long := "integral(u in [" + cuts + "]: " + strings.Repeat("exp(-u*p - x)+", 300) + "u)"
	_, err := Read("f.lik", strings.NewReader(inModel("loglik = log("+strings.Repeat(long+"+", MaxIntegrals-1)+long+")")))
	if err == nil || !strings.HasSuffix(err.Error(), "take too long to check: want fewer integrals, cuts, choices or shorter integrands") {
		t.Error(err)
	}
}

func TestIntegralsHaveLimits(t *testing.T) {
	many := strings.Repeat("+ integral(u in [0, 1]: u)", MaxIntegrals+1)
	long := "integral(u in [0, 1]: u" + strings.Repeat(" + exp(u*p + x)", MaxIntegrand) + ")"
	for text, want := range map[string]string{many[1:]: "more than 16 integrals in a model", long: "an integral of more than 2000 nodes"} {
		_, err := Read("f.lik", strings.NewReader(inModel("loglik = "+text)))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.60s…: %v, want %s", text, err, want)
		}
	}
}

// TestIntegralsOfOthers: the field Integrals is also set for a model that uses or calls a model with an integral.
func TestIntegralsOfOthers(t *testing.T) {
	const text = "model inner { trial rt param k in [1, 2] loglik = integral(u in [0, 1]: exp(-k*u)) - rt } model used { use inner } " +
		"model called { trial rt param k in [1, 2] loglik = 2*inner(k) } model neither { trial rt param k in [1, 2] loglik = -k*rt }"
	models, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, false} {
		if models[i].Integrals != want {
			t.Errorf("%s: %v", models[i].Name, models[i].Integrals)
		}
	}
}
