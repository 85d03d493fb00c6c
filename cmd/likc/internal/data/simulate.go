// Package data holds the commands that make trials: simulate and bank.
package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/stopsignal"
	"likc/runtime/model/trials"
	"likc/runtime/num/notation"
	"likc/runtime/sys/interrupt"
	"likc/runtime/sys/store"

	"github.com/spf13/cobra"
)

// schemeFlags say how trials are simulated.
type schemeFlags struct {
	Scheme scheme  `flag:"scheme" help:"exact (no time step), bridge (finds crossings between time steps) or euler (misses them); default: the first that the model has"`
	Step   float64 `flag:"dt" in:"[1e-05,0.1]" want:"seconds between 0.00001 and 0.1" help:"time step in seconds (default: bridge 0.01, at most; euler 0.001)"`
}

// scheme is a name of a way to simulate.
type scheme string

// Choices lists all ways.
func (scheme) Choices() []string { return ssm.SchemeNames() }

// schemeOf returns the model's simulation scheme that the flags ask for.
func (f *schemeFlags) schemeOf(m *ssm.Model) (ssm.Scheme, error) {
	s, _, err := m.Scheme(string(f.Scheme))
	switch {
	case err != nil || f.Step == 0:
		return s, err
	case s.Outside:
		return s, cli.Usagef("--dt %v: a program draws the trials of %s; leave it out", f.Step, m.Name)
	case s.Step == 0:
		return s, cli.Usagef("--dt %v: the exact scheme has no time step; add --scheme bridge or --scheme euler", f.Step)
	}
	s.Step = f.Step
	return s, nil
}

// NewSimulate returns the command simulate.
func NewSimulate() *cobra.Command {
	return cli.Command(&simulateFlags{signalFlags: signalFlags{Signals: stopsignal.UsualSignals}}, &cobra.Command{
		Use:         "simulate MODEL --theta v=1,a=1.2,… -n N -o FILE",
		Annotations: cli.KeepsWork,
		Short:       "Trials from a model's simulator, or from its density",
		Example:     `  likc simulate ddm --theta v=1,a=1.2,z=0.45,t=0.3 -n 1000 -o trials.csv`,
		Long: `Write simulated trials, one per row, in the columns rt, in seconds, and choice: +1 at the upper boundary and -1 at the lower one, or
the number of the choice; a model of one response has no choice. FILE is Parquet where its name ends in .parquet, compressed CSV where
it ends in .csv.gz, else CSV. The same seed gives the same bytes. For ddm and its kin noise is 1 and a is half the boundary separation.

Trials come from the process that MODEL is, that its .lik file declares or that a teacher learnt. A model without one, or any
with --density, is simulated by its own density over time and choices, divided by its integral where that is not 1.

A model whose trials depend on columns, or on the trials before them, takes those from --data: a row of FILE is a trial, in order, and what is
written has its columns too. Choices change states and computed columns as the .lik file says.

A model with neither loglik nor evidence says nothing of its trials: --exec CMD names a program that draws them. CMD reads requests from
standard input, one a line, as {"n": 1000, "seed": 7, "theta": {"v": 1}}, and answers each with n lines rt,choice and an empty line. It is
started once for each thread. --exec-template python prints one to begin with.

For stop_signal the trials are a session, with the column ssd, the delay of the signal in seconds: NA without a signal, as rt without a
response. --signals is the share of trials with a signal. Their delay follows a staircase: it begins at 0.25 s, goes up by 0.05 s after each
signal without a response, and down after each with one. --ssd draws it from a list instead.

Schemes:
  exact   no time step, no bias; for models that have such a sampler
  bridge  time steps, and a Brownian bridge between them that finds the crossings; at most 20 s. docs/evidence/simulators.md has its error
  euler   Euler-Maruyama with ssm-simulators' conventions: at most 20 s; decisions come late, by 4 % at dt = 1 ms, a = 1`,
		Args: cli.Exactly("MODEL"),
	})
}

