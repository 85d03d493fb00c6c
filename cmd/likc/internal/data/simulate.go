// Package data holds the commands that make trials: simulate and bank.
package data

import (
	"context"
	"errors"
	"fmt"
	"os"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/ssm"
	"likc/runtime/store"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// schemeFlags say how trials are simulated.
type schemeFlags struct {
	name string
	step float64
	cmd  *cobra.Command
}

func (f *schemeFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	cmd.Flags().StringVar(&f.name, "scheme", "", "exact (no time step) or euler (biased by its time step); default: exact where the model has it")
	cmd.Flags().Float64Var(&f.step, "dt", 0.001, "time step of the euler scheme, in seconds")
}

// scheme turns the flags into a scheme of the model.
func (f *schemeFlags) scheme(model string) (ssm.Scheme, error) {
	if f.name != "" {
		if err := cli.OneOf("--scheme", f.name, ssm.SchemeNames()...); err != nil {
			return ssm.Scheme{}, err
		}
	}
	m, err := ssm.Lookup(model)
	if err != nil {
		return ssm.Scheme{}, cli.Usage(err)
	}
	s, _, err := m.Scheme(f.name)
	if err != nil {
		return s, err
	}
	if s == ssm.ExactScheme() {
		if f.cmd.Flags().Changed("dt") {
			return s, cli.Usagef("--dt %v: the exact scheme has no time step; add --scheme euler", f.step)
		}
		return s, nil
	}
	if !(f.step >= 1e-5 && f.step <= 0.1) {
		return s, cli.Usagef("--dt %v: want seconds between 0.00001 and 0.1", f.step)
	}
	s.Step = f.step
	return s, nil
}

// readSimulator finds the simulator of MODEL.
func readSimulator(name string) (*ssm.Model, error) {
	m, err := ssm.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("%w (a likelihood expression has no simulator)", err)
	}
	return m, nil
}

// maxSimulated is the most trials that simulate keeps in memory.
const maxSimulated = 100_000_000

func NewSimulate() *cobra.Command {
	var (
		theta, file string
		n           int
		seed        uint64
		how         schemeFlags
	)
	cmd := &cobra.Command{
		Use:   "simulate MODEL --theta v=1,a=1.2,… -n N -o FILE",
		Short: "Trials from a model's simulator",
		Long: `Simulate writes trials, one a row: rt in seconds and choice, +1 at the upper boundary and -1 at the lower one. FILE is Parquet
where its name ends in .parquet, else CSV. The same seed gives the same bytes. MODEL is a process; likc models lists them. For
ddm and its kin noise is 1 and a is half the boundary separation.

Schemes:
  exact  no time step, no bias; for models that have such a sampler
  euler  Euler-Maruyama with ssm-simulators' conventions: at most 20 s; decisions come late, by 4 % at dt = 1 ms, a = 1`,
		Args: cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readSimulator(args[0])
			if err != nil {
				return err
			}
			at, err := readTheta(m, theta)
			if err != nil {
				return err
			}
			scheme, err := how.scheme(m.Name)
			if err != nil {
				return err
			}
			if err := cli.Within("-n", n, 1, maxSimulated); err != nil {
				return err
			}
			t, err := simulate(cmd.Context(), m, at, scheme, n, seed)
			if err != nil {
				return err
			}
			return writeTrials(file, t)
		},
	}
	f := cmd.Flags()
	f.StringVar(&theta, "theta", "", "`NAME=VALUE,…`: a value for every parameter (required)")
	f.IntVarP(&n, "trials", "n", 1000, "number of trials")
	f.Uint64Var(&seed, "seed", 1, "seed: the same one gives the same bytes")
	f.StringVarP(&file, "output", "o", "-", "`FILE`: CSV, or Parquet by its ending; - is standard output")
	how.add(cmd)
	return cmd
}

// readTheta reads the parameters to simulate at.
func readTheta(m *ssm.Model, theta string) ([]float64, error) {
	at, err := cli.ParseTheta(catalog.HeaderOf(m), theta)
	if err != nil {
		return nil, err
	}
	if err := m.Check(at); err != nil {
		return nil, cli.Usage(err)
	}
	if i := m.OnsetIndex(); i >= 0 && at[i] < 0 {
		return nil, cli.Usagef("--theta %s=%v: want 0 or more: response times are positive", m.Onset, at[i])
	}
	return at, nil
}

// simulate draws n trials.
func simulate(ctx context.Context, m *ssm.Model, theta []float64, scheme ssm.Scheme, n int, seed uint64) (*trials.Table, error) {
	rt, choice := make([]float64, n), make([]float64, n)
	err := m.SimulateContext(ctx, ssm.NewRand(seed, 0), theta, scheme, rt, choice)
	if ctx.Err() != nil {
		return nil, errors.New("simulate: interrupted, nothing is written; give the same command again")
	}
	return &trials.Table{Symbols: []string{ssm.ResponseTime}, Columns: [][]float64{rt}, ChoiceSymbol: ssm.Choice, Choice: choice}, err
}

// writeTrials writes trials, and names the file where that fails.
func writeTrials(file string, t *trials.Table) error {
	if file == "" {
		return cli.Usagef("-o: empty; name a file, or - for standard output")
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder; name a file in it", file)
	}
	err := trials.Write(file, t)
	if err != nil && file == "-" {
		return fmt.Errorf("standard output: %w", store.Cause(err))
	}
	return err
}
