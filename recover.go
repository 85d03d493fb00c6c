package likc

import (
	"context"
	"fmt"

	"likc/runtime/model/lapse"
	"likc/runtime/model/trials"
	"likc/search/study"
	"likc/search/study/recovery"
)

// Design says which trials [Model.Recover] simulates.
type Design struct {
	Subjects int     // number of subjects; with a [Regression], of each study
	Trials   int     // number of trials of each subject
	Studies  int     // number of studies of a [Regression], each of which is fitted as a whole; 0 without one
	Deadline float64 // for a model with deadlines: the time by which a response must come, in seconds; 0 if the [Regression] has a column [Deadline]
}

// Recovery says how well fits find a parameter whose true values are known.
type Recovery struct {
	Name      string  // name of the parameter, or of a coefficient of a [Regression]
	R         float64 // correlation of posterior means with the true values
	Bias      float64 // mean difference of posterior mean and true value
	RMSE      float64 // root mean square of these differences
	Covered90 float64 // share of 90 % intervals that contain the truth; 0.9 for an honest posterior
	Fits      int     // number of subjects, or of studies, whose fits did not fail
}

// Recover draws true parameters from the priors, simulates trials, and fits them with the settings. For a [Regression] it draws the
// coefficients of each study, and compares estimates of the coefficients and of the spreads of groups with the truth. Columns of the
// Regression have a value for each trial of a study: those of the first subject, then those of the second, and so on. The column by which
// formulas group subjects may be left out. Lapses and trials without response are simulated where the model has them. The same seed gives
// the same numbers, on any number of threads.
func (m *Model) Recover(ctx context.Context, d Design, s Settings) ([]Recovery, error) {
	fail := func(err error) ([]Recovery, error) {
		return nil, fmt.Errorf("likc: recovery of %s: %w", m.catalog.Name, err)
	}
	if err := m.checkDesign(&d, &s); err != nil {
		return fail(err)
	}
	plan, err := m.recovery(&d, &s)
	if err != nil {
		return fail(err)
	}
	defer plan.Close()
	summary, err := plan.Run(ctx, study.InMemory(s.Threads), nil)
	if err != nil {
		return fail(err)
	}
	var out []Recovery
	for _, p := range summary.Params {
		out = append(out, Recovery{p.Name, float64(p.R), float64(p.Bias), float64(p.RMSE), float64(p.Covered90), len(p.Estimates)})
	}
	return out, nil
}

// checkDesign returns an error for a design that cannot be simulated.
func (m *Model) checkDesign(d *Design, s *Settings) error {
	inColumn := s.Regress != nil && s.Regress.Numbers[Deadline] != nil
	switch {
	case d.Subjects < 1 || d.Subjects > 1_000_000 || s.Regress == nil && d.Subjects < 2:
		return fmt.Errorf("%d subjects: want 2 to 1000000", d.Subjects)
	case d.Trials < 1 || d.Trials > mostTrials:
		return fmt.Errorf("%d trials: want 1 to %d", d.Trials, mostTrials)
	case s.Regress == nil && d.Studies != 0:
		return fmt.Errorf("%d studies: want 0 without a Regression", d.Studies)
	case s.Regress != nil && (d.Studies < 2 || d.Studies > 1_000_000):
		return fmt.Errorf("%d studies: want 2 to 1000000", d.Studies)
	case m.hasDeadlines && !inColumn && !(d.Deadline > 0 && d.Deadline <= 1e6):
		return fmt.Errorf("a deadline of %v s: the model has deadlines: want more than 0, at most 1e6", d.Deadline)
	case d.Deadline != 0 && (inColumn || !m.hasDeadlines):
		return fmt.Errorf("a deadline of %v s: want 0, unless the model has deadlines and the Regression has no column %s", d.Deadline, Deadline)
	}
	return nil
}

// recovery prepares the simulated subjects or studies of a design.
func (m *Model) recovery(d *Design, s *Settings) (*recovery.Plan, error) {
	sampler, err := (&Data{model: m}).settings(*s)
	if err != nil {
		return nil, err
	}
	simulated := study.Settings{Subjects: d.Subjects, Trials: d.Trials, Seed: s.Seed, Priors: texts(s.Priors), Ranges: ranges(s.Ranges), Fixed: numbers(s.Fixed),
		Sampling: study.Sampling{Chains: sampler.Sampler.NumChains, Warmup: sampler.Sampler.NumWarmup, Draws: sampler.Sampler.NumSamples}}
	if m.hasDeadlines {
		simulated.Go = m.respond
		if simulated.Deadline.Seconds = d.Deadline; d.Deadline == 0 {
			simulated.Deadline = trials.Deadline{Column: Deadline}
		}
	}
	bare := m
	for bare.base != nil {
		bare = bare.base
	}
	if m.base != nil {
		if l, ok := lapse.Of(m.binder); ok {
			simulated.Lapses = l.Times.Text()
		}
	}
	if s.Regress == nil {
		return recovery.New(bare.catalog, simulated)
	}
	design := study.Design{Formulas: s.Regress.Formulas, Links: texts(s.Regress.Links)}
	if design.Given, err = s.Regress.table(d.Subjects * d.Trials); err != nil {
		return nil, err
	}
	studies, err := study.NewStudies(bare.catalog, study.StudySettings{Settings: simulated, Studies: d.Studies, Design: design})
	if err != nil {
		return nil, err
	}
	if err := studies.Open(); err != nil {
		return nil, err
	}
	return recovery.NewStudies(bare.catalog, studies), nil
}
