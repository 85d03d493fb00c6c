package gosrc_test

import (
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/syntax"
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
  lower  { v = -v   z = 1 - z }
`

// texts are models that exercise every part of the printer.
var texts = map[string]string{
	"expr2": header + `
  let tau = rt - t
  let D   = a^2 * exp(-2*z)
  loglik = (a - tau*((D/tau - v)^2 + exp(z^2))) / a`,
	"streaming": header + `
  let tau = rt - t
  loglik = log(a) - 1.5*log(tau) - exp(-v*tau) - (a - v*tau)^2/(2*tau) - z^2`,
	"counted": header + `
  loglik = (v - a)^2 * log(sqrt(z)) - log(rt - t) - (z + z)`, // 2·N for one trial of the lower boundary is a product of numbers
	"covariate": `
  trial rt
  trial theta
  choice c
  param b0 in [-3, 3]
  param b1 in [-1, 1]
  param a in [0.3, 2.5]
  param t in [0, 2]
  support t < rt
  lower { b0 = -b0  b1 = -b1 }
  let v = b0 + b1*theta
  let tau = rt - t
  loglik = log(a) - 1.5*log(tau) - (a - v*tau)^2/(2*tau)`,
	"derived": `
  trial x
  trial y
  param m in [-2, 2]
  param s in [0.1, 3]
  loglik = -log(s) - (log(x^2 + 1) - m*y)^2/(2*s^2) - exp(m*sin(x*y)/(1 + s))`,
	"guarded": header + `
  support t + 0.01*a < rt*(1 + 0.1*z)
  support -5 < v*exp(-rt*a)
  loglik = -z*(rt - t)/a - v^2/(a*rt + t)/(rt - t*z)`,
	"statistics": `
  trial x
  param m in [-2, 2]
  param s in [0.1, 3]
  loglik = -log(s) - (x - m)^2/(2*s^2)`,
	"locals": header + `
  loglik = log(normcdf((rt - t)/a)) - softplus(v*rt) + min(z, rt*v) - max(a, rt) + logaddexp(v, a*rt) + logit(sigmoid(z*rt)) - abs(rt*v - z)`,
	"reciprocal": `
  trial x
  param m in [-1, 1]
  param s in [0.5, 2]
  loglik = s/(x - m)`,
	"integrals": `
  trial x
  trial y
  param m in [-1, 1]
  param s in [0.5, 2]
  let norm = integral(u in [-infinity, infinity]: exp(-u^2/(2*s^2) - (u - m)^2/8))
  let bump = integral(u in [m, m + s, m + 3*s]: exp(-(u - x)^2/(2 + s)))
  let decay = integral(u in [0, 1]: exp(-u*y^2/9))
  loglik = -(x - m)^2/(2*s^2) - log(norm) + log(bump) + s*log(decay)`,
	"alone": `
  trial rt
  param a in [0.5, 2]
  loglik = -a*rt + log(integral(u in [0, 1]: exp(-u*rt))) + rt*a*log(integral(u in [0, 1]: exp(-u^2)))`, // of one parameter, on which no integral depends
	"hostile": `
  trial rt
  trial string
  trial RT
  choice theta
  param func_ in [0.2, 1]
  param math in [0.2, 1]
  param len in [0.2, 1]
  param Data in [0.2, 1]
  param d in [0.2, 1]
  param D in [0.2, 1]
  param grad in [0.2, 1]
  param s0 in [0.2, 1]
  param t0 in [0.2, 1]
  param t0A in [0.2, 1]
  param _ in [0.2, 1]
  param spread in [0.2, 1]
  param float64 in [0.2, 1]
  param nil in [0.2, 1]
  support math*0.1 < rt
  lower { d = -d }
  let n = rt + math
  let clear = string*D - len*rt
  let sumRt = RT*grad
  loglik = -(n/(rt + math*len)) - Data*d*rt - clear^2*func_ - exp(sumRt*s0/(t0 + rt*t0A)) - _*spread^2*RT - float64*nil/rt`,
}

// read resolves one of texts.
func read(t testing.TB, name string) *expr.Model {
	t.Helper()
	models, err := syntax.Read(name+".lik", strings.NewReader("model "+name+" {"+texts[name]+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// config returns the configuration of an emitted package, as the command likc would make it.
func config(u *compiler.Unit) emit.Config {
	return emit.Config{
		Package:    "p" + u.Model.Name,
		Model:      u.Model,
		Simplified: u.SimplifiedText(),
		Hash:       "0123456789abcdef",
		Text:       syntax.Format(u.Model),
		Cases:      emit.MakeCases(u.Model, 1),
	}
}

func compile(t testing.TB, m *expr.Model) *compiler.Unit {
	t.Helper()
	u, err := compiler.Compile(m, compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return u
}