// simulateFlags name the model, the numbers of trials and the output of a simulation.
type simulateFlags struct {
	Theta   string `flag:"theta" value:"NAME=VALUE,…" help:"NAME=VALUE,…: a value for every parameter (required)"`
	N       int    `flag:"trials,n" called:"-n" default:"1000" in:"[1,100000000]" help:"number of trials"`
	Seed    uint64 `flag:"seed" default:"1" help:"seed: the same one gives the same bytes"`
	File    string `flag:"output,o" default:"-" value:"FILE" help:"FILE: .csv, .csv.gz or .parquet; - is standard output"`
	Density bool   `flag:"density" help:"draw from the model's density though it has a simulator"`

	Template language `flag:"exec-template" value:"LANGUAGE" help:"print the beginning of a program for --exec in LANGUAGE: {choices}"`
	cli.ForceFlag
	cli.ColumnFlags
	signalFlags
	schemeFlags
	cli.ExecFlags
}

// Run simulates trials and writes them.
func (f *simulateFlags) Run(cmd *cobra.Command, args []string) error {
	if f.Template != "" {
		return writeTemplate(cmd.OutOrStdout(), f.Template, args[0])
	}
	if err := checkEnding(f.File); err != nil {
		return err
	}
	m, err := interrupt.WhileReading(func() (*catalog.Model, error) { return catalog.Open(args[0]) })
	if errors.As(err, new(catalog.ChoiceError)) {
		return cli.Usage(err)
	}
	if err != nil {
		return err
	}
	columns := append([]string{m.Choice, catalog.Choice, "ssd"}, m.Trials...)
	if err := cli.CheckOutput(cmd, args, "--output", f.File, cli.WrittenTrials(columns...)); err != nil {
		return err
	}
	simulator, ok := m.Simulator()
	sequence, dependent := m.Sequence()
	_, session := m.Session()
	if name := cli.FirstGiven(cmd, "data", "subject"); name != "" && (!dependent || f.Density) {
		return cli.Usagef("--%s: trials of %s depend on no columns; leave it out", name, m.Name)
	}
	if name := cli.FirstGiven(cmd, "signals", "ssd"); name != "" && !session {
		return cli.Usagef("--%s: %s has no stop signal; leave it out", name, m.Name)
	}
	var t *trials.Table
	switch {
	case session:
		t, err = f.simulateSession(cmd, m)
	case dependent && f.Data == "":
		return cli.NeedsColumns(m, sequence)
	case dependent:
		t, err = f.simulateSequence(cmd, m, sequence)
	case ok && !f.Density:
		return f.simulateProcess(cmd.Context(), m, simulator, cmd.ErrOrStderr())
	default:
		t, err = f.simulateDensity(cmd.Context(), m, cmd.ErrOrStderr())
	}
	if err != nil {
		return err
	}
	return writeTrials(f.File, trials.Whole(t))
}

// simulateProcess draws trials from the process that simulates a model's data, and writes them.
func (f *simulateFlags) simulateProcess(ctx context.Context, m *catalog.Model, s *catalog.Simulator, stderr io.Writer) error {
	theta, scheme, err := f.pointOf(m, s)
	if err != nil {
		return err
	}
	ended, failed := 0, error(nil)
	err = writeTrials(f.File, func(yield func(*trials.Table, error) bool) {
		r := ssm.NewRand(f.Seed, 0)
		for left := f.N; left > 0; left -= blockTrials {
			t, err := simulate(ctx, s.Process, theta, scheme, min(left, blockTrials), r)
			if failed = err; err != nil {
				yield(nil, err)
				return
			}
			ended += countEnded(t, scheme)
			if m.Choice == "" {
				t.ChoiceSymbol, t.Choice = "", nil
			}
			if !yield(t, nil) {
				return
			}
		}
	})
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	noteEnded(stderr, ended, f.N, scheme)
	return nil
}

// blockTrials is the largest number of trials that are kept in memory until they are written.
const blockTrials = 1 << 20

