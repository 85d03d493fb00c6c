package hierarchy

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
)

// pointNullCase is a contrast whose Bayes factor is known from the marginal likelihoods of two models: one in which the contrast
// is free, and the same model with the null.
type pointNullCase struct {
	free, null       string             // formulas of one parameter
	fixed            map[string]float64 // values of parameters in the null model, which then has no formula
	link             Link
	freePriors       map[string]string
	nullPriors       map[string]string // priors of coefficients that only the null model has
	contrast         string
	value            float64
	truth            [2][4]float64 // v, a, z, t where cond is A, and where it is B
	always           bool          // whether every test runs it
	slackOfSmoothing float64       // relative tolerance where the kernel density is biased because the value is at an end of the range; 0 means 0.04
}

// same returns equal parameters for both conditions.
func same(v, a, z, t float64) [2][4]float64 { return [2][4]float64{{v, a, z, t}, {v, a, z, t}} }

// pointNulls covers every link, and every family of priors that has a density at the value.
var pointNulls = []pointNullCase{
	{free: "a ~ cond", null: "a ~ 1", link: Log, freePriors: map[string]string{"a_cond[B]": "normal(0, 0.25)"}, contrast: "a[cond=B] - a[cond=A]", truth: same(1, 0.5, 0.5, 0.3), always: true},
	{free: "a ~ cond", null: "a ~ 1", link: Logit, freePriors: map[string]string{"a_cond[B]": "normal(0, 0.5)"}, contrast: "a[cond=B] - a[cond=A]",
		truth: same(1, 0.5, 0.5, 0.3)},
	{free: "v ~ 0 + cond", null: "v ~ 1", link: Identity, freePriors: map[string]string{"v_cond[A]": "normal(1, 2)", "v_cond[B]": "normal(1, 2)"},
		nullPriors: map[string]string{"v": "normal(1, 1.4142135623730951)"}, contrast: "v[cond=B] - v[cond=A]",
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1.4, 1, 0.5, 0.3}}, always: true},
	{free: "v ~ cond", null: "v ~ 1", link: Identity, freePriors: map[string]string{"v_cond[B]": "student_t(3, 0, 1)"}, contrast: "v[cond=B] - v[cond=A]",
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1.5, 1, 0.5, 0.3}}},
	{free: "a ~ cond", null: "a ~ 1", link: Log, freePriors: map[string]string{"a_cond[B]": "cauchy(0, 0.3)"}, contrast: "a[cond=B] / a[cond=A]", value: 1,
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1, 0.95, 0.5, 0.3}}},
	{free: "z ~ cond", null: "z ~ 1", link: Logit, freePriors: map[string]string{"z_cond[B]": "uniform(-2, 2)"}, contrast: "z[cond=B] - z[cond=A]",
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1, 1, 0.56, 0.3}}, always: true},
	{free: "t ~ cond", null: "t ~ 1", link: Log, freePriors: map[string]string{"t_cond[B]": "normal(0, 0.25)"}, contrast: "2 * (t[cond=B] - t[cond=A])", truth: same(1, 1, 0.5, 0.3)},
	{free: "a ~ 0 + cond", null: "a ~ 1", link: Log, freePriors: map[string]string{"a_cond[A]": "normal(0, 0.5)", "a_cond[B]": "normal(0, 0.5)"},
		nullPriors: map[string]string{"a": "normal(0, 0.3535533905932738)"}, contrast: "a[cond=A] - a[cond=B]",
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1, 0.95, 0.5, 0.3}}},
	{free: "v ~ x", null: "v ~ 1", link: Identity, freePriors: map[string]string{"v_x": "truncnormal(0.2, 0.5, -1, 1)"}, contrast: "v[x=1] - v[x=0]",
		truth: same(1, 1, 0.5, 0.3)},
	{free: "z ~ 1", fixed: map[string]float64{"z": 0.5}, link: Logit, contrast: "z", value: 0.5, truth: same(1, 1, 0.5, 0.3)},
	{free: "a ~ 1", fixed: map[string]float64{"a": 1}, link: Log, contrast: "a", value: 1, truth: same(1, 1, 0.5, 0.3)},
	{free: "v ~ cond", null: "v ~ 1", link: Identity, freePriors: map[string]string{"v_cond[B]": "halfnormal(0.5)"}, contrast: "`v_cond[B]`",
		truth: same(1, 1, 0.5, 0.3), slackOfSmoothing: 0.15},
	{free: "v ~ cond", null: "v ~ 1", link: Identity, freePriors: map[string]string{"v_cond[B]": "halfcauchy(0.5)"}, contrast: "`v_cond[B]`",
		truth: same(1, 1, 0.5, 0.3), slackOfSmoothing: 0.15},
	{free: "v ~ cond", null: "v ~ 1", link: Identity, freePriors: map[string]string{"v_cond[B]": "exponential(2)"}, contrast: "`v_cond[B]`",
		truth: same(1, 1, 0.5, 0.3), slackOfSmoothing: 0.15},
	{free: "v ~ cond", null: "v ~ 1 + offset(half)", link: Identity, freePriors: map[string]string{"v_cond[B]": "gamma(2, 4)"}, contrast: "`v_cond[B]`", value: 0.5,
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1.5, 1, 0.5, 0.3}}},
	{free: "v ~ cond", null: "v ~ 1 + offset(half)", link: Identity, freePriors: map[string]string{"v_cond[B]": "weibull(2, 1)"}, contrast: "`v_cond[B]`", value: 0.5,
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1.5, 1, 0.5, 0.3}}},
	{free: "v ~ cond", null: "v ~ 1 + offset(half)", link: Identity, freePriors: map[string]string{"v_cond[B]": "lognormal(-1, 0.5)"}, contrast: "`v_cond[B]`", value: 0.5,
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1.5, 1, 0.5, 0.3}}},
	{free: "v ~ cond", null: "v ~ 1 + offset(half)", link: Identity, freePriors: map[string]string{"v_cond[B]": "beta(2, 2)"}, contrast: "`v_cond[B]`", value: 0.5,
		truth: [2][4]float64{{1, 1, 0.5, 0.3}, {1.5, 1, 0.5, 0.3}}},
}

