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
	prelude string // defines gradients(logpdf, cases)
}

// Differentiators are the modules that the printed code works with. Of each case, a list of trial columns and one of parameters, gradients returns
// the log densities, and the derivative of the sum of the finite ones in each parameter. jax is called once for the trials of all cases, each with
// parameters of its own, and for the first case with numbers: a call takes seconds for long code, and a compiled one minutes.
var Differentiators = []Differentiator{
	{"jax", `import itertools, jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
def gradients(logpdf, cases):
    sizes = [len(trials[0]) for trials, _ in cases]
    columns = [jnp.asarray(list(itertools.chain(*column))) for column in zip(*(trials for trials, _ in cases))]
    parameters = [jnp.repeat(jnp.asarray(x), jnp.asarray(sizes)) for x in zip(*(theta for _, theta in cases))]
    def total(parameters):
        value = logpdf(*columns, *parameters, xp=jnp)
        return jnp.where(jnp.isfinite(value), value, 0.0).sum(), value
    (_, value), slopes = jax.value_and_grad(total, has_aux=True)(parameters)
    ends = list(itertools.accumulate(sizes))
    results = [(value[end - n:end].tolist(), [x[end - n:end].sum().item() for x in slopes]) for n, end in zip(sizes, ends)]
    # The first case again, with numbers as parameters.
    columns, numbers = [jnp.asarray(x) for x in cases[0][0]], [jnp.asarray(x) for x in cases[0][1]]
    _, slopes = jax.value_and_grad(lambda p: jnp.where(jnp.isfinite(y := logpdf(*columns, *p, xp=jnp)), y, 0.0).sum())(numbers)
    results[0] = (logpdf(*columns, *numbers, xp=jnp).tolist(), [x.item() for x in slopes])
    return results
`},
	{"torch", `import torch
def gradients(logpdf, cases):
    for trials, theta in cases:
        theta = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in theta]
        value = logpdf(*(torch.tensor(x, dtype=torch.float64) for x in trials), *theta, xp=torch)
        zero = sum(0.0 * x for x in theta)
        slopes = torch.autograd.grad(torch.where(torch.isfinite(value), value, 0.0).sum() + zero, theta)
        yield value.tolist(), [x.tolist() for x in slopes]
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
	script := "import " + m.Name + "\nfor value, slope in gradients(" + m.Name + ".logpdf, [\n"
	for _, c := range cases {
		n := len(c.Columns)
		if c.Choice != nil {
			n++
		}
		args := strings.SplitAfterN(arguments(c, "[", "]", expr.Literal), "], ", n+1)
		script += "    ([" + strings.Join(args[:n], "") + "], [" + args[n] + "]),\n"
	}
	return script + "]):\n    for x in value + slope: print(x)\n"
}

// Run runs scripts in a folder that has the files, and returns the lines that they print.
func (d Differentiator) Run(dir, scripts string) ([]string, error) {
	return Interpreter{command: []string{python(), "-B"}}.Run(dir, d.prelude+scripts)
}
