package likc

import (
	"context"
	"fmt"

	"likc/search/study"
	"likc/search/study/recovery"
)

// Recovery says how well fits find a parameter whose true values are known.
type Recovery struct {
	Name      string
	R         float64 // correlation of posterior means with the truth
	Bias      float64 // mean of posterior mean less truth
	RMSE      float64 // root of the mean of their square
	Covered90 float64 // share of 90 % intervals that contain the truth; 0.9 for an honest posterior
	Subjects  int     // number of subjects whose fits did not fail
}

// Recover draws true parameters from the priors, simulates so many subjects of so many trials each, and fits them with the settings. It is
// for models without deadlines, and takes no [Regression]. The same seed gives the same numbers, on any number of threads.
func (m *Model) Recover(ctx context.Context, subjects, trials int, s Settings) ([]Recovery, error) {
	name := m.catalog.Name
	switch {
	case subjects < 2 || subjects > 1_000_000:
		return nil, fmt.Errorf("likc: recovery of %s: %d subjects: want 2 to 1000000", name, subjects)
	case trials < 1 || trials > mostTrials:
		return nil, fmt.Errorf("likc: recovery of %s: %d trials: want 1 to %d", name, trials, mostTrials)
	case m.late || s.Regress != nil:
		return nil, fmt.Errorf("likc: recovery of %s: deadlines and regressions are recovered by likc recover alone", name)
	}
	settings, err := (&Data{model: m}).settings(s)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	plan, err := recovery.New(m.catalog, study.Settings{Subjects: subjects, Trials: trials, Seed: s.Seed, Priors: texts(s.Priors), Ranges: ranges(s.Ranges),
		Fixed: numbers(s.Fixed), Sampling: study.Sampling{Chains: settings.Sampler.NumChains, Warmup: settings.Sampler.NumWarmup, Draws: settings.Sampler.NumSamples}})
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	defer plan.Close()
	summary, err := plan.Run(ctx, study.InMemory(s.Threads))
	if ctx.Err() != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("likc: recovery of %s: %w", name, err)
	}
	var out []Recovery
	for _, p := range summary.Params {
		out = append(out, Recovery{p.Name, float64(p.R), float64(p.Bias), float64(p.RMSE), float64(p.Covered90), subjects - summary.Failed})
	}
	return out, nil
}