// pointOf returns the parameters of a process, and the scheme by which it is simulated.
func (f *simulateFlags) pointOf(m *catalog.Model, s *catalog.Simulator) ([]float64, ssm.Scheme, error) {
	none := ssm.Scheme{}
	theta, err := cli.ParseTheta(m.Model, f.Theta)
	if err != nil {
		return nil, none, err
	}
	theta = s.At(theta)
	if err := s.Process.Check(theta); err != nil {
		return nil, none, cli.Usage(err)
	}
	if i := s.Process.OnsetIndex(); i >= 0 && theta[i] < 0 {
		return nil, none, cli.Usagef("--theta %s=%v: want 0 or more: response times are positive", s.Process.Onset, theta[i])
	}
	if first := s.Process.Earliest(theta); first < 0 {
		return nil, none, cli.Usagef("--theta: responses begin at %s - %s/2 = %v: want 0 or more: response times are positive", s.Process.Onsets.Middle, s.Process.Onsets.Width, first)
	}
	scheme, err := f.schemeOf(s.Process)
	return theta, scheme, err
}

// countEnded counts the trials that a scheme with time steps ended at its largest decision time.
func countEnded(t *trials.Table, scheme ssm.Scheme) (n int) {
	for _, rt := range t.Columns[0] {
		if scheme.Step > 0 && rt >= scheme.MaxTime {
			n++
		}
	}
	return n
}

// noteEnded says how many of n trials the scheme ended at its largest decision time.
func noteEnded(stderr io.Writer, ended, n int, scheme ssm.Scheme) {
	if ended > 0 {
		fmt.Fprintf(stderr, "likc: note: %d of %s took %v s or longer: the simulation ends a trial there, with the choice nearest to the evidence; "+
			"a fit with --max-rt %[3]v leaves them out\n", ended, notation.Count(n, "trial"), scheme.MaxTime)
	}
}

// simulateDensity draws trials from a model's own density, and says if that is not normalised.
func (f *simulateFlags) simulateDensity(ctx context.Context, m *catalog.Model, stderr io.Writer) (*trials.Table, error) {
	if f.Scheme != "" || f.Step != 0 {
		return nil, cli.Usagef("--scheme, --dt: trials are drawn from the density of %s, not along a process; leave them out", m.Name)
	}
	if err := m.Usable(); err != nil {
		return nil, err
	}
	theta, err := cli.ParseTheta(m.Model, f.Theta)
	if err != nil {
		return nil, err
	}
	binder, err := bound.Open(m, bound.Ready)
	if err != nil {
		return nil, err
	}
	defer binder.Close()
	over, err := binder.Timed()
	if err != nil {
		return nil, err
	}
	t := &trials.Table{Symbols: m.Trials, Columns: [][]float64{make([]float64, f.N)}}
	if m.Choice != "" {
		t.ChoiceSymbol, t.Choice = ssm.Choice, make([]float64, f.N)
	}
	mass, err := over.Mass(theta)
	if err != nil {
		return nil, fmt.Errorf("%s at --theta %s: %w", m.Name, f.Theta, err)
	}
	if math.Abs(mass-1) > bound.MassTolerance {
		fmt.Fprintf(stderr, "likc: note: the density of %s integrates to %.4g; the trials are of the density divided by that\n", m.Name, mass)
	}
	drawn, err := interrupt.Until(ctx, func() (*trials.Table, error) { // after an interrupt this function may still be running, so it must not change t
		return t, over.Simulate(ssm.NewRand(f.Seed, 0), theta, t.Columns[0], t.Choice)
	})
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	return drawn, err
}

var errInterrupted = errors.New("simulate: interrupted, no file is written; give the same command again")

// simulate draws n trials.
func simulate(ctx context.Context, m *ssm.Model, theta []float64, scheme ssm.Scheme, n int, r *rand.Rand) (*trials.Table, error) {
	rt, choice := make([]float64, n), make([]float64, n)
	err := m.SimulateContext(ctx, r, theta, scheme, rt, choice)
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

// writeTrials writes trials to a file. An error names the file.
func writeTrials(file string, blocks trials.Blocks) error {
	if file == "" {
		return cli.Usagef("-o: empty; name a file, or - for standard output")
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder; name a file in it", file)
	}
	err := trials.Write(file, blocks)
	if err != nil && file == "-" {
		return fmt.Errorf("standard output: %w", store.Cause(err))
	}
	return err
}
