// Package data holds the commands that make trials: simulate and bank.
package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/engine"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
	"likc/runtime/num/notation"
	"likc/runtime/sys/interrupt"
	"likc/runtime/sys/store"

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
	cmd.Flags().StringVar(&f.name, "scheme", "", "exact (no time step), bridge (finds crossings between time steps) or euler (misses them); default: the first that the model has")
	cmd.Flags().Float64Var(&f.step, "dt", 0, "time step in seconds (default: bridge 0.01, at most; euler 0.001)")
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
			return s, cli.Usagef("--dt %v: the exact scheme has no time step; add --scheme bridge or --scheme euler", f.step)
		}
		return s, nil
	}
	if !f.cmd.Flags().Changed("dt") {
		return s, nil
	}
	if !(f.step >= 1e-5 && f.step <= 0.1) {
		return s, cli.Usagef("--dt %v: want seconds between 0.00001 and 0.1", f.step)
	}
	s.Step = f.step
	return s, nil
}

// maxSimulated is the most trials that simulate keeps in memory.
const maxSimulated = 100_000_000

func NewSimulate() *cobra.Command {
	f := &simulateFlags{}
	cmd := &cobra.Command{
		Use:   "simulate MODEL --theta v=1,a=1.2,… -n N -o FILE",
		Short: "Trials from a model's simulator, or from its density",
		Long: `Simulate writes trials, one a row, in the columns rt, in seconds, and choice: +1 at the upper boundary and -1 at the lower one, or
the number of the choice; a model of one response has no choice. FILE is Parquet where its name ends in .parquet, compressed CSV where
it ends in .csv.gz, else CSV. The same seed gives the same bytes. For ddm and its kin noise is 1 and a is half the boundary separation.

Trials come from the process that MODEL is, that its .lik file declares or that a teacher learnt. A model without one, or any
with --density, is simulated by its own density over time and choices, divided by its integral where that is not 1.

For stop_signal the trials are a session, with the column ssd, the delay of the signal in seconds: NA without a signal, as rt without a
response. --signals is the share of trials with a signal. Their delay follows a staircase: it begins at 0.25 s, goes up by 0.05 s after each
signal without a response, and down after each with one. --ssd draws it from a list instead.

Schemes:
  exact   no time step, no bias; for models that have such a sampler
  bridge  time steps, and a Brownian bridge between them that finds the crossings; at most 20 s. docs/models.md has its error
  euler   Euler-Maruyama with ssm-simulators' conventions: at most 20 s; decisions come late, by 4 % at dt = 1 ms, a = 1`,
		Args: cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.theta, "theta", "", "`NAME=VALUE,…`: a value for every parameter (required)")
	flags.IntVarP(&f.n, "trials", "n", 1000, "number of trials")
	flags.Uint64Var(&f.seed, "seed", 1, "seed: the same one gives the same bytes")
	flags.StringVarP(&f.file, "output", "o", "-", "`FILE`: .csv, .csv.gz or .parquet; - is standard output")
	flags.BoolVar(&f.density, "density", false, "draw from the model's density though it has a simulator")
	cli.AddForce(cmd)
	f.signals.add(cmd)
	f.how.add(cmd)
	return cmd
}

// simulateFlags say what to simulate, and where to.
type simulateFlags struct {
	theta, file string
	n           int
	seed        uint64
	density     bool
	how         schemeFlags
	signals     signalFlags
}

func (f *simulateFlags) run(cmd *cobra.Command, name string) error {
	if err := checkEnding(f.file); err != nil {
		return err
	}
	m, err := interrupt.Reading(func() (*catalog.Model, error) { return catalog.Open(name) })
	if errors.As(err, new(catalog.ChoiceError)) {
		return cli.Usage(err)
	}
	if err != nil {
		return err
	}
	columns := append([]string{m.Choice, catalog.Choice, "ssd"}, m.Trials...)
	if err := cli.CheckOutput(cmd, []string{name}, "--output", f.file, cli.WrittenTrials(columns...)); err != nil {
		return err
	}
	simulator, ok := m.Simulator()
	if err := cli.Within("-n", f.n, 1, maxSimulated); err != nil {
		return err
	}
	if err := f.signals.check(m); err != nil {
		return err
	}
	var t *trials.Table
	if _, session := m.Session(); session {
		t, err = f.simulateSession(cmd.Context(), m)
	} else if ok && !f.density {
		t, err = simulateProcess(cmd.Context(), m, simulator, f.theta, &f.how, f.n, f.seed, cmd.ErrOrStderr())
	} else {
		t, err = simulateDensity(cmd.Context(), m, f.theta, &f.how, f.n, f.seed, cmd.ErrOrStderr())
	}
	if err != nil {
		return err
	}
	return writeTrials(f.file, t)
}

