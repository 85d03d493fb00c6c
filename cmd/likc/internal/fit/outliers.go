package fit

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/search/study"
)

// OutlierFlags say what is done about trials that the model does not describe.
type OutlierFlags struct {
	Lapse       string `flag:"lapse" value:"P|PRIOR" help:"P|PRIOR: probability of a lapse, fixed (0.05) or estimated ('beta(1,20)')"`
	OmissionsBy string `flag:"deadline" value:"S|COLUMN" help:"S|COLUMN: trials without response are omissions by this deadline, in seconds, or by that of a column"`
	Respond     string `flag:"go" value:"CHOICE" one:"1,+1,upper,-1,lower" want:"the choice that is to respond, 1 or -1" wants:"--deadline, by which a response must have come" help:"CHOICE: with --deadline, the only choice that is to respond, 1 or -1: a trial without response is of the other, or late"`
	Window      string `flag:"lapse-window" value:"LOW,HIGH" help:"LOW,HIGH: where response times of lapses are uniform, in seconds (default: 0 to the deadline, or the largest one of the data)"`

	within                  lapse.Window // window of lapses; High is NaN where it is the deadline, or the largest response time
	lapsePriors, lapseFixed []string     // wishes that --lapse adds
}

// extend returns the model with omissions and lapses where the flags want them. It tells data of the deadline, and keeps the wishes for the
// probability of lapses.
func (f *OutlierFlags) extend(m *catalog.Model, data *cli.DataFlags) (*fit.Extended, error) {
	if err := f.readDeadline(data); err != nil {
		return nil, err
	}
	data.Go = goChoices[f.Respond]
	if err := f.readWindow(data.Deadline.Seconds); err != nil {
		return nil, err
	}
	x := fit.Extend(m)
	if err := f.addTo(x); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

func (f *OutlierFlags) addTo(x *fit.Extended) error {
	switch {
	case f.Respond != "":
		if err := x.AddGoNoGo(goChoices[f.Respond]); err != nil {
			return fmt.Errorf("--go: %w", err)
		}
	case f.OmissionsBy != "":
		if err := x.AddOmissions(); err != nil {
			return fmt.Errorf("--deadline: %w", err)
		}
	}
	if f.Lapse == "" {
		return nil
	}
	if err := f.readLapse(); err != nil {
		return err
	}
	if err := x.AddLapses(lapse.Window{High: 1}); err != nil {
		return fmt.Errorf("--lapse: %w", err)
	}
	return nil
}

// readDeadline reads --deadline.
func (f *OutlierFlags) readDeadline(data *cli.DataFlags) error {
	if f.OmissionsBy == "" {
		return nil
	}
	seconds, err := strconv.ParseFloat(f.OmissionsBy, 64)
	if err != nil {
		data.Deadline.Column = f.OmissionsBy
		return nil
	}
	if !(seconds > 0 && seconds <= mostWindow) {
		return cli.Usagef("--deadline %s: want seconds, more than 0 and at most %d, or the name of a column", f.OmissionsBy, mostWindow)
	}
	data.Deadline.Seconds = seconds
	return nil
}

// goChoices are the values of --go, and 0 without it.
var goChoices = map[string]float64{"1": 1, "+1": 1, "upper": 1, "-1": -1, "lower": -1}

// readLapse reads --lapse.
func (f *OutlierFlags) readLapse() error {
	p, err := lapse.ParseProbability(f.Lapse)
	switch {
	case err != nil:
		return cli.Usagef("--%w", err)
	case p.Fixed:
		f.lapseFixed = append(f.lapseFixed, lapse.Param+"="+f.Lapse)
	default:
		f.lapsePriors = append(f.lapsePriors, lapse.Param+"="+f.Lapse)
	}
	return nil
}

// readWindow reads --lapse-window. Without it the window goes from 0 to the deadline, if that is the same for all trials, or to the
// largest response time.
func (f *OutlierFlags) readWindow(deadline float64) error {
	f.within = lapse.Window{High: math.NaN()}
	if deadline > 0 {
		f.within.High = deadline
	}
	if f.Window == "" {
		return nil
	}
	if f.Lapse == "" {
		return cli.Usagef("--lapse-window: there are no lapses without --lapse")
	}
	low, high, ok := strings.Cut(f.Window, ",")
	var errLow, errHigh error
	f.within.Low, errLow = strconv.ParseFloat(strings.TrimSpace(low), 64)
	f.within.High, errHigh = strconv.ParseFloat(strings.TrimSpace(high), 64)
	if w := f.within; !ok || errLow != nil || errHigh != nil || !(w.Low >= 0 && w.Low < w.High && w.High <= mostWindow) {
		return cli.Usagef("--lapse-window %s: want LOW,HIGH in seconds, with 0 <= LOW < HIGH <= %d", f.Window, mostWindow)
	}
	return nil
}

// longestSimulated is the end of the window of simulated lapses, in seconds, unless flags set it or a deadline.
const longestSimulated = 10

// ExtendSimulated returns the model with omissions and lapses where the flags want them, for simulated trials. It adds to the settings
// which trials have no response, and the wishes for the probability of lapses. Close the model.
func (f *OutlierFlags) ExtendSimulated(m *catalog.Model, s *study.Settings) (*fit.Extended, error) {
	var data cli.DataFlags
	x, err := f.extend(m, &data)
	if err != nil {
		return nil, err
	}
	s.Deadline, s.Go = data.Deadline, data.Go
	s.Priors, s.Fixed = slices.Concat(s.Priors, f.lapsePriors), slices.Concat(s.Fixed, f.lapseFixed)
	if x.Mixture != nil {
		if math.IsNaN(f.within.High) {
			f.within.High = longestSimulated
		}
		if !(f.within.Low < f.within.High) {
			x.Close()
			return nil, cli.Usagef("--lapse-window %s: ends before it begins", f.within)
		}
		x.Mixture.Window = f.within
		s.Task.Window = &f.within
	}
	return x, nil
}

// mostWindow is the end of the latest window, in seconds.
const mostWindow = 1_000_000

// setWindow gives lapses their window, which holds every trial, and says what it is. It returns the mixture, nil without lapses.
func (f *OutlierFlags) setWindow(x *fit.Extended, subjects []fit.Subject, stderr io.Writer) (*lapse.Mixture, error) {
	if x.Mixture == nil {
		return nil, nil
	}
	if err := x.SetWindow(f.within, subjects); err != nil {
		return nil, fmt.Errorf("--lapse-window: %w", err)
	}
	choices := ""
	if x.Mixture.Choices > 1 {
		choices = fmt.Sprintf(", with %d equally frequent choices", x.Mixture.Choices)
	}
	fmt.Fprintf(stderr, "likc: note: response times of lapses are uniform from %s%s\n", x.Mixture.Window, choices)
	return x.Mixture, nil
}

// noteCaution says on stderr what estimates are good for, unless the model is known to be honest with as many trials as a subject has. It
// also names the parameters that no data can inform. All trials of a study count as one subject, because its means are estimated from all.
func noteCaution(stderr io.Writer, m *catalog.Model, subjects []fit.Subject) {
	most := 0
	for i := range subjects {
		most = max(most, subjects[i].Trials())
	}
	if text := m.Caution(most); text != "" {
		fmt.Fprintf(stderr, "likc: note: %s\n", text)
	}
	if _, ok := m.Expression(); !ok {
		return
	}
	for _, name := range bound.Unused(m.Model) {
		fmt.Fprintf(stderr, "likc: note: the log density of %s does not depend on %s: data say nothing of it\n", m.Name, name)
	}
}

// noteMass says on stderr if an expression is not normalised, or a numerical density less accurate than is promised.
func noteMass(stderr io.Writer, m *catalog.Model, b *bound.Prepared) {
	if d, ok := m.Evidence(); ok {
		if a := d.Check(); !a.Kept() {
			fmt.Fprintf(stderr, "likc: warning: the numerical density of %s is off by up to %.1g of max(1, |log density|) in a part of its ranges: estimates there may be wrong. See likc check; narrower ranges may help\n", m.Name, a.LogDensity)
		}
	}
	if _, ok := m.Expression(); !ok {
		return
	}
	if masses, ok := b.Masses(); ok && !masses.Normalised() {
		fmt.Fprintf(stderr, "likc: note: %s is no density: %s. Its posterior is that of an approximation\n", m.Name, masses)
	}
}
