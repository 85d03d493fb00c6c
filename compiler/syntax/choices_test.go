package syntax

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
)

const race = `
model race {
  trial rt positive
  choice c in {0, 1, 2}
  param m[c] in [-3, 2]
  param s in [0.1, 2]
  let q[k] = (log(rt) - m[k])/s
  loglik = -q[c]^2/2 - log(s*rt) - log(2*3.141592653589793)/2 + sum(k != c: log_normcdf(-q[k]))
}`

// TestIndexIsEachChoiceWrittenOut: a race that is declared with an index has the values of the race written out for each choice.
func TestIndexIsEachChoiceWrittenOut(t *testing.T) {
	models, err := Read("race.lik", strings.NewReader(race))
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	if got := strings.Join(m.ParamNames(), " "); got != "m0 m1 m2 s" {
		t.Fatalf("parameters %s", got)
	}
	symbols := append([]string{"rt"}, m.ParamNames()...)
	at := []float64{0.7, -0.4, 0.1, -1.3, 0.8}
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for i, g := range m.Groups() {
		if g.Choice != float64(i) {
			t.Errorf("group %d has choice %v", i, g.Choice)
		}
		got, _ := expr.NewTape(symbols, g.LogLik).Eval(nil, at)
		want := 0.0
		for k := range 3 {
			q := (math.Log(at[0]) - at[1+k]) / at[4]
			if k == i {
				want += math.Log(math.Exp(-q*q/2) / math.Sqrt(2*math.Pi) / (at[4] * at[0]))
			} else {
				want += math.Log(cdf(-q))
			}
		}
		if math.Abs(got[0]-want) > 1e-13 {
			t.Errorf("choice %d: %v, want %v", i, got[0], want)
		}
		if own := expr.Symbols(g.LogLik); len(own) != 5 {
			t.Errorf("choice %d depends on %v: want rt and the parameters, no choice", i, own)
		}
	}
}

// TestSumsAndProducts: indexes nest, and sums and products go over all choices or all but one.
func TestSumsAndProducts(t *testing.T) {
	for text, want := range map[string]float64{
		"sum(k: m[k])":                            2 + 3 + 5,
		"product(k: m[k])":                        2 * 3 * 5,
		"product(k != c: m[k])":                   2 * 5,
		"m[c]^sum(k != c: m[k])":                  math.Pow(3, 7),
		"sum(k: product(j != k: m[j]))":           15 + 10 + 6,
		"sum(k != c: m[k]*sum(j != k: m[j])) - 1": 2*8 + 5*5 - 1,
		"if(c <= 0, m0, c*m2)":                    5,
	} {
		models, err := Read("f.lik", strings.NewReader("model f { trial rt choice c in {0, 1, 2} param m[c] in [0, 9] loglik = "+text+" }"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, _ := expr.NewTape(models[0].ParamNames(), models[0].Groups()[1].LogLik).Eval(nil, []float64{2, 3, 5})
		if got[0] != want {
			t.Errorf("%s: %v, want %v", text, got[0], want)
		}
	}
}

// TestPrintedRaceReadsAsTheSame: the text of a printed race reads as an equal model.
func TestPrintedRaceReadsAsTheSame(t *testing.T) {
	models, err := Read("race.lik", strings.NewReader(race))
	if err != nil {
		t.Fatal(err)
	}
	text := Format(models[0])
	again, err := Read("again.lik", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !again[0].Equal(models[0]) {
		t.Errorf("not equal:\n%s", text)
	}
}

func TestUsedRaceBringsItsChoices(t *testing.T) {
	models, err := Read("f.lik", strings.NewReader(race+"model g { use race loglik = -(rt - m0)^2*(1 + c) }\n"+
		"model h { trial rt choice d in {0, 1, 2} param a in [0, 1] loglik = race(m0 = a, m1 = 0, m2 = 0, s = 1) }"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models[1:] {
		if len(m.Groups()) != 3 {
			t.Errorf("%s has %d groups of trials, want 3", m.Name, len(m.Groups()))
		}
	}
}

// TestNestedSumsHaveALimit: nested sums have a number of terms that is a power of the number of choices, so even a short text with too many
// levels must be refused quickly.
func TestNestedSumsHaveALimit(t *testing.T) {
	const head = "model m { trial rt choice c in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} param m[c] in [0, 1] "
	var open strings.Builder
	for k := range 12 {
		fmt.Fprintf(&open, "sum(k%d: ", k)
	}
	nested := open.String() + "m[k0]" + strings.Repeat(")", 12)
	for _, text := range []string{"loglik = " + nested, "let q[j] = " + nested + " loglik = q[c]"} {
		_, err := Read("f", strings.NewReader(head+text+" }"))
		if err == nil || !strings.HasSuffix(err.Error(), "more than 100000 operands in an expression whose choices are written out") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestBadChoices(t *testing.T) {
	for text, want := range map[string]string{
		"choice c in {0}":                         `1:33: number of choices is 1, expected 2 to 16`,
		"choice c in {1, 2}":                      `1:33: choice "1", expected 0: choices are numbered 0, 1, … in order`,
		"choice c in {0, 1, 3}":                   `1:39: choice "3", expected 2: choices are numbered 0, 1, … in order`,
		"choice c in {0, x}":                      `1:36: unexpected "x", expected a number`,
		"param m[c] in [0, 1]":                    `1:28: an index in a model without numbered choices, expected a declaration such as choice c in {0, 1, 2} above`,
		"choice c in {0, 1} param m[k] in [0, 1]": `1:47: index "k" of a param, expected the choice "c"`,
		"choice c in {0, 1} lower { } param p in [0, 1] loglik = p":                     `1:39: lower in a model whose choices are numbered, expected it only for two boundaries`,
		"choice c in {0, 1} param m[c] in [0, 1] param m0 in [0, 1]":                    `1:66: "m0" is already declared at 1:45`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = m":                            `1:69: m stands for one value a choice, expected m[…] with the choice or an index`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = m[k]":                         `1:71: unknown index "k", expected the choice "c" or the index of a let, sum or product`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = rt[c]":                        `1:69: "rt" has no index, expected one only after a name that was declared with one`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = sum(c: m[c])":                 `1:73: index "c" is declared already, expected a new name`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = sum(k != j: m[k])":            `1:78: unknown index "j", expected the choice "c" or the index around it`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = exp(k: m[k])":                 `1:69: an index in the call of "exp", expected it in sum(INDEX: EXPR) or product(INDEX: EXPR)`,
		"choice c in {0, 1} param m[c] in [0, 1] loglik = min(k != c, m0)":              `1:73: an index among the arguments of "min", expected it in sum(INDEX: EXPR) or product(INDEX: EXPR)`,
		"param m in [0, 1] loglik = sum(k: m)":                                          `1:47: sum over choices in a model without numbered choices, expected a declaration such as choice c in {0, 1, 2} above`,
		"choice c in {0, 1} param m[c] in [0, 1] let f[k] = m[k] let f1 = 2 loglik = 0": `1:80: "f1" is already declared at 1:64`,
	} {
		_, err := Read("f", strings.NewReader("model m { trial rt "+strings.Replace(text, "trial rt", "", 1)+" }"))
		if err == nil || !strings.HasSuffix(strings.TrimPrefix(err.Error(), "f:"), want) {
			t.Errorf("%s:\n got %v\nwant f:%s", text, err, want)
		}
	}
}
