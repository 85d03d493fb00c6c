package syntax

import (
	"fmt"
	"strings"
	"testing"

	"likc/compiler/expr"
)

const urgency = `model urgency {
  trial  rt positive
  choice c
  param  v in [-3, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 2]   param g in [0, 5]   param k in [0, 4]
  evidence x after t {
    start a*(2*z - 1)
    drift v*(1 + g*tau)
    noise 1 + g*tau
    upper a*exp(-k*tau)
  }
}
`

const raceOf3 = `model race {
  trial  rt positive
  choice c in {0, 1, 2}
  param  v[c] in [0, 4]   param b in [0.5, 3]   param l in [0, 3]   param t in [0, 1]
  evidence x[k] after t { start 0   drift v[k]   upper b*exp(-l*tau)   reflect 0 }
}
`

func TestEvidence(t *testing.T) {
	m := read(t, urgency)
	e := m.Evidence
	a := e.Accumulators[0]
	if m.LogLik != nil || e.Time != "rt" || e.Onset.A.String() != "t" || len(e.Accumulators) != 1 || a.Evidence != "x" || a.Start.A.String() != "a * (2 * z - 1)" ||
		a.Lower.String() != "-(a * exp(-k * tau))" || a.Reflect != nil || e.Interacts() || m.Support[0].Left.String() != "t" {
		t.Errorf("read %+v, support %v", e, m.Support)
	}
	m = read(t, raceOf3)
	if e = m.Evidence; len(e.Accumulators) != 3 || e.Accumulators[2].Drift.String() != "v2" || e.Accumulators[1].Lower != nil || !e.Accumulators[0].Reflect.IsNum(0) {
		t.Errorf("read %+v", e)
	}
	interacting := read(t, strings.Replace(raceOf3, "drift v[k]", "drift v[k] - x[k] - sum(j != k: x[j])", 1))
	if !interacting.Evidence.Interacts() || e.Interacts() {
		t.Error("which accumulators interact is not found")
	}
}

// TestPrintEvidence: the printed text reads as the same model, and the words of the evidence block may be names elsewhere.
func TestPrintEvidence(t *testing.T) {
	for _, text := range []string{urgency, raceOf3,
		strings.Replace(raceOf3, "drift v[k]", "drift[0] v0 drift[1] -v1 drift[2] 2 - x[k]", 1),
		strings.Replace(raceOf3, "drift v[k]", "drift v[k] - sum(j != k: x[j])", 1),
		strings.Replace(urgency, "start a*(2*z - 1)", "start beta(2, 2, -a, a) lower -a", 1),
		strings.Replace(urgency, "after t", "after normal(t, 0.1)", 1),
		strings.Replace(urgency, "after t", "after uniform(t - z, t + z)", 1),
		"model words { trial rt trial start trial after param drift in [0, 1] param noise in [0, 1] let evidence = drift let upper = noise" +
			" evidence x after drift { start start drift drift - x noise noise upper upper - after } }",
		"model declared { trial rt positive choice c param a in [0, 1] support a < rt }",
	} {
		m := read(t, text)
		printed := Format(m)
		if again := read(t, printed); !again.Equal(m) {
			t.Errorf("%s\nreads as another model:\n%s", text, printed)
		}
		other := *m
		if other.Evidence = nil; m.Evidence != nil && other.Equal(m) {
			t.Errorf("equal without its evidence: %s", printed)
		}
	}
}

