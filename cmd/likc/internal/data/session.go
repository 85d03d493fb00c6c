package data

import (
	"math"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/stopsignal"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// signalFlags describe the stop signals in a session of the stop-signal task.
type signalFlags struct {
	Signals float64   `flag:"signals" in:"[0,1]" want:"a share from {in}" help:"stop_signal: share of trials with a signal"`
	Delays  []float64 `flag:"ssd" value:"S,…" list:"comma" most:"1000" in:"[0,100]" want:"seconds from {in}, between commas" help:"S,…: stop_signal: delays of the signal in seconds, drawn at random (default: a staircase)"`
}

// mostSession is the largest number of trials of a session.
const mostSession = 10_000_000

// simulateSession draws a session of the stop-signal task.
func (f *simulateFlags) simulateSession(cmd *cobra.Command, m *catalog.Model) (*trials.Table, error) {
	if name := cli.FirstGiven(cmd, "density", "scheme", "dt"); name != "" {
		return nil, cli.Usagef("--%s: sessions of %s have one simulator, which is exact; leave it out", name, m.Name)
	}
	if f.N > mostSession {
		return nil, cli.Usagef("-n %d: want 1 to %d", f.N, mostSession)
	}
	theta, err := cli.ParseTheta(m.Model, f.Theta)
	if err != nil {
		return nil, err
	}
	if err := stopsignal.Check(theta); err != nil {
		return nil, cli.Usagef("--theta: %v", err)
	}
	if share := f.Signals * float64(f.N); f.N > 1 && share > 0 && math.Round(share) == 0 {
		return nil, cli.Usagef("--signals %v: of %d trials none has a signal; want more, or 0", f.Signals, f.N)
	}
	d := stopsignal.Design{Trials: f.N, Signals: f.Signals, Delays: f.Delays}
	s, err := interrupt.Until(cmd.Context(), func() (stopsignal.Session, error) { return stopsignal.Simulate(ssm.NewRand(f.Seed, 0), theta, d), nil })
	if cmd.Context().Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	return &trials.Table{Symbols: m.Trials, Columns: [][]float64{s.RT, s.Delay}, ChoiceSymbol: ssm.Choice, Choice: s.Choice}, nil
}
