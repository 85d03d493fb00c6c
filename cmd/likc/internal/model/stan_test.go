package model

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// stanBatch is the length of the code after which a program takes no further model: a C++ compiler translates each program.
const stanBatch = 100_000

// TestStanAgreesWithEval compares the log-likelihoods of printed Stan code, and the gradients that Stan computes of them, with eval. A program
// has many models, one of which its data name.
func TestStanAgreesWithEval(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("a C++ compiler needs minutes for Stan's programs: set LIKC_LONG=1")
	}
	if err := exec.Command("Rscript", "-e", "library(rstan)").Run(); err != nil {
		t.Skip("R has no rstan on this machine")
	}
	found := map[string]difference{}
	for _, batch := range inBatches(t, scripted(t, target(expr.Stan))) {
		lines := runStan(t, batch)
		for _, s := range batch {
			n := min((1+len(s.model.Params))*len(s.cases), len(lines))
			found[s.model.Name] = checkModel(t, s.model.Name, "stan", s.whole(t, lines[:n]), s.cases)
			lines = lines[n:]
		}
	}
	record(t, "stan", found)
}

// inBatches prints models in Stan, and divides them into batches. No name begins as those of Stan's own functions do, such as lognormal_lpdf.
func inBatches(t *testing.T, names []string) (batches [][]scriptedModel) {
	size := stanBatch
	for _, name := range names {
		if size >= stanBatch {
			batches, size = append(batches, nil), 0
		}
		s, last := newScripted(t, t.TempDir(), name, expr.Stan, "likc_"+name), len(batches)-1
		batches[last], size = append(batches[last], s), size+len(s.text)
	}
	return batches
}

// whole reads the log-likelihood and its derivatives of each case.
func (s scriptedModel) whole(t *testing.T, lines []string) (list []answer) {
	t.Helper()
	numbers, width := numbersOf(t, lines), 1+len(s.model.Params)
	for k := 0; len(numbers) > 0; k++ {
		if math.IsNaN(numbers[0]) && math.IsInf(s.cases[k].LogLik, -1) {
			numbers[0] = math.Inf(-1) // some trials are outside the support, and others undefined: Stan refuses both
		}
		list = append(list, answer(numbers[:width]).zeroSlopesNowhere())
		numbers = numbers[width:]
	}
	return list
}

// runStan compiles a program of the models without optimisation, and returns lines with the log-likelihood of each case and its derivatives.
func runStan(t *testing.T, models []scriptedModel) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"all.stan": stanProgram(models), "all.R": stanScript(models), "Makevars": "CXX14FLAGS = -O0\nCXX17FLAGS = -O0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("Rscript", "--vanilla", "all.R")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "R_MAKEVARS_USER="+filepath.Join(dir, "Makevars"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// stanProgram returns a program with the functions of all models, whose data has the number of a model, a column in each row of x, and the choices
// in the next one.
func stanProgram(models []scriptedModel) string {
	functions, sum := "", ""
	for k, s := range models {
		_, inner, _ := strings.Cut(s.text, "functions {\n")
		functions += strings.TrimSuffix(inner, "}\n")
		var args []string
		for j := range s.cases[0].Columns {
			args = append(args, fmt.Sprintf("x[%d]'", j+1))
		}
		if s.model.Choice != "" {
			args = append(args, fmt.Sprintf("x[%d]'", len(args)+1))
		}
		given := args[0] + " | " + strings.Join(args[1:], ", ")
		for j := range s.model.Params {
			if j > 0 || len(args) > 1 {
				given += ", "
			}
			given += fmt.Sprintf("theta[%d]", j+1)
		}
		sum += fmt.Sprintf("  if (k == %d) target += likc_%s_lpdf(%s);\n", k+1, s.model.Name, given)
	}
	return "functions {\n" + functions + "}\ndata { int k; int width; int n; int dim; matrix[width, n] x; }\nparameters { vector[dim] theta; }\nmodel {\n" + sum + "}\n"
}

// stanScript returns a script in R that evaluates the program at all cases.
func stanScript(models []scriptedModel) string {
	vector := func(xs []float64) string {
		var list []string
		for _, x := range xs {
			list = append(list, expr.Literal(x))
		}
		return "c(" + strings.Join(list, ", ") + ")"
	}
	script := `suppressMessages(library(rstan))
if (system.file("include", package = "BH") == "") rstan_options(boost_lib = "/usr/include")
program <- stan_model("all.stan")
evaluate <- function(k, theta, ...) {
  x <- rbind(...)
  fit <- suppressMessages(sampling(program, list(k = k, width = nrow(x), n = ncol(x), dim = length(theta), x = x), chains = 0))
  y <- tryCatch(log_prob(fit, theta, adjust_transform = FALSE, gradient = TRUE), error = function(undefined) structure(NaN, gradient = rep(NaN, length(theta))))
  cat(sprintf("%.17g\n", c(y, attr(y, "gradient"))), sep = "")
}
`
	for k, s := range models {
		for _, c := range s.cases {
			args := []string{fmt.Sprint(k + 1), vector(c.Theta)}
			for _, column := range append(append([][]float64{}, c.Columns...), c.Choice) {
				if column != nil {
					args = append(args, vector(column))
				}
			}
			script += "evaluate(" + strings.Join(args, ", ") + ")\n"
		}
	}
	return script
}