// badEvidence are declarations for the third line of a model with the trials rt and y, the choice c and the parameters p and q. Their errors are
// given without the file name.
var badEvidence = []struct{ text, want string }{
	{`evidence`, `4:1: unexpected "}", expected a name`},
	{`evidence x`, `4:1: unexpected "}", expected "after"`},
	{`evidence x before p {}`, `3:14: unexpected "before", expected "after"`},
	{`evidence x after {}`, `3:20: unexpected "{", expected an expression`},
	{`evidence x after p`, `4:1: unexpected "}", expected "{"`},
	{`evidence x after p {}`, `3:23: unexpected "}", expected start in the evidence of model "m"`},
	{`evidence x after p { start 0 }`, `3:32: unexpected "}", expected drift in the evidence of model "m"`},
	{`evidence x after p { start 0 drift p }`, `3:40: unexpected "}", expected upper in the evidence of model "m"`},
	{`evidence x after p { start 0 drift p upper q`, `4:2: unexpected end, expected a declaration or "}"`},
	{`evidence x after p { start 0 drift p - 2 x upper 1 }`, `3:44: unexpected "x", expected an operator, start, drift, noise, upper, lower, reflect or "}"`},
	{`evidence x after p { speed 3 }`, `3:24: unexpected "speed", expected start, drift, noise, upper, lower, reflect or "}"`},
	{`evidence x after p { drift }`, `3:30: unexpected "}", expected an expression`},
	{`evidence x after p { start 0 start 0 drift p upper q }`, `3:32: start after start at 3:24, expected at most one`},
	{`evidence x after p { start 0 drift p upper q upper q }`, `3:48: upper after upper at 3:40, expected at most one`},
	{`evidence x after p { start 0 drift p upper q } evidence y2 after p { start 0 drift p upper q }`, `3:50: evidence after evidence at 3:3, expected at most one`},
	{`evidence x after p { start 0 drift p upper q } loglik = p`, `3:3: evidence beside a loglik, expected one of the two`},
	{`loglik = p evidence x after p { start 0 drift p upper q }`, `3:14: evidence beside a loglik, expected one of the two`},
	{`evidence x after p { start 0 drift p upper q } normalise`, `3:50: normalise: the model has no loglik`},
	{`evidence p after p { start 0 drift p upper q }`, `3:12: "p" is already declared at 2:35`},
	{`evidence exp after p { start 0 drift p upper q }`, `3:12: "exp" is a function, expected another name`},
	{`evidence tau after p { start 0 drift p upper q }`, `3:12: "tau" is already declared at 3:12`},
	{`let tau = p evidence x after p { start 0 drift p upper q }`, `3:7: "tau" is declared in a model with evidence, where it is the time since the onset; expected another name`},
	{`evidence x after p { start 0 drift p upper q } let tau = p`, `3:54: "tau" is already declared at 3:12`},
	{`evidence x after p { start 0 drift p upper q } let x = p`, `3:54: "x" is already declared at 3:12`},
	{`evidence x after p { start 0 drift p upper q } let d = tau`, `3:58: unknown symbol "tau", expected one declared above`},
	{`evidence x after p { start 0 drift p upper q } let d = x`, `3:58: unknown symbol "x", expected one declared above`},
	{`evidence x after tau { start 0 drift p upper q }`, `3:20: unknown symbol "tau", expected one declared above`},
	{`evidence x after rt { start 0 drift p upper q }`, `3:20: onset uses "rt", expected nothing of the response`},
	{`evidence x after p { start tau drift p upper q }`, `3:30: start uses "tau", expected parameters, trial columns and numbers`},
	{`evidence x after p { start x drift p upper q }`, `3:30: start uses the evidence "x", expected it only in the drift`},
	{`evidence x after p { start -(rt) drift p upper q }`, `3:31: start uses "rt", expected nothing of the response`},
	{`evidence x after p { start 0 drift rt upper q }`, `3:38: drift uses "rt", expected nothing of the response`},
	{`evidence x after p { start 0 drift c*p upper q }`, `3:38: drift uses "c", expected nothing of the response`},
	{`evidence x after p { start 0 drift p noise 1 + x upper q }`, `3:46: noise uses the evidence "x", expected it only in the drift`},
	{`evidence x after p { start 0 drift p upper q - x }`, `3:46: upper uses the evidence "x", expected it only in the drift`},
	{`evidence x after p { start 0 drift p upper q lower -x }`, `3:55: lower uses the evidence "x", expected it only in the drift`},
	{`evidence x after p { start 0 drift p upper c }`, `3:46: upper uses "c", expected nothing of the response`},
	{`evidence x after p { start 0 drift w upper q }`, `3:38: unknown symbol "w", expected one declared above`},
	{`evidence x after p { start 0 drift p upper q reflect 0 }`, `3:48: reflect of evidence between two boundaries, expected it only where an accumulator has one response`},
	{`evidence x after normal(p) { start 0 drift p upper q }`, `3:20: number of arguments of normal is 1, expected 2`},
	{`evidence x after beta(p, q, 0, 1) { start 0 drift p upper q }`, `3:20: beta for the onset, expected a point, uniform(…) or normal(…)`},
	{`evidence x after p { start normal(0, 1) drift p upper q }`, `3:30: normal for the start, expected a point, uniform(…) or beta(…)`},
	{`evidence x after p { start beta(2, 2) drift p upper q }`, `3:30: number of arguments of beta is 2, expected 4`},
	{`evidence x after p { start uniform(k: p, 1) drift p upper q }`, `3:38: argument of uniform, expected an expression`},
	{`evidence x after p { start uniform(low = 0, high = 1) drift p upper q }`, `3:38: argument of uniform, expected an expression`},
	{`evidence x after p { start 1 + uniform(0, 1) drift p upper q }`, `3:34: unknown function "uniform", expected ` + functions},
	{`evidence x after p { start 0 drift uniform(0, 1) upper q }`, `3:38: uniform for the drift, expected an expression`},
	{`evidence x[k] after p { start 0 drift p upper q }`, `3:14: an index in a model without numbered choices, expected a declaration such as choice c in {0, 1, 2} above`},
	{`evidence x after p { start 0 drift[0] p upper q }`, `3:38: drift[0], expected the number of a choice, and only in a race of numbered choices`},
	{`evidence x after p { start 0; drift p; upper q;; }`, `3:50: unexpected ";", expected start, drift, noise, upper, lower, reflect or "}"`},
	{`evidence x after p { start = 0 drift p upper q }`, `3:30: unexpected "=", expected an expression`},
	{`evidence x[0] after p { start 0 drift p upper q }`, `3:14: unexpected "0", expected a name`},
	{`evidence x after p { start 0 drift p upper q } evidence`, `4:1: unexpected "}", expected a name`},
	{`let evidence = p`, `4:1: unexpected "}", expected a loglik in model "m"`},
}

