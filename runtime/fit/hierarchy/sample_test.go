package hierarchy

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// logNormal returns a study of log-normal times with a mean that varies by group and a known standard deviation, and each group's
// mean log time.
func logNormal(t *testing.T, form Form, groups, trials int) (_ *Study, means []float64) {
	t.Helper()
	m, b := boundtest.Open(t, "lognormal")
	rng := rand.New(rand.NewPCG(7, 8))
	d := Data{Columns: [][]float64{nil}, Table: formula.Table{Rows: groups * trials}}
	var labels []string
	for g := range groups {
		mean := 0.3 + 0.4*rng.NormFloat64()
		sum := 0.0
		for range trials {
			x := mean + knownSD*rng.NormFloat64()
			sum += x / float64(trials)
			d.Columns[0], labels = append(d.Columns[0], math.Exp(x)), append(labels, strconv.Itoa(g))
		}
		means = append(means, sum)
	}
	d.Table.Columns = []formula.DataColumn{{Name: "g", Labels: labels}}
	spec := Spec{Params: map[string]Regression{"mu": regression(t, "mu ~ 1 + (1 | g)")}, Fixed: map[string]float64{"sigma": knownSD}, Form: form,
		Priors: map[string]posterior.Prior{"mu_Intercept": mustPrior("normal(0, 1)"), "mu_1|g_sigma": mustPrior("halfnormal(0.5)")}}
	r := spec.Params["mu"]
	r.Link = Identity
	spec.Params["mu"] = r
	s, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	return s, means
}

const knownSD = 0.5

// exactMoments returns the posterior means of the population mean, the spread and the first group's offset. They are sums over a
// grid, because the groups' means are normal given the first two.
func exactMoments(means []float64, trials int) (mu, sigma, offset float64) {
	noise, total := knownSD*knownSD/float64(trials), 0.0
	for i := range 400 {
		m := -1.5 + 3.5*(float64(i)+0.5)/400
		for j := range 600 {
			s := 2.5 * (float64(j) + 0.5) / 600
			v := s*s + noise
			lp := -m*m/2 - s*s/(2*0.25)
			for _, y := range means {
				lp -= (y-m)*(y-m)/(2*v) + math.Log(v)/2
			}
			w := math.Exp(lp)
			total += w
			mu += w * m
			sigma += w * s
			offset += w * s * s / v * (means[0] - m)
		}
	}
	return mu / total, sigma / total, offset / total
}

// Draws have the moments of a known posterior, with each parameterisation.
func TestKnownPosterior(t *testing.T) {
	const groups, trials = 8, 10
	for _, form := range []Form{Auto, Centred, NonCentred} {
		s, means := logNormal(t, form, groups, trials)
		mu, sigma, offset := exactMoments(means, trials)
		p, err := s.Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		settings := nuts.DefaultSettings()
		settings.NumChains, settings.NumWarmup, settings.NumSamples, settings.Seed, settings.Delta = 2, 300, 600, 3, 0.95
		r, err := p.Sample(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{"mu_Intercept": mu, "mu_1|g_sigma": sigma, "mu_1|g[0]": offset} {
			x := r.Draws.Param(r.Draws.Index(name))
			if got, error := chains.Mean(x), chains.MCSEMean(x); !(math.Abs(got-want) < 4*error) || !(error < 0.03) {
				t.Errorf("%s: %s has the mean %.4f ± %.4f, want %.4f", form, name, got, error, want)
			}
		}
	}
}

// Offsets of levels with many trials are centred; those with few are not.
func TestSharesFollowTheData(t *testing.T) {
	for _, c := range []struct {
		trials    int
		low, high float64
	}{{2000, 0.9, 1}, {1, 0, 0.6}} {
		s, _ := logNormal(t, Auto, 8, c.trials)
		if _, err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		for level, w := range s.groups[0].shares {
			if !(w >= c.low && w <= c.high) {
				t.Errorf("%d trials a level: level %d has the share %v", c.trials, level, w)
			}
		}
	}
}

// Chains find starting points even if a link allows non-decision times above the fastest trial, at .4 s.
func TestPrepareWithinSupport(t *testing.T) {
	for _, f := range []string{"t ~ 1 + cond + (1 | subject)", "t ~ 0 + cond + (0 + cond | subject)"} {
		for _, link := range []Link{Log, Identity} {
			m, b, d := simulated(t, "ddm", 8, 40)
			r := regression(t, f)
			r.Link = link
			s, err := New(m, b, Spec{Params: map[string]Regression{"t": r}}, d)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Prepare(t.Context()); err != nil {
				t.Errorf("%s, %s: %v", f, link, err)
			}
		}
	}
}
