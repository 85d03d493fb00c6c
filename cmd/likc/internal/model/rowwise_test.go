package model

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/rowwise"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// chosen returns the models whose packages are compared with the values of eval: a few, or with LIKC_LONG=1 all models of likc and those of
// written, because compilers take seconds for each.
func chosen(t *testing.T, column string) []string {
	if os.Getenv("LIKC_LONG") == "" {
		return []string{"ddm", "full_ddm", "awkward", "operators", "ornstein", "lca3", "urgency", "wald"}
	}
	names := slices.Sorted(maps.Keys(written))
	for _, m := range allModels(t) {
		if m.Name != "lca4" && !slices.Contains(unrun[column], m.Name) { // lca4 has no likelihood
			names = append(names, m.Name)
		}
	}
	return names
}

// allModels returns the models of likc.
func allModels(t *testing.T) []*catalog.Model {
	t.Helper()
	all, err := modelsOf(nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// written holds the texts of models that do not come with likc.
var written = map[string]string{
	"psychometric": `model psychometric {
  trial rt positive   trial coh   choice c
  param k in [0, 40]   param e in [0.2, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 1]
  loglik = ddm(v = k*sign(coh)*abs(coh)^e, a = a, z = z, t = t)
}`,
	"leaning": `model leaning {
  trial rt positive   choice c
  param v in [-3, 3]   param a in [0.3, 2.5]   param lean in [-0.1, 0.1]   param t in [0.2, 1]   param sv in [0, 2]   param sz in [0, 0.4]
  state last = 0
  next { last = 0.6*last + 0.4*c }
  loglik = full_ddm(v, a, z = 0.5 + lean*last, t, sv, sz, st = 0.1)
}`,
	// This model has names that are also used in the printed languages or functions, and states that restart at different columns,
	// one of which is a trial column.
	"awkward": `model awkward {
  trial rt positive   trial double   trial func   choice grad
  param theta in [0.1, 0.9]   param d in [-3, 3]   param float64 in [0.3, 2.5]   param t0 in [0.1, 0.9]   param each in [0, 1]   param slopes0 in [-1, 1]
  state i = theta restart kind0, func   state data0 = d^2   state int = 1 restart double, n   state unused = 0 restart n
  next { i = data0   data0 = i   int = int*theta + abs(double)^slopes0 - each*i   unused = unused + 1 }
  support each < rt
  let density0 = ddm(v = d + int/8, a = float64, z = t0, t = each)
  loglik = logaddexp(log(theta) + density0, log(1 - theta) - 0.1*rt^2 + slopes0*i*grad/9)
}`,
	"operators": `model operators {
  trial rt positive   trial x   choice c
  param p in [0.1, 0.9]   param q in [-1, 1]   param t in [0, 0.5]
  state s = p
  next { s = sigmoid(s + q*x)/2 + min(p, rt)/9 + if(x < s and c <= 0 or q < x, tanh(s), sin(s))/4 }
  support t < rt
  let d = rt - t
  loglik = ddm(v = atan(x) + cbrt(s) + q, a = 0.5 + softplus(q), z = p, t)
    + (exp(-d) + log(p) + sqrt(d) + abs(q)^p + log1p(s*s) + expm1(q) + erf(x) + erfc(s) + normcdf(q*x) + sinh(s) + cosh(q) + cos(d) + logit(p)
    + logaddexp(q, s) + max(x, s) + sign(x)*q + log_normcdf(q - x) + log1mexp(-d) + lgamma(p + d) + digamma(1 + s*s) - square(x))/50
}`,
	"reflected": `model reflected {
  trial rt positive   choice c
  param m in [-1, 1]   param s in [0.2, 2]   param alpha in [0, 1]   param t in [0, 1]
  state last = 0 restart block
  next { last = alpha*c + (1 - alpha)*last }
  support t < rt
  lower { m = -m }
  loglik = -((rt - t - m - last)/s)^2 - log(s)
}`,
	"racing": `model racing {
  trial rt positive   choice c in {0, 1, 2}
  param v[c] in [0, 4]   param A in [0, 0.5]   param b in [0.5, 2]   param l in [0, 2]   param t in [0, 0.5]
  evidence x[k] after t { start uniform(0, A) drift v[k] upper A + b*exp(-l*tau) }
}`,
	"leaking": `model leaking {
  trial rt positive   trial order   choice c
  param v in [-3, 3]   param a in [0.5, 2]   param z in [0.2, 0.8]   param t in [0, 0.5]   param g in [-2, 3]   param k in [0, 2]
  evidence x after uniform(t, t + 0.2) { start uniform(a*(2*z - 1) - 0.1, a*(2*z - 1) + 0.1) drift v*if(order < 0, -1, 1) - g*x upper a/(1 + k*tau) lower -a*exp(-k*tau) }
}`,
	"coherent": `model coherent {
  trial rt positive   trial coh   trial late   choice c
  param k in [0, 5]   param a in [0.5, 2]   param z in [0.2, 0.8]   param t in [0, 0.5]   param l in [0, 1]
  evidence x after t + 0.1*abs(late)/(1 + abs(late)) { start a*(2*z - 1) drift k*coh upper a*exp(-l*tau) }
}`,
	"single": `model single {
  trial rt positive
  param v in [0.5, 4]   param b in [0.5, 2]   param t in [0, 0.5]   param l in [0, 2]
  evidence x after t { start 0 drift v upper b*exp(-l*tau) }
}`,
	"mixture": `model mixture {
  trial rt positive   choice c
  param p in [0.1, 0.9]   param v in [-3, 3]   param w in [-3, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 1]
  loglik = logaddexp(log(p) + ddm(v, a, z, t), log(1 - p) + angle(v = w, a, z, t, theta = 0.2))
}`}

// open opens a model: one of the texts in written, or a model that comes with likc.
func open(t *testing.T, name string) *catalog.Model {
	t.Helper()
	read, arg := catalog.Open, name
	if text, ok := written[name]; ok {
		read, arg = catalog.Parse, text
	}
	m, err := read(arg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sourceOf returns a model with its networks, if it has any.
func sourceOf(t *testing.T, m *catalog.Model) rowwise.Source {
	t.Helper()
	src, err := printable(m)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// farCases returns cases at n parameter vectors: within the ranges, outside the ranges, and outside the support.
func farCases(t *testing.T, m *catalog.Model, n int) []rowwise.Case {
	t.Helper()
	p, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(7, 7))
	var all []rowwise.Case
	trials, reaches := 40, []float64{0.5, 0.5, 0.5, 0.75, 1.5}
	if m.Origin.Kind == catalog.Numerical {
		trials = 10 // each may take milliseconds
	}
	terms := func(*emit.Case) {}
	if e, ok := m.Expression(); ok {
		trials = 12 // scripts have each in a line of its own
		terms = emit.Evaluator(e)
		if e.Normalise {
			reaches = reaches[:1] // beyond the ranges its integral is not known, as eval notes
		}
	}
	for len(all) < n {
		reach := reaches[len(all)%len(reaches)]
		c, err := caseAt(m, p, trials, func(low, high float64) float64 {
			if start := low == 0.1 && high == 0.9; start && len(all)%10 < 2 {
				return []float64{2e-4, 1 - 2e-4}[len(all)%10] // next to a boundary, where the series take another form
			}
			return (low+high)/2 + (high-low)*reach*(2*rng.Float64()-1)
		}, rng)
		if err != nil {
			t.Fatal(err)
		}
		whole := emit.Case{Theta: c.Theta, Columns: c.Columns, Choice: c.Choice}
		if terms(&whole); whole.Scale-whole.Scale == 0 {
			c.Scale = max(c.Scale, whole.Scale)
		}
		if within := reach <= 0.5; within && c.LogLik-c.LogLik != 0 && rng.Float64() < 0.95 {
			continue // most vectors within the ranges should have a finite value, so draw another
		}
		all = append(all, c)
	}
	return all
}

// TestTooManyDerivatives: a model with too many derivatives to print is refused with an error of one line.
func TestTooManyDerivatives(t *testing.T) {
	var text strings.Builder
	text.WriteString("model endless { trial rt positive choice c\n")
	var sum []string
	for k := range 40 {
		fmt.Fprintf(&text, "param p%d in [0, 1]\nstate s%d = p%d\n", k, k, k)
		sum = append(sum, fmt.Sprintf("s%d", k))
	}
	all := strings.Join(sum, " + ")
	text.WriteString("next {\n")
	for k := range 40 {
		fmt.Fprintf(&text, "s%d = p%d*(%s)\n", k, k, all)
	}
	fmt.Fprintf(&text, "}\nlower { }\nloglik = -rt*(%s)^2 }", all)
	m, err := catalog.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = rowwise.Go(rowwise.Source{Model: m.Model}, emit.Config{Package: "endless"}, make([]rowwise.Case, 1))
	if err == nil || !strings.Contains(err.Error(), "operations") {
		t.Errorf("error %v, want one that counts operations", err)
	}
}
