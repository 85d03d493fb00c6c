package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"

	"github.com/spf13/cobra"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	cli.DataFlags `title:"Data" but:"pool.drop=true"`
	Theta         string     `flag:"theta" value:"NAME=VALUE,…" help:"NAME=VALUE,…: a value for every parameter (required)"`
	Engine        cli.Engine `flag:"engine" help:"tree, ir, bound or go (default: the fastest that is ready)"`
	PerTrial      string     `flag:"per-trial" value:"FILE" writes:"densities" help:"write one log density a row to this CSV FILE"`
	JSON          bool       `flag:"json" help:"print JSON"`
}

// NewEval returns the command eval.
func NewEval() *cobra.Command {
	return cli.Command(&evalFlags{}, &cobra.Command{
		Use:     "eval MODEL --data DATA --theta v=1,a=1.2,…",
		Short:   "Summed log-likelihood and gradient of a model on data",
		Example: `  likc eval ddm --theta v=1,a=1.2,z=0.45,t=0.3 --data trials.csv`,
		Long: `Print the summed log-likelihood and its gradient at theta, which may lie outside the declared ranges. A note
on standard error names a value at which the model is not what it says: beyond the ranges of a teacher, say.

Engines:
  tree   the model as written, trial by trial: slow, and the reference for the others
  ir     the compiled program, interpreted
  go     the compiled Go package: linked in for the built-in models, else built on the fly
  bound  the same with every sum that depends on one parameter served from a table`,
		Args: cli.Exactly("MODEL"),
	})
}

// Run evaluates the model and prints the values.
func (f *evalFlags) Run(cmd *cobra.Command, args []string) error {
	src, err := cli.ReadModel(args[0])
	if err != nil {
		return err
	}
	theta, err := cli.ParseTheta(src.Model, f.Theta)
	if err != nil {
		return err
	}
	table, err := f.Read(src, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	r, err := evaluate(string(f.Engine), src, table, theta)
	if err != nil {
		return err
	}
	if err := explain(cmd.ErrOrStderr(), src, table, theta, r.LogLik); err != nil {
		return err
	}
	if f.PerTrial != "" {
		if err := writePerTrial(f.PerTrial, src, table, theta); err != nil {
			return err
		}
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	r.print(cmd.OutOrStdout())
	return nil
}

// evaluate binds the trials and evaluates once.
func evaluate(name string, src *catalog.Model, table *trials.Table, theta []float64) (result, error) {
	r := result{Model: src.Name, N: table.N(), params: src.ParamNames(), Gradient: make([]float64, len(theta))}
	b, err := cli.OpenEngine(src, name, bound.Ready)
	if err != nil {
		return r, err
	}
	defer b.Close()
	lik, err := b.Bind(bindable(table), bound.Design{})
	if err != nil {
		return r, err
	}
	r.LogLik = lik.LogLikGrad(theta, r.Gradient)
	return r, b.Err()
}

// bindable returns the trials of a table in the form in which a likelihood binds them.
func bindable(t *trials.Table) kernel.Trials {
	return kernel.Trials{Columns: t.Columns, Choice: t.Choice, Person: t.Person}
}

// result is a log-likelihood with its gradient.
type result struct {
	Model    string
	N        int
	LogLik   float64
	Gradient []float64
	params   []string
}

// MarshalJSON writes the contract's fields, parameters in the model's order.
func (r result) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	name, err := json.Marshal(r.Model)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, `{"model":%s,"n":%d,"loglik":%s,"gradient":{`, name, r.N, number(r.LogLik))
	for i, p := range r.params {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", p, number(r.Gradient[i]))
	}
	b.WriteString("}}")
	return b.Bytes(), nil
}

// number writes a float64 as JSON; what JSON cannot write becomes a string.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return `"NaN"`
	case math.IsInf(x, 1):
		return `"Inf"`
	case math.IsInf(x, -1):
		return `"-Inf"`
	}
	b, _ := json.Marshal(x)
	return string(b)
}

// print prints the log-likelihood and the gradient.
func (r result) print(w io.Writer) {
	fmt.Fprintf(w, "%-10s %s\n%-10s %d\n%-10s %.15g\n", "model", r.Model, "trials", r.N, "loglik", r.LogLik)
	for i, p := range r.params {
		fmt.Fprintf(w, "%-10s %.15g\n", "d/d"+p, r.Gradient[i])
	}
}
