package syntax

import (
	"fmt"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// ddm returns the header of a model whose density is no expression, as a library offers it.
func ddm() *expr.Model {
	v := expr.Var
	return &expr.Model{Name: "ddm", Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "choice",
		Params:  []expr.Param{{Name: "v", Lower: -3, Upper: 3}, {Name: "a", Lower: 0.3, Upper: 2.5}, {Name: "z", Lower: 0.1, Upper: 0.9}, {Name: "t", Lower: 0, Upper: 2}},
		Support: []expr.Support{{Left: v("t"), Right: v("rt")}},
		Lower:   []expr.Assign{{Param: "v", Value: expr.New(expr.Neg, v("v"))}, {Param: "z", Value: expr.New(expr.Sub, expr.Num(1), v("z"))}}}
}

// processes is a library with ddm, and with a model in the file deadline.lik.
var processes = Library{
	Named: func(name string) (*expr.Model, error) {
		switch name {
		case "ddm":
			return ddm(), nil
		case "levy":
			return nil, fmt.Errorf("levy is a process without a likelihood\nand more")
		}
		return nil, nil
	},
	Opened: func(path string) (*expr.Model, error) {
		if path != "deadline.lik" {
			return nil, fmt.Errorf("%s: no such file", path)
		}
		return ddm(), nil
	},
}

const learner = `model rl {
  trial  rt positive   trial reward = if(0 < c, ra, rb)   choice c
  param  alpha in [0, 1]   param k in [0, 10]   param a in [0.3, 2.5]   param t in [0, 1]
  state  qa = 0.5 restart block, session
  state  qb = 0.5 restart block
  next { qa = if(0 < c, qa + alpha*(reward - qa), qa);  qb = if(0 < c, qb, qb + alpha*(reward - qb)) }
  let v = k*(qa - qb)
  loglik = ddm(v, a, z = 0.5, t = t)
}
`

func readLast(t *testing.T, text string) *expr.Model {
	t.Helper()
	models, err := ReadWith("f.lik", strings.NewReader(text), processes)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return models[len(models)-1]
}

// TestStates reads a model with states, a call that is not written out and computed columns, and compares all of them with the text.
func TestStates(t *testing.T) {
	m := readLast(t, learner)
	c := m.Called
	if m.LogLik != nil || len(c.Calls) != 1 || len(c.Own) != 0 || m.Outer == nil || !c.LogLik.Equal(expr.Var(c.Calls[0].Symbol)) {
		t.Fatalf("%+v", m)
	}
	var got []string
	for j, a := range c.Calls[0].Args {
		got = append(got, fmt.Sprint(c.Calls[0].Of.Params[j].Name, " = ", a))
	}
	for _, s := range c.States {
		got = append(got, fmt.Sprint(s.Name, " = ", s.Start, " ", s.Restart), s.Next.String())
	}
	for _, a := range m.Computed {
		got = append(got, a.Param+" = "+a.Value.String())
	}
	got = append(got, fmt.Sprint(m.Support[0].Left, " < ", m.Support[0].Right), fmt.Sprint(m.Restarts()))
	want := []string{"v = k * (qa - qb)", "a = a", "z = 0.5", "t = t",
		"qa = 0.5 [block session]", "if(0 < c, qa + alpha * (reward - qa), qa)",
		"qb = 0.5 [block]", "if(0 < c, qb, qb + alpha * (reward - qb))",
		"reward = if(0 < c, ra, rb)", "t < rt", "[block session]"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestGivenColumns: with `trial x = x` simulations copy the column x from the data.
func TestGivenColumns(t *testing.T) {
	m := readLast(t, `model m { trial rt positive trial x = x choice c param b in [0, 1] state q = 0 next { q = b*x } loglik = ddm(v = q, a = 1, z = 0.5, t = 0.1) }`)
	if len(m.Computed) != 1 || !m.Computed[0].Value.Equal(expr.Var("x")) {
		t.Errorf("computed columns %+v", m.Computed)
	}
}

// TestCallOfCall: the calls within a called model become calls of the caller, with the caller's arguments substituted.
func TestCallOfCall(t *testing.T) {
	m := readLast(t, `use "deadline.lik" as other
		model wide { trial rt trial x choice d param k in [0, 1] param q in [0, 1] support q < x
			loglik = logaddexp(log(q) + ddm(v = k*x, a = 1, z = 0.5, t = 0.1), log(1 - q) + other(v = 0, a = k, z = 0.5, t = 0.1)) }
		model m { trial rt trial x choice c param b in [0, 1] loglik = wide(k = b^2, q = b) }`)
	c := m.Called
	if len(c.Calls) != 2 || c.Calls[0].From != "" || c.Calls[1].From != "deadline.lik" || m.Outer.Of.Name != "wide" {
		t.Fatalf("%+v", c)
	}
	if got := fmt.Sprint(c.Calls[0].Args[0], "; ", c.Calls[1].Args[1]); got != "b^2 * x; b^2" {
		t.Error(got)
	}
	if len(m.Support) != 1 || len(c.Own) != 1 || c.Own[0].Left.String() != "b" {
		t.Errorf("support %v, own %v", m.Support, c.Own)
	}
}

// TestUseStates: `use` copies the states of another model.
func TestUseStates(t *testing.T) {
	m := readLast(t, learner+"model m { use rl param w in [0, 1] loglik = ddm(v = k*(qa - qb), a, z = w, t) }")
	if len(m.Called.States) != 2 || m.Called.Calls[0].Args[2].String() != "w" || len(m.Computed) != 1 {
		t.Errorf("%+v", m.Called)
	}
	m = readLast(t, learner+"model m { use rl }")
	if len(m.Called.States) != 2 || m.Called.LogLik.Name != "call 0" || m.Outer == nil || m.Outer.Of.Name != "ddm" {
		t.Errorf("%+v", m)
	}
}

// TestWordsAreNames: the words of calls and states may still be names.
func TestWordsAreNames(t *testing.T) {
	m := readLast(t, `model state { trial next trial restart param state in [0, 1] param evidence in [0, 1]
		let as = state*next let after = as + restart loglik = after - evidence }
		model ddm { trial next trial restart param use in [0, 1] loglik = state(state = use, evidence = use) }`)
	if m.Called != nil || m.LogLik.String() != "use * next + restart - use" {
		t.Errorf("%v", m.LogLik)
	}
}

// head declares what the wrong texts below need, in two lines.
const head = "model m { trial rt trial x choice c param p in [0, 1] param a in [0.3, 2]\nstate q = p "

// badStates are texts that follow head, with their errors.
var badStates = []struct{ text, want string }{
	{`next { q = q + x }`, `2:32: unexpected "}", expected a loglik in model "m"`},
	{`loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:7: state "q" is not in next, expected what it becomes after a trial`},
	{`next { q = x } next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:28: next after next at 2:13, expected at most one`},
	{`next { r = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:20: next assigns "r", expected a declared state`},
	{`next { p = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:20: next assigns "p", expected a declared state`},
	{`next { q = x q = p } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:26: next assigns "q" twice, expected once`},
	{`next { q = y } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:24: unknown symbol "y", expected one declared above`},
	{`next { q = ddm(v = q, a, z = 0.5, t = 0.1) } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:24: call of model "ddm" in next, expected it in a let or in loglik`},
	{`next { q x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:22: unexpected "x", expected "="`},
	{`next q = x`, `2:18: unexpected "q", expected "{"`},
	{`next { q = x`, `2:27: unexpected end, expected a declaration or "}"`},
	{`next { q = x } state r = 1 loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:34: state "r" after next at 2:13, expected it before`},
	{`next { q = integral(u in [0, 1]: u*x) } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:24: an integral in a model with states or with calls of densities, expected it in a model of its own, which is called`},
	{`restart`, `2:21: unexpected "}", expected a name`},
	{`restart 3 next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:21: unexpected "3", expected a name`},
	{`restart block, next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:33: unexpected "{", expected an operator, a declaration or "}"`},
	{`restart block, block next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:28: state "q" restarts by "block" twice, expected once`},
	{`restart p next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:21: state "q" restarts by "p", expected a column of the data`},
	{`restart c next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:21: state "q" restarts by "c", expected a column of the data`},
	{`state next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:24: unexpected "{", expected "="`},
	{`state = 3`, `2:19: unexpected "=", expected a name`},
	{`state r`, `2:21: unexpected "}", expected "="`},
	{`state r 3`, `2:21: unexpected "3", expected "="`},
	{`state r = x next { q = x r = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:23: state uses "x", expected only parameters and numbers`},
	{`state r = q next { q = x r = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:23: state uses "q", expected only parameters and numbers`},
	{`state q = 1 next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:19: "q" is already declared at 2:7`},
	{`state exp = 1`, `2:19: "exp" is a function, expected another name`},
	{`state p = 1`, `2:19: "p" is already declared at 1:43`},
	{`state in = 1`, `2:19: unexpected "in", expected a name`},
	{`trial y = next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:28: unexpected "{", expected a declaration or "}"`},
	{`trial y = p next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:19: trial "y" is computed from "p", expected the choice and columns of the data`},
	{`trial y = if(0 < c, q, 1) next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:19: trial "y" is computed from "q", expected the choice and columns of the data`},
	{`trial y = ra trial w = y next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:32: trial "w" is computed from "y", which is computed itself, expected columns of the data`},
	{`trial y = ddm(v = 1, a = 1, z = 0.5, t = 0.1) next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:23: call of model "ddm" in a computed trial column, expected it in a let or in loglik`},
	{`trial y = exp next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1)`, `2:23: "exp" is a function, expected its arguments`},
	{`next { q = x } loglik = ddm(v = q, a, z = 0.5)`, `2:37: model "ddm" is given no "t", expected a value`},
	{`next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1, s = 1)`, `2:69: model "ddm" has no parameter "s", expected v, a, z, t`},
	{`next { q = x } loglik = ddm(q, a, z = 0.5, t = 0.1)`, `2:41: model "ddm" has no parameter "q", expected v, a, z, t`},
	{`next { q = x } loglik = ddm(v = q, v = p, a, z = 0.5, t = 0.1)`, `2:48: model "ddm" is given "v" twice, expected once`},
	{`next { q = x } loglik = ddm(v = q, a, z, t = 0.1)`, `2:51: unknown symbol "z", expected one declared above`},
	{`next { q = x } loglik = ddm(q*p, a, z = 0.5, t = 0.1)`, `2:41: argument of model "ddm", expected NAME = EXPR or the name of a parameter`},
	{`next { q = x } loglik = ddm(v = ddm, a, z = 0.5, t = 0.1)`, `2:45: unknown symbol "ddm", expected one declared above`},
	{`next { q = x } loglik = ddm()`, `2:41: unexpected ")", expected an expression`},
	{`next { q = x } loglik = levy(v = q)`, `2:37: call: levy is a process without a likelihood`},
	{`next { q = x } loglik = nobody(v = q)`, `2:37: unknown model "nobody", expected one declared above or built in`},
	{`next { q = x } loglik = ddm`, `2:37: unknown symbol "ddm", expected one declared above`},
	{`next { q = x } loglik = x + ddm(v = q, a, z = 0.5, t = 0.1) lower { }`, `2:73: lower beside a call of model "ddm", which brings its own, expected one of the two`},
	{`next { q = x } loglik = ddm(v = integral(u in [0, 1]: u*x), a, z = 0.5, t = 0.1)`, `2:45: an integral in a model with states or with calls of densities, expected it in a model of its own, which is called`},
	{`next { q = x } loglik = ddm(v = q, a, z = 0.5, t = 0.1) normalise`, `2:69: normalise: the model has 2 trial columns, expected one, the response time`},
	{`next { q = x } loglik = q simulator ddm { v = q }`, `2:59: simulator uses "q", expected only parameters and numbers`},
	{`model m { use ddm param p in [0, 1] loglik = p }`, `1:15: model "ddm" is no expression, expected one, or a call in loglik`},
	{`model m { use levy param p in [0, 1] loglik = p }`, `1:15: use: levy is a process without a likelihood`},
	{`model m { use "deadline.lik" as d use d param p in [0, 1] loglik = p }`, `1:39: model "d" is no expression, expected one, or a call in loglik`},
	{`use "nowhere.lik" as d model n { trial x param p in [0, 1] loglik = p }`, `1:5: use: nowhere.lik: no such file`},
	{`use "deadline.lik" next { q = x } loglik = x`, `1:20: unexpected "next", expected "as"`},
	{`use deadline.lik as d`, `1:13: stray character "."`},
	{`use "" as d model n { trial x param p in [0, 1] loglik = p }`, `1:5: use of an empty path, expected a file or a teacher's folder`},
	{`use "deadline.lik as d`, `1:5: stray character "\""`},
	{`use "deadline.lik" as exp model n { trial x param p in [0, 1] loglik = p }`, `1:23: "exp" is a function, expected another name`},
	{`use "deadline.lik" as d`, `1:24: unexpected end, expected "model"`},
	{`use "deadline.lik" as d use "deadline.lik" as d model n { trial x param p in [0, 1] loglik = p }`, `1:47: model "d" is already declared at 1:23`},
	{`use "deadline.lik" as d model d { trial x param p in [0, 1] loglik = p }`, `1:31: model "d" is already declared at 1:23`},
	{`use d`, `1:5: unexpected "d", expected a path in quotes`},
	{`model m { trial rt param p in [0, 1] loglik = ddm(v = p, a = 1, z = 0.5, t = 0.1) }`, `1:47: model "ddm" has a choice, expected one declared above`},
	{`model m { trial x choice c param p in [0, 1] loglik = ddm(v = p, a = 1, z = 0.5, t = 0.1) }`, `1:55: model "ddm" has the trial "rt", expected it declared above`},
	{`model m { trial rt choice c in {0, 1} param p in [0, 1] loglik = ddm(v = p, a = 1, z = 0.5, t = 0.1) }`, `1:66: model "ddm" has the choices +1 and -1, expected the same here`},
	{`model m { trial rt choice c param p in [0, 1] next { q = 1 } loglik = p }`, `1:47: next in a model without states, expected a declaration such as state q = 0.5 above`},
	{`model s { trial x param p in [0, 1] state q = 1 next { q = x } loglik = p*q } model m { trial x param p in [0, 1] loglik = s(p) }`, `1:124: model "s" has states, so it cannot be called, expected one without`},
	{`model m { trial x choice c param p in [0, 1] state q = 1 next { q = x } loglik = p*q }`, `1:26: choice "c" without lower, expected both or neither`},
}

func TestBadStates(t *testing.T) {
	if len(badStates) < 40 {
		t.Errorf("%d wrong texts, want 40 or more", len(badStates))
	}
	for _, c := range badStates {
		text := c.text
		if !strings.HasPrefix(text, "use") && !strings.HasPrefix(text, "model") {
			text = head + text + " }"
		}
		_, err := ReadWith("f.lik", strings.NewReader(text), processes)
		if got := fmt.Sprint(err); got != "f.lik:"+c.want {
			t.Errorf("%s\n got %s\nwant f.lik:%s", text, got, c.want)
		}
	}
}

// FuzzStates does what FuzzParse does, for texts with states and with calls that are not written out.
func FuzzStates(f *testing.F) {
	f.Add(learner)
	f.Add(learner + "model m { use rl }")
	for _, c := range badStates {
		f.Add(head + c.text + " }")
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		models, err := ReadWith("fuzz.lik", strings.NewReader(text), processes)
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Pos.Line < 1 || e.Pos.Column < 1 || e.Pos.Offset > len(text) || strings.Contains(e.Msg, "\n") {
				t.Fatalf("error %q at %+v", err, e.Pos)
			}
			return
		}
		for _, m := range models {
			// A process that is written down, or left to another program, has neither a log density nor calls.
			if m.LogLik != nil && m.Called != nil || (m.LogLik != nil || m.Called != nil) && len(m.Roots()) == 0 {
				t.Fatalf("%+v", m)
			}
			known := map[string]bool{m.Choice: true}
			for _, name := range append(append([]string{}, m.Trials...), m.ParamNames()...) {
				known[name] = true
			}
			if m.Called != nil {
				for _, s := range m.Called.States {
					known[s.Name] = true
				}
				for _, c := range m.Called.Calls {
					known[c.Symbol] = true
				}
			}
			for _, name := range expr.Symbols(m.Roots()...) {
				if !known[name] {
					t.Fatalf("symbol %q", name)
				}
			}
		}
	})
}