// The Savage-Dickey ratio equals the ratio of marginal likelihoods, which importance sampling determines to 2 %. Three contrasts
// are always tested; with LIKC_LONG, there is one for each link and family of priors.
func TestNullAgainstMarginalLikelihoods(t *testing.T) {
	long := os.Getenv("LIKC_LONG") != ""
	m, b := boundtest.Open(t, "ddm")
	for _, c := range pointNulls {
		if !c.always && !long {
			continue
		}
		draws := 1000
		if long {
			draws = 5000
		}
		data := twoConditions(t, m, c.truth)
		free := c.study(t, m, b, c.free, c.freePriors, data)
		null := c.study(t, m, b, c.null, c.nullPriors, data)
		want := math.Exp(logMarginal(t, free) - logMarginal(t, null))
		got, sd := c.ratio(t, free, draws)
		slack := cmp.Or(c.slackOfSmoothing, 0.04)
		t.Logf("%-12s %-8s %-28s = %-3v %v: Savage-Dickey %.3f ± %.3f, marginal likelihoods %.3f", c.free, c.link, c.contrast, c.value, c.freePriors, got, sd, want)
		if !(math.Abs(got-want) <= 4*sd+slack*want) {
			t.Errorf("%s, link %s, %s = %v: Savage-Dickey ratio %.3f (Monte Carlo error %.3f), marginal likelihoods say %.3f", c.free, c.link, c.contrast, c.value, got, sd, want)
		}
	}
}

// twoConditions simulates 100 trials of each condition. Column x is noise; column half is 0 where cond is A and 0.5 where it is
// B.
func twoConditions(t *testing.T, m *catalog.Model, truth [2][4]float64) Data {
	t.Helper()
	const trials = 100
	simulator, ok := m.Simulator()
	if !ok {
		t.Fatal("no simulator")
	}
	scheme, _, err := simulator.Process.Scheme("")
	if err != nil {
		t.Fatal(err)
	}
	rng := ssm.NewRand(3, 5)
	d := Data{Columns: [][]float64{nil}, Table: formula.Table{Rows: 2 * trials}}
	var labels []string
	var x, half []float64
	for k, theta := range truth {
		rt, choice := make([]float64, trials), make([]float64, trials)
		if err := simulator.Simulate(rng, theta[:], scheme, rt, choice); err != nil {
			t.Fatal(err)
		}
		d.Columns[0], d.Choice = append(d.Columns[0], rt...), append(d.Choice, choice...)
		for range trials {
			labels, x, half = append(labels, "AB"[k:k+1]), append(x, rng.NormFloat64()), append(half, 0.5*float64(k))
		}
	}
	d.Table.Columns = []formula.DataColumn{{Name: "cond", Labels: labels}, {Name: "x", Numeric: x}, {Name: "half", Numeric: half}}
	return d
}

