package fit

import (
	"errors"
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
	"likc/runtime/omission"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// outlierFlags say what is done about trials that the model does not describe.
type outlierFlags struct {
	lapse, window, deadline string

	mixture *lapse.Mixture // nil without --lapse
	low     float64        // of the window
	high    float64        // of the window; NaN: the deadline, or the largest response time
	seconds float64        // of the deadline; 0 for none, or for a column
}

func (f *outlierFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.lapse, "lapse", "", "`P|PRIOR`: probability of a lapse, fixed (0.05) or estimated ('beta(1,20)')")
	flags.StringVar(&f.deadline, "deadline", "", "`S|COLUMN`: trials without response are omissions by this deadline, in seconds, or by that of a column")
	flags.StringVar(&f.window, "lapse-window", "", "`LOW,HIGH`: where response times of lapses are uniform, in seconds (default: 0 to the deadline, or the largest one of the data)")
}

// apply returns the model with omissions and lapses where the flags want them, else as it is. It tells data of the deadline, and
// spec of the probability of lapses. done releases what the model needs.
func (f *outlierFlags) apply(m *catalog.Model, data *cli.DataFlags, spec *specFlags) (out *catalog.Model, done func(), err error) {
	var binders []*engine.Binder
	done = func() {
		for _, b := range binders {
			b.Close()
		}
	}
	if err := errors.Join(f.readDeadline(data), f.readWindow()); err != nil {
		return nil, done, err
	}
	bind := func(m *catalog.Model) (*engine.Binder, error) {
		b, err := engine.Open(m, engine.Ready)
		if err == nil {
			binders = append(binders, b)
		}
		return b, err
	}
	if f.deadline != "" {
		b, err := bind(m)
		if err != nil {
			return nil, done, err
		}
		if m, err = omission.New(m, b); err != nil {
			return nil, done, fmt.Errorf("--deadline: %w", err)
		}
	}
	if f.lapse == "" {
		return m, done, nil
	}
	if err := f.readLapse(spec); err != nil {
		return nil, done, err
	}
	b, err := bind(m)
	if err != nil {
		return nil, done, err
	}
	if f.mixture, err = lapse.New(m, b, lapse.Window{High: 1}); err != nil {
		return nil, done, fmt.Errorf("--lapse: %w", err)
	}
	return f.mixture.Model, done, nil
}

// readDeadline reads --deadline.
func (f *outlierFlags) readDeadline(data *cli.DataFlags) error {
	if f.deadline == "" {
		return nil
	}
	seconds, err := strconv.ParseFloat(f.deadline, 64)
	if err != nil {
		data.Deadline.Column = f.deadline
		return nil
	}
	if !(seconds > 0 && seconds <= mostWindow) {
		return cli.Usagef("--deadline %s: want seconds, more than 0 and at most %d, or the name of a column", f.deadline, mostWindow)
	}
	data.Deadline.Seconds = seconds
	f.seconds = seconds
	return nil
}

// readLapse reads --lapse.
func (f *outlierFlags) readLapse(spec *specFlags) error {
	p, err := lapse.ParseProbability(f.lapse)
	switch {
	case err != nil:
		return cli.Usagef("--%w", err)
	case p.Fixed:
		spec.lapseFixed = append(spec.lapseFixed, lapse.Param+"="+f.lapse)
	default:
		spec.lapsePriors = append(spec.lapsePriors, lapse.Param+"="+f.lapse)
	}
	return nil
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
	w := lapse.Window{Low: f.low, High: f.seconds}
	given := !math.IsNaN(f.high)
	if given {
		w.High = f.high
	}
	for i := range subjects {
		s := &subjects[i]
		for row, rt := range s.Columns[0] {
			if !given {
				w.High = max(rt, w.High)
			} else if answered := s.Choice == nil || s.Choice[row] != trials.Omitted; answered && (rt < w.Low || rt > w.High) {
				return s.Name(fmt.Errorf("trial %d: a response time of %.6g s is outside --lapse-window %s", row+1, rt, f.window))
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
