package data

import (
	"context"
	"math"
	"strconv"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/stopsignal"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// signalFlags say what signals a session of the stop-signal task has.
type signalFlags struct {
	share  float64
	delays string
	list   []float64 // of delays
	cmd    *cobra.Command
}

func (f *signalFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	cmd.Flags().Float64Var(&f.share, "signals", stopsignal.UsualSignals, "stop_signal: share of trials with a signal")
	cmd.Flags().StringVar(&f.delays, "ssd", "", "`S,…`: stop_signal: delays of the signal in seconds, drawn at random (default: a staircase)")
}

// The longest delay, in seconds, how many a list may have, and how many trials a session.
const (
	mostDelay   = 100
	mostDelays  = 1000
	mostSession = 10_000_000
)

// check reads the flags, and refuses them for a model without signals.
func (f *signalFlags) check(m *catalog.Model) error {
	if _, session := m.Session(); !session {
		for _, name := range []string{"signals", "ssd"} {
			if f.cmd.Flags().Changed(name) {
				return cli.Usagef("--%s: %s has no stop signal; leave it out", name, m.Name)
			}
		}
		return nil
	}
	if !(f.share >= 0 && f.share <= 1) {
		return cli.Usagef("--signals %v: want a share from 0 to 1", f.share)
	}
	if f.delays == "" {
		return nil
	}
	words := strings.Split(f.delays, ",")
	if len(words) > mostDelays {
		return cli.Usagef("--ssd: %d delays; want %d at most", len(words), mostDelays)
	}
	for _, word := range words {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(x >= 0 && x <= mostDelay) {
			return cli.Usagef("--ssd %s: want seconds from 0 to %d, between commas", f.delays, mostDelay)
		}
		f.list = append(f.list, x)
	}
	return nil
}

// simulateSession draws a session of the stop-signal task.
func (f *simulateFlags) simulateSession(ctx context.Context, m *catalog.Model) (*trials.Table, error) {
	for _, name := range []string{"density", "scheme", "dt"} {
		if f.signals.cmd.Flags().Changed(name) {
			return nil, cli.Usagef("--%s: sessions of %s have one simulator, which is exact; leave it out", name, m.Name)
		}
	}
	if err := cli.Within("-n", f.n, 1, mostSession); err != nil {
		return nil, err
	}
	theta, err := cli.ParseTheta(m.Model, f.theta)
	if err != nil {
		return nil, err
	}
	if err := stopsignal.Check(theta); err != nil {
		return nil, cli.Usagef("--theta: %v", err)
	}
	if share := f.signals.share * float64(f.n); f.n > 1 && share > 0 && math.Round(share) == 0 {
		return nil, cli.Usagef("--signals %v: of %d trials none has a signal; want more, or 0", f.signals.share, f.n)
	}
	d := stopsignal.Design{Trials: f.n, Signals: f.signals.share, Delays: f.signals.list}
	s, err := interrupt.Until(ctx, func() (stopsignal.Session, error) { return stopsignal.Simulate(ssm.NewRand(f.seed, 0), theta, d), nil })
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	return &trials.Table{Symbols: m.Trials, Columns: [][]float64{s.RT, s.Delay}, ChoiceSymbol: ssm.Choice, Choice: s.Choice}, nil
}