func (c *pointNullCase) study(t *testing.T, m *catalog.Model, b *bound.Prepared, text string, priors map[string]string, d Data) *Study {
	t.Helper()
	spec := Spec{Params: map[string]Regression{}, Priors: map[string]posterior.Prior{}}
	param := ""
	if text == "" {
		spec.Fixed = c.fixed
	} else {
		r := regression(t, text)
		r.Link, param = c.link, r.Formula.Param
		spec.Params[param] = r
	}
	s, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, intercept := range []string{param, param + "_Intercept"} { // sets the same prior in both models
		if text != "" && slices.Contains(s.Names(), intercept) {
			spec.Priors[intercept] = mustPrior("normal(0, 1)")
		}
	}
	for name, text := range priors {
		spec.Priors[name] = mustPrior("%s", text)
	}
	s, err = New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ratio returns the Savage-Dickey ratio and its Monte Carlo standard error, from the differences between chains.
func (c *pointNullCase) ratio(t *testing.T, s *Study, draws int) (ratio, sd float64) {
	t.Helper()
	p, err := s.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	settings := nuts.DefaultSettings()
	settings.NumSamples, settings.Seed = draws, 2
	drawn, err := p.Sample(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	priors := map[string]posterior.Parameter{}
	for _, p := range s.coords {
		priors[p.Name] = p
	}
	contrast, err := formula.ParseContrast(c.contrast)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Record().Null(contrast, c.value, drawn.Draws, priors)
	if err != nil || n.Guess {
		t.Fatalf("%s: %v %v", c.contrast, n, err)
	}
	squares := 0.0
	for i := range drawn.Draws.Chains {
		one := *drawn.Draws
		one.Chains = one.Chains[i : i+1]
		single, err := s.Record().Null(contrast, c.value, &one, priors)
		if err != nil {
			t.Fatal(err)
		}
		squares += (single.Ratio() - n.Ratio()) * (single.Ratio() - n.Ratio())
	}
	chains := float64(len(drawn.Draws.Chains))
	return n.Ratio(), math.Sqrt(squares/(chains-1)) / math.Sqrt(chains)
}

// logMarginal returns the log marginal likelihood by importance sampling in unconstrained coordinates. The proposal is a Student
// density with 5 degrees of freedom, with the mean and the covariance of draws.
func logMarginal(t *testing.T, s *Study) float64 {
	t.Helper()
	const freedom = 5.0
	proposals := 4000 // an error of 1 to 2 %
	if os.Getenv("LIKC_LONG") != "" {
		proposals = 20_000
	}
	target, err := s.Target()
	if err != nil {
		t.Fatal(err)
	}
	n := target.Dim()
	mean, root := unconstrained(t, s)
	logRoot := 0.0
	for i := range n {
		logRoot += math.Log(root.At(i, i))
	}
	upper, _ := math.Lgamma((freedom + float64(n)) / 2)
	lower, _ := math.Lgamma(freedom / 2)
	constant := upper - lower - float64(n)/2*math.Log(freedom*math.Pi) - logRoot
	rng := rand.New(rand.NewPCG(8, 9))
	q, z, grad, logs := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, proposals)
	largest := math.Inf(-1)
	for k := range logs {
		chi, squares := 0.0, 0.0
		for range int(freedom) {
			g := rng.NormFloat64()
			chi += g * g
		}
		for i := range z {
			z[i] = rng.NormFloat64() / math.Sqrt(chi/freedom)
			squares += z[i] * z[i]
		}
		for i := range q {
			q[i] = mean[i]
			for j := range i + 1 {
				q[i] += root.At(i, j) * z[j]
			}
		}
		value, err := target.LogDensityGrad(q, grad)
		if err != nil || math.IsNaN(value) {
			value = math.Inf(-1)
		}
		logs[k] = value - constant + (freedom+float64(n))/2*math.Log1p(squares/freedom)
		largest = max(largest, logs[k])
	}
	sum, squares := 0.0, 0.0
	for _, l := range logs {
		w := math.Exp(l - largest)
		sum, squares = sum+w, squares+w*w
	}
	if worth := sum * sum / squares; !(worth > float64(proposals)/5) {
		t.Fatalf("importance sampling is worth %.0f draws", worth)
	}
	return largest + math.Log(sum/float64(proposals))
}

// unconstrained returns the mean of draws in unconstrained coordinates, and the Cholesky factor of their covariance.
func unconstrained(t *testing.T, s *Study) (mean []float64, root *mat.TriDense) {
	t.Helper()
	p, err := s.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	settings := nuts.DefaultSettings()
	settings.NumChains, settings.NumWarmup, settings.NumSamples = 2, 500, 500
	drawn, err := p.Sample(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	post, _, err := s.posterior()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	for _, c := range drawn.Draws.Chains {
		for k := range c.Len() {
			theta, q := make([]float64, post.Dim()), make([]float64, post.Dim())
			for j := range theta {
				theta[j] = c.Params[j][k]
			}
			if err := post.Unconstrain(theta, q); err != nil {
				t.Fatal(err)
			}
			all = append(all, q)
		}
	}
	n := post.Dim()
	mean = make([]float64, n)
	for _, q := range all {
		for i := range q {
			mean[i] += q[i] / float64(len(all))
		}
	}
	cov := mat.NewSymDense(n, nil)
	for _, q := range all {
		for i := range n {
			for j := range i + 1 {
				cov.SetSym(i, j, cov.At(i, j)+(q[i]-mean[i])*(q[j]-mean[j])/float64(len(all)))
			}
		}
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(cov) {
		t.Fatal("the covariance has no root")
	}
	root = mat.NewTriDense(n, mat.Lower, nil)
	cholesky.LTo(root)
	return mean, root
}
