package csrc_test

import (
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
	"likc/testdata"
)

// header declares the diffusion model's symbols.
const header = `
  trial  rt
  choice c
  param  v in [-3, 3]
  param  a in [0.3, 2.5]
  param  z in [0.1, 0.9]
  param  t in [0, 2]
  support t < rt
  lower  { v = -v   z = 1 - z }`

// texts are models that exercise every part of the printer, in addition to the built-in ones.
var texts = map[string]string{
	"guarded": header + `
  support t + 0.01*a < rt*(1 + 0.1*z)
  support -5 < v*exp(-rt*a)
  loglik = -z*(rt - t)/a - v^2/(a*rt + t)/(rt - t*z)`,
	"locals": header + `
  loglik = log(normcdf((rt - t)/a)) - softplus(v*rt) + min(z, rt*v) - max(a, rt) + logaddexp(v, a*rt) + logit(sigmoid(z*rt)) - abs(rt*v - z)`,
	"ranges": `
  trial x
  param a in [0.5, 2]
  param b in [0, 1]
  loglik = a*x/(b + x) - a^2`,
	"logs": `
  trial x
  param a in [0.5, 2]
  param b in [0, 1]
  loglik = -a*log(b + x) - a^2`,
	"nowhere": `
  trial rt
  param a in [0.1, 9]
  param b in [1, 2]
  loglik = log(max(a - rt, 0)) + b*rt`,
	"derived": `
  trial x
  trial y
  trial unused
  param m in [-2, 2]
  param s in [0.1, 3]
  param idle in [0, 1]
  loglik = -log(s) - (log(x^2 + 1) - m*y)^2/(2*s^2) - exp(m*sin(x*y)/(1 + s))`,
	"integrals": `
  trial x
  trial y
  param m in [-1, 1]
  param s in [0.5, 2]
  let norm = integral(u in [-infinity, infinity]: exp(-u^2/(2*s^2) - (u - m)^2/8))
  let bump = integral(u in [m, m + s, m + 3*s]: exp(-(u - x)^2/(2 + s)))
  let decay = integral(u in [0, 1]: exp(-u*y^2/9))
  loglik = -(x - m)^2/(2*s^2) - log(norm) + log(bump) + s*log(decay)`,
	"wholeBlocks": `
  trial rt positive
  choice c
  param a in [0.5, 2]
  param t in [0, 0.2]
  support t < rt
  lower { a = 2.5 - a }
  loglik = log(integral(u in [0, rt - t]: sqrt(u)*exp(-a*u)))`, // the rule has 64 nodes, a multiple of a vector's lanes; gcc must not warn of the loop over the remaining nodes, which are none
	"equalEnds": `
  trial rt
  param a in [0.3, 0.9]
  let end = max(a, rt)
  let none = integral(u in [0, 1]: 0) + integral(u in [1, 1]: u*a)
  loglik = log(1e-25 + integral(u in [a, end]: exp(-u*a))) - a + none`, // where rt <= a the integral is exactly 0, fused multiply-add or not, so the logarithm is that of 1e-25
	"constantsMeet": `
  trial rt positive
  param a in [0.3, 0.9]
  loglik = -a*rt + integral(u in [min(rt, 1), rt]: u*(2 + a/5/1.25))`, // a is multiplied by a folded number, which is printed in the loop and is no argument of it
	"hostile": `
  trial rt
  trial int
  trial RT
  trial restrict
  trial data
  choice theta
  param exp_ in [0.2, 1]
  param gamma in [0.2, 1]
  param y0 in [0.2, 1]
  param j1 in [0.2, 1]
  param I in [0.2, 1]
  param main in [0.2, 1]
  param NULL in [0.2, 1]
  param INFINITY in [0.2, 1]
  param grad in [0.2, 1]
  param d in [0.2, 1]
  param s0 in [0.2, 1]
  param r0 in [0.2, 1]
  param t0 in [0.2, 1]
  param t1_a in [0.2, 1]
  param _ in [0.2, 1]
  param __LINE__ in [0.2, 1]
  param linux in [0.2, 1]
  param double in [0.2, 1]
  param lanes in [0.2, 1]
  param total in [0.2, 1]
  param i in [0.2, 1]
  param j in [0.2, 1]
  param guard in [0.2, 1]
  param out in [0.2, 1]
  param n in [0.2, 1]
  param free in [0.2, 1]
  param error in [0.2, 1]
  support main*0.1 < rt
  lower { d = -d }
  let sums = rt + main
  let size_t = int*I - j1*rt
  let sum_rt = RT*grad
  loglik = -(sums/(rt + main*j1)) - gamma*d*rt - size_t^2*exp_ - exp(sum_rt*s0/(t0 + rt*t1_a)) - _*y0^2*RT - NULL*INFINITY/rt
    - __LINE__/(rt + linux*double) + lanes*total*i*j*rt - guard*out*n*exp(-free*rt*restrict*data) - error*rt`,
}

