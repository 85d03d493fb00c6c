package fit

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/fit"
	"likc/runtime/lapse"
	"likc/runtime/posterior"

	"github.com/spf13/cobra"
)

// outlierFlags say what is done about trials that the model does not describe.
type outlierFlags struct {
	lapse, window string

	mixture *lapse.Mixture // nil without --lapse
	low     float64
	high    float64 // NaN: the largest response time
}

func (f *outlierFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.lapse, "lapse", "", "`P|PRIOR`: probability of a lapse, fixed (0.05) or estimated ('beta(1,20)')")
	flags.StringVar(&f.window, "lapse-window", "", "`LOW,HIGH`: where response times of lapses are uniform, in seconds (default: 0 to the largest one of the data)")
}

// mix returns the model with lapses, and adds to spec what --lapse says of their probability. Without --lapse it returns the model.
// done releases what the mixture needs.
func (f *outlierFlags) mix(m *catalog.Model, spec *specFlags) (mixed *catalog.Model, done func(), err error) {
	none := func() {}
	if err := f.readWindow(); err != nil || f.lapse == "" {
		return m, none, err
	}
	p, fixed := strconv.ParseFloat(f.lapse, 64)
	switch {
	case fixed == nil && !(p > 0 && p < 1):
		return m, none, cli.Usagef("--lapse %s: want a probability between 0 and 1, or a prior such as beta(1,20)", f.lapse)
	case fixed == nil:
		spec.fixed = append(spec.fixed, lapse.Param+"="+f.lapse)
	default:
		if _, err := posterior.ParsePrior(f.lapse); err != nil {
			return m, none, cli.Usagef("--lapse %s: want a probability between 0 and 1, or a prior such as beta(1,20): %w", f.lapse, err)
		}
		spec.priors = append(spec.priors, lapse.Param+"="+f.lapse)
	}
	binder, err := engine.Open(m, engine.Ready)
	if err != nil {
		return m, none, err
	}
	if f.mixture, err = lapse.New(m, binder, lapse.Window{High: 1}); err != nil {
		binder.Close()
		return m, none, fmt.Errorf("--lapse: %w", err)
	}
	return f.mixture.Model, func() { binder.Close() }, nil
}

// readWindow reads --lapse-window.
func (f *outlierFlags) readWindow() error {
	f.low, f.high = 0, math.NaN()
	if f.window == "" {
		return nil
	}
	if f.lapse == "" {
		return cli.Usagef("--lapse-window: there are no lapses without --lapse")
	}
	low, high, ok := strings.Cut(f.window, ",")
	var errLow, errHigh error
	f.low, errLow = strconv.ParseFloat(strings.TrimSpace(low), 64)
	f.high, errHigh = strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || errLow != nil || errHigh != nil || !(f.low >= 0 && f.low < f.high && f.high <= mostWindow) {
		return cli.Usagef("--lapse-window %s: want LOW,HIGH in seconds, with 0 <= LOW < HIGH <= %d", f.window, mostWindow)
	}
	return nil
}

// mostWindow is the end of the latest window, in seconds.
const mostWindow = 1_000_000

// setWindow gives lapses their window, which holds every trial, and says what it is.
func (f *outlierFlags) setWindow(subjects []fit.Subject, stderr io.Writer) error {
	if f.mixture == nil {
		return nil
	}
	w := lapse.Window{Low: f.low, High: f.high}
	for i := range subjects {
		for row, rt := range subjects[i].Columns[0] {
			switch {
			case math.IsNaN(f.high):
				w.High = max(rt, w.High)
				if math.IsNaN(w.High) {
					w.High = rt
				}
			case rt < w.Low || rt > w.High:
				return subjects[i].Name(fmt.Errorf("trial %d: a response time of %.6g s is outside --lapse-window %s", row+1, rt, f.window))
			}
		}
	}
	f.mixture.Window = w
	choices := ""
	if f.mixture.Choices > 1 {
		choices = fmt.Sprintf(", with %d equally frequent choices", f.mixture.Choices)
	}
	fmt.Fprintf(stderr, "likc: note: response times of lapses are uniform from %s%s\n", w, choices)
	return nil
}

// noteMass says on stderr if an expression is not normalised.
func noteMass(stderr io.Writer, m *catalog.Model, b *engine.Binder) {
	if _, ok := m.Expression(); !ok {
		return
	}
	if masses, ok := b.Masses(m); ok && !masses.Normalised() {
		fmt.Fprintf(stderr, "likc: note: %s is no density: %s. Its posterior is that of an approximation\n", m.Name, masses)
	}
}