func inEvidence(text string) string {
	return "model m {\n  trial rt trial y choice c param p in [0, 1] param q in [0.1, 1]\n  " + text + "\n}"
}

// badRaces are declarations for the third line of a model with the trial rt, three choices and the parameters v0, v1, v2 and q.
var badRaces = []struct{ text, want string }{
	{`evidence x after q { start 0 drift q upper q }`, `3:12: one accumulator in a model of 3 choices, expected x[k]`},
	{`evidence x[q] after q { start 0 drift q upper q }`, `3:14: index "q" is declared already, expected a new name`},
	{`evidence x[k] after q { start 0 drift v upper q }`, `3:41: v stands for one value a choice, expected v[…] with the choice or an index`},
	{`evidence x[k] after q { start 0 drift v[c] upper q }`, `3:41: drift uses "c", expected nothing of the response`},
	{`evidence x[k] after q { start 0 drift v[j] upper q }`, `3:43: unknown index "j", expected the choice "c" or the index of a let, sum or product`},
	{`evidence x[k] after q { start 0 drift v[k] upper q lower 0 }`, `3:54: lower of an accumulator with one response, expected it only in a model of the choices +1 and -1`},
	{`evidence x[k] after q { start 0 drift v[k] upper q reflect tau }`, `3:62: reflect uses "tau", expected parameters, trial columns and numbers`},
	{`evidence x[k] after q { start 0 drift v[k] upper x[k] }`, `3:52: upper uses the evidence "x0", expected it only in the drift`},
	{`evidence x[k] after q { start 0 drift[3] v0 upper q }`, `3:41: drift[3], expected the number of a choice, and only in a race of numbered choices`},
	{`evidence x[k] after q { start 0 drift[0] v0 upper q }`, `3:55: unexpected "}", expected drift in the evidence of model "m"`},
	{`evidence x[k] after q { start 0 drift v[k] drift[0] v0 upper q }`, `3:46: drift after drift at 3:35, expected at most one`},
	{`evidence v[k] after q { start 0 drift v[k] upper q }`, `3:12: "v0" is already declared at 2:40`},
}

func inRace(text string) string {
	return "model m {\n  trial rt choice c in {0, 1, 2} param v[c] in [0, 1] param q in [0.1, 1]\n  " + text + "\n}"
}

func TestEvidenceErrors(t *testing.T) {
	check := func(whole, want string) {
		t.Helper()
		_, err := Read("f.lik", strings.NewReader(whole))
		if got := fmt.Sprint(err); got != "f.lik:"+want {
			t.Errorf("%s\n got %s\nwant f.lik:%s", whole, got, want)
		}
	}
	if n := len(badEvidence) + len(badRaces); n < 60 {
		t.Errorf("%d wrong texts, want 60 or more", n)
	}
	for _, c := range badEvidence {
		check(inEvidence(c.text), c.want)
	}
	for _, c := range badRaces {
		check(inRace(c.text), c.want)
	}
	check("model m { choice c param p in [0, 1] evidence x after p { start 0 drift p upper 1 } }", "1:38: evidence in a model without response times, expected trial rt positive above")
}

// TestUseEvidence: `use` copies the process of another model with its declarations, and a model with a process cannot be called as an
// expression.
func TestUseEvidence(t *testing.T) {
	models, err := Read("f.lik", strings.NewReader(urgency+"model mine { use urgency }"))
	if err != nil {
		t.Fatal(err)
	}
	if !models[1].Evidence.Roots()[0].Equal(expr.Var("t")) || len(models[1].Params) != 6 {
		t.Errorf("used: %+v", models[1].Evidence)
	}
}