// simulateProcess draws n trials from the process that simulates a model's data.
func simulateProcess(ctx context.Context, m *catalog.Model, s *catalog.Simulator, theta string, how *schemeFlags, n int, seed uint64, stderr io.Writer) (*trials.Table, error) {
	at, err := cli.ParseTheta(m.Model, theta)
	if err != nil {
		return nil, err
	}
	at = s.At(at)
	if err := s.Process.Check(at); err != nil {
		return nil, cli.Usage(err)
	}
	if i := s.Process.OnsetIndex(); i >= 0 && at[i] < 0 {
		return nil, cli.Usagef("--theta %s=%v: want 0 or more: response times are positive", s.Process.Onset, at[i])
	}
	if first := s.Process.Earliest(at); first < 0 {
		return nil, cli.Usagef("--theta: responses begin at %s - %s/2 = %v: want 0 or more: response times are positive", s.Process.Onsets.Middle, s.Process.Onsets.Width, first)
	}
	scheme, err := how.scheme(s.Process.Name)
	if err != nil {
		return nil, err
	}
	t, err := simulate(ctx, s.Process, at, scheme, n, seed)
	if err != nil {
		return nil, err
	}
	noteEnded(stderr, t, scheme)
	if m.Choice == "" {
		t.ChoiceSymbol, t.Choice = "", nil
	}
	return t, nil
}

// noteEnded says how many trials a scheme with time steps ended at its largest decision time.
func noteEnded(stderr io.Writer, t *trials.Table, scheme ssm.Scheme) {
	ended := 0
	for _, rt := range t.Columns[0] {
		if scheme.Step > 0 && rt >= scheme.MaxTime {
			ended++
		}
	}
	if ended > 0 {
		fmt.Fprintf(stderr, "likc: note: %d of %s took %v s or longer: the simulation ends a trial there, with the choice nearest to the evidence; "+
			"a fit with --max-rt %[3]v leaves them out\n", ended, notation.Count(len(t.Columns[0]), "trial"), scheme.MaxTime)
	}
}

// simulateDensity draws n trials from a model's own density, and says if that is not normalised.
func simulateDensity(ctx context.Context, m *catalog.Model, theta string, how *schemeFlags, n int, seed uint64, stderr io.Writer) (*trials.Table, error) {
	if how.name != "" || how.cmd.Flags().Changed("dt") {
		return nil, cli.Usagef("--scheme, --dt: trials are drawn from the density of %s, not along a process; leave them out", m.Name)
	}
	if err := m.Usable(); err != nil {
		return nil, err
	}
	at, err := cli.ParseTheta(m.Model, theta)
	if err != nil {
		return nil, err
	}
	binder, err := engine.Open(m, engine.Ready)
	if err != nil {
		return nil, err
	}
	defer binder.Close()
	over, err := binder.Timed(m)
	if err != nil {
		return nil, err
	}
	t := &trials.Table{Symbols: m.Trials, Columns: [][]float64{make([]float64, n)}}
	if m.Choice != "" {
		t.ChoiceSymbol, t.Choice = ssm.Choice, make([]float64, n)
	}
	mass, err := over.Mass(at)
	if err != nil {
		return nil, fmt.Errorf("%s at --theta %s: %w", m.Name, theta, err)
	}
	if math.Abs(mass-1) > engine.MassTolerance {
		fmt.Fprintf(stderr, "likc: note: the density of %s integrates to %.4g; the trials are of the density divided by that\n", m.Name, mass)
	}
	drawn, err := interrupt.Until(ctx, func() (*trials.Table, error) { // which may go on after an interrupt, and so t stays as it is
		return t, over.Simulate(ssm.NewRand(seed, 0), at, t.Columns[0], t.Choice)
	})
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	return drawn, err
}

var errInterrupted = errors.New("simulate: interrupted, nothing is written; give the same command again")

// simulate draws n trials.
func simulate(ctx context.Context, m *ssm.Model, theta []float64, scheme ssm.Scheme, n int, seed uint64) (*trials.Table, error) {
	rt, choice := make([]float64, n), make([]float64, n)
	err := m.SimulateContext(ctx, ssm.NewRand(seed, 0), theta, scheme, rt, choice)
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	return &trials.Table{Symbols: []string{ssm.ResponseTime}, Columns: [][]float64{rt}, ChoiceSymbol: ssm.Choice, Choice: choice}, err
}

// checkEnding refuses a file whose name promises what simulate does not write. Pipes and devices may have any name.
func checkEnding(file string) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	name := strings.ToLower(filepath.Base(file))
	switch filepath.Ext(strings.TrimSuffix(name, ".csv.gz")) {
	case "", ".csv", ".parquet":
		return nil
	}
	return cli.Usagef("-o %s: want a name that ends in .csv, .csv.gz or .parquet", file)
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
