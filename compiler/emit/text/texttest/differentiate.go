package texttest

import (
	"fmt"
	"os/exec"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/expr"
)

// Differentiator is a Python module that differentiates the printed code.
type Differentiator struct {
	Module  string
	prelude string // defines gradient(logpdf, trials, theta)
}

// Differentiators are the modules that the printed code works with. Of each, gradient returns the log densities, and the derivative of the
// sum of the finite ones in each parameter.
var Differentiators = []Differentiator{
	{"jax", `import functools, jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
@functools.cache
def differentiated(logpdf):
    def total(theta, trials):
        value = logpdf(*trials, *theta, xp=jnp)
        return jnp.where(jnp.isfinite(value), value, 0.0).sum(), value
    return jax.jit(jax.value_and_grad(total, has_aux=True))
def gradient(logpdf, trials, theta):
    (_, value), slopes = differentiated(logpdf)([jnp.asarray(x) for x in theta], [jnp.asarray(x) for x in trials])
    return value.tolist(), [x.tolist() for x in slopes]
`},
	{"torch", `import math, torch
def gradient(logpdf, trials, theta):
    theta = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in theta]
    value = logpdf(*(torch.tensor(x, dtype=torch.float64) for x in trials), *theta, xp=torch)
    zero = sum(0.0 * x for x in theta)
    return value.tolist(), [x.tolist() for x in torch.autograd.grad(torch.where(torch.isfinite(value), value, 0.0).sum() + zero, theta)]
`},
}

// Missing returns an error if Python has no such module.
func (d Differentiator) Missing() error {
	if err := exec.Command(python(), "-c", "import "+d.Module).Run(); err != nil {
		return fmt.Errorf("%s has no module %s: set LIKC_PYTHON to one that has", python(), d.Module)
	}
	return nil
}

// Script prints, for each case, the log density of every trial, and then the derivatives of the sum of the finite ones, one number for each line.
func (d Differentiator) Script(m *expr.Model, cases []emit.Case) string {
	script := "import " + m.Name + "\n"
	for _, c := range cases {
		n := len(c.Columns)
		if c.Choice != nil {
			n++
		}
		args := strings.SplitAfterN(arguments(c, "[", "]", expr.Literal), "], ", n+1)
		script += fmt.Sprintf("value, slope = gradient(%s.logpdf, [%s], [%s])\nfor x in value + slope: print(x)\n", m.Name, strings.Join(args[:n], ""), args[n])
	}
	return script
}

// Run runs scripts in a folder that has the files, and returns the lines that they print.
func (d Differentiator) Run(dir, scripts string) ([]string, error) {
	return Interpreter{command: []string{python(), "-B"}}.Run(dir, d.prelude+scripts)
}
