package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// upperCase is the style of an invented language in which names must not be all upper case.
var upperCase = &plan.Style{
	Target:   expr.Go,
	Reserved: []string{"for"},
	Allowed: func(name string) bool {
		return name != strings.ToUpper(name) || strings.ContainsAny(name, "0123456789")
	},
	Ending: "_b",
	Join:   func(first, second string) string { return first + second },
	Results: func(n *plan.Names, outs int) []plan.Ref {
		return make([]plan.Ref, outs)
	},
}

func TestNames(t *testing.T) {
	n := plan.NewNames(upperCase)
	for _, c := range []struct{ want, got string }{
		{"x", "x"}, {"x", "x_b"}, {"x", "x_b2"}, {"for", "for_b"}, {"V", "V_b"}, {"", "t0"}, {"", "t1"},
	} {
		if got := n.Declare(c.want); got != c.got {
			t.Errorf("Declare(%q) = %s, want %s", c.want, got, c.got)
		}
	}
	inner := n.Inner()
	if got := inner.Declare("x"); got != "x_b3" {
		t.Errorf("inside, x is %s", got)
	}
	if got := n.Declare("x"); got != "x_b3" {
		t.Errorf("a name that an inner scope takes is also taken outside: x is %s", got)
	}
	if got := fmt.Sprint(n.DeclareEach("y", []string{"A", "B"})); got != "[yA yB]" || n.Declare("yB") == "yB" {
		t.Errorf("lanes are %s", got)
	}
}

// TestManyNames: a search for a free name continues after the last name that was given, and does not try earlier names again.
func TestManyNames(t *testing.T) {
	tried := 0
	style := *upperCase
	style.Allowed = func(string) bool { tried++; return true }
	n := plan.NewNames(&style)
	given := map[string]bool{}
	const each = 1000
	for range each {
		for _, name := range append(n.DeclareEach("", []string{"", "_2"}), n.Declare(""), n.Declare("x"), n.Number("k")) {
			if given[name] {
				t.Fatalf("%s is given twice", name)
			}
			given[name] = true
		}
	}
	if most := 7 * each; tried > most { // after t1 was given as a single name, a pair tries t1 and t1_2 first
		t.Errorf("%d names were tried for %d, want at most %d", tried, len(given), most)
	}
}

// TestEvaluate counts the steps of a model with two groups: each has a support condition on a statistic, and a step Share.
func TestEvaluate(t *testing.T) {
	models, err := syntax.Read("m.lik", strings.NewReader(`model m {
  trial rt
  choice c
  param v in [-3, 3]
  param t in [0, 2]
  support t < rt
  lower { v = -v }
  loglik = v*rt - log(1 + exp(v*(rt - t)))
}`))
	if err != nil {
		t.Fatal(err)
	}
	u, err := compiler.Compile(models[0], compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pl, err := plan.New(u.Program, upperCase, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := pl.Edge(); e == nil || *e != (plan.Edge{Param: 1, Column: 0}) {
		t.Errorf("edge %+v, want parameter 1 below column 0", e)
	}
	for _, c := range []struct {
		steps []plan.Step
		grads int
	}{{pl.Evaluate(pl.Value), 0}, {pl.Evaluate(pl.Both), 2}} {
		kinds, shares, grads := map[string]int{}, 0, 0
		for _, s := range c.steps {
			kinds[strings.TrimPrefix(fmt.Sprintf("%T", s), "plan.")]++
			if share, ok := s.(plan.Share); ok {
				shares++
				for _, in := range share.Steps {
					if _, ok := in.(plan.AddGrad); ok {
						grads++
					}
				}
			}
		}
		if kinds["Unpack"] != 1 || kinds["Refuse"] != 2 || kinds["Start"] != 1 || kinds["Return"] != 1 || kinds["Clear"] != min(c.grads, 1) || kinds["Settle"] != kinds["Clear"] {
			t.Errorf("steps by kind: %v", kinds)
		}
		if shares != 2 || grads != 2*c.grads {
			t.Errorf("%d shares with %d derivatives, want 2 with %d", shares, grads, 2*c.grads)
		}
	}
}

func TestRefused(t *testing.T) {
	models, err := syntax.Read("m.lik", strings.NewReader("model m { trial x param v in [0, 1] loglik = erf(v*x) }"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := compiler.Compile(models[0], compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	style := *upperCase
	style.Target = "cobol"
	if _, err := plan.New(u.Program, &style, plan.Options{}); err == nil || !strings.Contains(err.Error(), "has no spelling in cobol") {
		t.Errorf("a target without spellings: %v", err)
	}
}
