package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
)

// simulatedStudy simulates trials of two conditions, given the two drifts of each participant, and returns them with a Spec of
// formulas.
func simulatedStudy(t *testing.T, rng *rand.Rand, drifts [][2]float64, trials int, priors []string, formulas ...string) (*Spec, Subject) {
	t.Helper()
	m := modelNamed(t, "ddm")
	data := Subject{Columns: [][]float64{nil}}
	var id, cond []string
	for person, v := range drifts {
		for i := range trials {
			rt, choice := ssm.DDM.Sampler([]float64{v[i%2], 1.1, 0.5, 0.3})(rng)
			data.Columns[0], data.Choice = append(data.Columns[0], rt), append(data.Choice, choice)
			id, cond = append(id, fmt.Sprint(person)), append(cond, []string{"A", "B"}[i%2])
		}
	}
	data.Table = formula.Table{Columns: []formula.DataColumn{{Name: "id", Labels: id}, {Name: "cond", Labels: cond}}}
	w := Wishes{Formulas: formulas, Priors: priors}
	if slices.ContainsFunc(formulas, func(text string) bool { return strings.HasPrefix(text, "t ") }) {
		w.Links = []string{"t=log"}
	}
	return specOf(t, m, w), data
}

// fitted returns the fit of a subject, with 2 chains.
func fitted(t *testing.T, spec *Spec, of Subject, draws int) *Result {
	t.Helper()
	s := Settings{Sampler: nuts.DefaultSettings()}
	s.Sampler.NumWarmup, s.Sampler.NumSamples, s.Sampler.NumChains = 300, draws, 2
	_, b := open(t, "ddm")
	r := Run(t.Context(), spec, b, []Subject{of}, s)[0]
	if !r.IsComplete() {
		t.Fatal(r.Err)
	}
	return r
}

// A prior that pulls a drift is reported, with the mean that the data alone would give. On the same data, the default priors are
// not reported.
func TestPullIsSaid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		prior string
		pulls bool
	}{{"v_cond[B]=normal(0,0.5)", true}, {"v_cond[B]=normal(0,3)", false}} {
		study, of := simulatedStudy(t, rng, [][2]float64{{-2, 2}}, 200, []string{c.prior}, "v ~ cond")
		r := fitted(t, study, of, 500)
		if got := len(r.Summary.Pulls) == 1 && r.Summary.Pulls[0].Name == "v_cond[B]"; got != c.pulls {
			t.Errorf("%s: %v", c.prior, r.Summary.Pulls)
		}
		const start = "the prior of v_cond[B], normal(mean=0,sd=0.5), pulls: the posterior mean is "
		if got := slices.ContainsFunc(r.Summary.Warnings, func(text string) bool { return strings.HasPrefix(text, start) }); got != c.pulls {
			t.Errorf("%s: %q", c.prior, r.Summary.Warnings)
		}
	}
}

// The estimated mean without the prior equals the mean of the likelihood. Likelihood, prior and posterior are normal. A weak
// prior is removed by importance weights, a strong one by the posterior's precision. A prior from which nearly all information
// comes is not judged.
func TestMeanWithoutPrior(t *testing.T) {
	for _, c := range []struct {
		prior, mean, sd float64 // standard deviation of the prior, whose mean is 0; mean and standard deviation of the likelihood
		found           bool
	}{{3, 2, 0.5, true}, {1, 2, 0.5, true}, {0.5, 2, 0.5, true}, {0.5, 4, 1, true}, {0.1, 2, 1, false}} {
		prior, err := posterior.ParsePrior(fmt.Sprintf("normal(0,%v)", c.prior))
		if err != nil {
			t.Fatal(err)
		}
		precision := 1/(c.sd*c.sd) + 1/(c.prior*c.prior)
		mean, sd := c.mean/(c.sd*c.sd)/precision, 1/math.Sqrt(precision)
		rng := rand.New(rand.NewPCG(5, 6))
		draws := make([][]float64, 4)
		for chain := range draws {
			for range 1000 {
				draws[chain] = append(draws[chain], mean+sd*rng.NormFloat64())
			}
		}
		p, found := pullOn("x", prior, draws)
		within := 0.1 * c.sd / (1 / (c.sd * c.sd) / precision) // the variance of the draws is off by some percent, which matters more if the data have a small share of the precision
		if found != c.found || found && !(math.Abs(p.Without-c.mean) < within) {
			t.Errorf("prior %v, likelihood %v ± %v: without the prior %.3f (%v), posterior %.3f", c.prior, c.mean, c.sd, p.Without, found, p.Mean)
		}
		if away := c.mean / c.prior; found && !(math.Abs(p.Away-away) < within/c.prior) {
			t.Errorf("prior %v, likelihood %v ± %v: %.2f prior standard deviations away, want %.2f", c.prior, c.mean, c.sd, p.Away, away)
		}
	}
}

// Ordinary designs with the default priors give few false alarms: at most two of 40 studies.
func TestDefaultPriorsPullSeldom(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("a minute of draws: LIKC_LONG=1")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	alarms := 0
	for i := range 40 {
		people, trials, formulas := 1, 200, []string{"v ~ cond", "a ~ cond", "t ~ cond"}
		if i%2 == 1 {
			people, trials, formulas = 10, 60, []string{"v ~ cond + (1 + cond | id)", "a ~ 1 + (1 | id)"}
		}
		drifts, a, b := make([][2]float64, people), 4*rng.Float64()-2, 4*rng.Float64()-2
		for k := range drifts {
			drifts[k] = [2]float64{a + 0.4*rng.NormFloat64(), b + 0.4*rng.NormFloat64()}
		}
		study, of := simulatedStudy(t, rng, drifts, trials, nil, formulas...)
		r := fitted(t, study, of, 300)
		if len(r.Summary.Pulls) > 0 {
			alarms++
			t.Logf("study %d, drifts %.2f, %.2f: %v", i, a, b, r.Summary.Pulls)
		}
	}
	if alarms > 2 {
		t.Errorf("%d of 40 studies hear that priors pull", alarms)
	}
}