// read resolves one of texts or a built-in model.
func read(t testing.TB, name string) (*expr.Model, string) {
	t.Helper()
	text, ok := testdata.Model(name)
	if !ok {
		text = "model " + name + " {" + texts[name] + "\n}\n"
	}
	models, err := syntax.Read(name+".lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0], text
}

// kept holds what emitted has printed already, by model and package.
var kept sync.Map

type emission struct {
	unit  *compiler.Unit
	files []emit.File
}

// emitted prints a model as emittedAnew does, once for all tests.
func emitted(t testing.TB, name, pkg string) (*compiler.Unit, []emit.File) {
	t.Helper()
	key := [2]string{name, pkg}
	if e, ok := kept.Load(key); ok {
		return e.(emission).unit, slices.Clone(e.(emission).files)
	}
	u, files := emittedAnew(t, name, pkg)
	kept.Store(key, emission{u, files})
	return u, slices.Clone(files)
}

// emittedAnew compiles a model and prints it as C, with integrals as loops. Its test cases come from emit.MakeCases and from
// interpreted; the latter are computed from the same model with its integrals written out as sums, as likc itself runs it.
func emittedAnew(t testing.TB, name, pkg string) (*compiler.Unit, []emit.File) {
	t.Helper()
	m, text := read(t, name)
	engines, err := compiler.Compile(m, compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := compiler.Compile(m, compiler.Options{Loops: true})
	if err != nil {
		t.Fatal(err)
	}
	files, err := csrc.Emitter{}.Emit(u.Program, emit.Config{
		Package: pkg, Source: name + ".lik", Model: m, Text: text, Simplified: u.SimplifiedText(), Hash: "0123456789abcdef",
		Cases: append(emit.MakeCases(m, 1), interpreted(t, engines)...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return u, files
}

// interpreted makes cases whose numbers of trials lie just below, at and above one and two blocks of a loop, and one of many trials. The interpreter
// of programs computes their values.
func interpreted(t testing.TB, u *compiler.Unit) []emit.Case {
	t.Helper()
	base := emit.MakeCases(u.Model, 1)
	var cases []emit.Case
	for _, n := range []int{2, 31, 32, 33, 64, 65, 97, 1000} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		c := emit.Case{Theta: base[n%len(base)].Theta}
		c.Columns, c.Choice = emit.SimulateTrials(u.Model, n, rng)
		b, err := ir.Bind(u.Program, c.Columns, c.Choice)
		if err != nil {
			t.Fatal(err)
		}
		c.Grad = make([]float64, len(c.Theta))
		c.LogLik = b.LogLikGrad(c.Theta, c.Grad)
		c.Scale = b.Scale(c.Theta)
		if !math.IsNaN(c.LogLik) && !math.IsInf(c.Scale, 0) && !math.IsNaN(c.Scale) {
			cases = append(cases, c)
		}
	}
	return cases
}

// allModels lists the built-in models and the texts, except nowhere, which has its own test.
func allModels() []string {
	names := testdata.ModelNames()
	if os.Getenv("LIKC_LONG") == "" { // tests one size of each race, because gcc needs half a minute for rdm3, and two of the paper's seven expressions
		names = slices.DeleteFunc(names, regexp.MustCompile(`^(lnr[24]|lba[34]|rdm[34]|expr[1345]|expr5a)$`).MatchString)
	}
	return append(names, "guarded", "ranges", "logs", "locals", "derived", "integrals", "wholeBlocks", "equalEnds", "constantsMeet", "hostile")
}
