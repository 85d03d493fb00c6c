package fit

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/build"
	"likc/runtime/fit"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/omission"
	"likc/search/study"
)

// OutlierFlags choose the treatment of trials that the model does not describe: lapses, omissions and deadlines.
type OutlierFlags struct {
	Lapse       string `flag:"lapse" value:"P|PRIOR" help:"P|PRIOR: probability of a lapse, fixed (0.05) or estimated ('beta(1,20)')"`
	OmissionsBy string `flag:"deadline" value:"S|COLUMN" help:"S|COLUMN: trials without response are omissions by this deadline, in seconds, or by that of a column"`
	Respond     string `flag:"go" value:"CHOICE" one:"1,+1,upper,-1,lower" want:"the choice that is to respond, 1 or -1" wants:"--deadline, by which a response must have come" help:"CHOICE: with --deadline, the only choice that is to respond, 1 or -1: a trial without response is of the other, or late"`
	Window      string `flag:"lapse-window" value:"LOW,HIGH" help:"LOW,HIGH: where response times of lapses are uniform, in seconds (default: 0 to the deadline, or the largest one of the data)"`

	times                   lapse.Times // response times of lapses; nil without --lapse
	lapsePriors, lapseFixed []string    // wishes that --lapse adds
}

// prepare prepares the model with omissions and lapses if the flags ask for them; it returns nil if they ask for neither. The window of lapses is
// not set yet. It also sets the deadline in data, and stores the wishes for the probability of lapses in f.
func (f *OutlierFlags) prepare(m *catalog.Model, data *cli.DataFlags) (*bound.Prepared, error) {
	if err := f.readDeadline(data); err != nil {
		return nil, err
	}
	data.Go = goChoices[f.Respond]
	if err := f.readTimes(data.Deadline.Seconds); err != nil {
		return nil, err
	}
	if f.OmissionsBy == "" && f.Respond == "" && f.Lapse == "" {
		return nil, nil
	}
	if err := f.readLapse(); err != nil {
		return nil, err
	}
	p, err := bound.Open(m, bound.Ready)
	if err != nil {
		return nil, err
	}
	x, err := f.wrap(p)
	if err != nil {
		p.Close()
	}
	return x, err
}

// wrap adds the wrappers to a model that the flags request, such as lapses.
func (f *OutlierFlags) wrap(p *bound.Prepared) (*bound.Prepared, error) {
	var err error
	respond := goChoices[f.Respond]
	if f.OmissionsBy != "" {
		if p, err = p.With(omission.Deadline{Respond: respond}); err != nil && respond != 0 {
			return nil, fmt.Errorf("--go: %w", err)
		} else if err != nil {
			return nil, fmt.Errorf("--deadline: %w", err)
		}
	}
	if f.times != nil {
		if p, err = p.With(lapse.Lapses{Times: f.times, GoNoGo: respond != 0}); err != nil {
			return nil, fmt.Errorf("--lapse: %w", err)
		}
	}
	return p, nil
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
	if !(seconds > 0 && seconds <= lapse.Latest) {
		return cli.Usagef("--deadline %s: want seconds, more than 0 and at most %d, or the name of a column", f.OmissionsBy, lapse.Latest)
	}
	data.Deadline.Seconds = seconds
	return nil
}

// goChoices maps the words that --go accepts to choices; without the flag, the choice is 0.
var goChoices = map[string]float64{"1": 1, "+1": 1, "upper": 1, "-1": -1, "lower": -1}

// readLapse reads --lapse.
func (f *OutlierFlags) readLapse() error {
	if f.Lapse == "" {
		return nil
	}
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

// readTimes reads --lapse-window. Without it response times are uniform from 0 to the deadline, if that is the same for all trials, or to the
// largest one.
func (f *OutlierFlags) readTimes(deadline float64) (err error) {
	switch {
	case f.Lapse == "" && f.Window == "":
	case f.Lapse == "":
		return cli.Usagef("--lapse-window: there are no lapses without --lapse")
	case f.Window == "":
		f.times = lapse.Window{High: deadline}
	default:
		if f.times, err = lapse.ParseTimes(f.Window); err != nil {
			return cli.Usagef("--lapse-window %w", err)
		}
	}
	return nil
}

// longestSimulated is the end of the window of simulated lapses, in seconds, unless flags set it or a deadline.
const longestSimulated = 10

// Simulated adds what the flags ask for to the settings of simulated subjects: which trials have no response, the response times of lapses, and the
// wishes for their probability. It refuses a model that cannot have lapses or omissions.
func (f *OutlierFlags) Simulated(m *catalog.Model, s *study.Settings) error {
	var data cli.DataFlags
	p, err := f.prepare(m, &data)
	if err != nil || p == nil {
		return err
	}
	s.Deadline, s.Go = data.Deadline, data.Go
	s.Priors, s.Fixed = slices.Concat(s.Priors, f.lapsePriors), slices.Concat(s.Fixed, f.lapseFixed)
	if f.times != nil {
		s.Lapses = f.times.ForData(longestSimulated).Text()
	}
	return p.Close()
}

// setTimes sets the window of the response times of lapses from the data, in which every response must lie, and prints it. It returns the model with
// this window.
func (f *OutlierFlags) setTimes(p *bound.Prepared, subjects []fit.Subject, stderr io.Writer) (*bound.Prepared, error) {
	if f.times == nil {
		return p, nil
	}
	var err error
	if f.times, err = fit.TimesFor(p.Model, f.times, subjects); err != nil {
		return nil, fmt.Errorf("--lapse-window: %w", err)
	}
	choices := ""
	if n := len(p.Model.Codes()); n > 1 {
		choices = fmt.Sprintf(", with %d equally frequent choices", n)
	}
	fmt.Fprintf(stderr, "likc: note: response times of lapses are %s%s\n", f.times, choices)
	return f.wrap(p.Bare())
}

// noteCaution warns on stderr about the estimates' accuracy, unless the model is known to be honest with as many trials as a subject has. It also
// names the parameters that no data can inform. All trials of a study count as one subject, because its means are estimated from all.
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

// noteInterpreted says on stderr that a model of the user's is interpreted because its package could not be built. Where there is no Go it says nothing:
// interpreted models take less than ten times as long as compiled ones (BenchmarkInterpreted).
func noteInterpreted(stderr io.Writer, m *catalog.Model, why error) {
	var missing *build.ToolchainError
	if why != nil && !m.Origin.Builtin && !errors.As(why, &missing) {
		fmt.Fprintf(stderr, "likc: note: %s is interpreted, which takes a few times as long: %v\n", m.Name, why)
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
