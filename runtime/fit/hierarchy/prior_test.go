package hierarchy

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/num/chains"
)

// ofPriors returns n draws from the priors of a study, with a slice for each coefficient.
func ofPriors(t *testing.T, s *Study, n int) [][]float64 {
	t.Helper()
	p, err := s.PriorSampler()
	if err != nil {
		t.Fatal(err)
	}
	rng, coefs := rand.New(rand.NewPCG(1, 2)), make([]float64, len(s.coords))
	all := make([][]float64, len(coefs))
	for range n {
		p.Draw(rng, coefs)
		for i, x := range coefs {
			all[i] = append(all[i], x)
		}
	}
	return all
}

// Draws from the priors have the moments of the priors, with both forms. Intercepts and slopes are normal, spreads half-normal,
// and offsets normal with the spread. The correlations of three effects are uniform under LKJ(1) over matrices, so each is
// beta(1.5, 1.5) on (-1, 1).
func TestPriorSampler(t *testing.T) {
	const n = 20000
	for _, form := range []Form{Centred, NonCentred} {
		s := newStudy(t, "ddm", form, "v ~ x + (1 + x + cond | subject)", "a ~ 1 + (1 | subject)")
		draws := ofPriors(t, s, n)
		sdOf := func(name string) float64 { return stat.StdDev(draws[slices.Index(s.Names(), name)], nil) }
		halfNormal := math.Sqrt(1 - 2/math.Pi)               // x is random, so the width of its prior is read from the text of the prior
		prior := func(name string, factor float64) float64 { // the column x is a draw: its unit is not known here
			fields := strings.Split(strings.TrimSuffix(s.Priors()[name].String(), ")"), "=")
			sd, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return factor * sd
		}
		for _, c := range []struct {
			name string
			sd   float64
		}{
			{"v_Intercept", prior("v_Intercept", 1)}, {"v_cond|subject_sigma[hard]", 3 * halfNormal}, {"v_1|subject_sigma", prior("v_1|subject_sigma", halfNormal)},
			{"v_1|subject[3]", prior("v_1|subject_sigma", 1)}, {"v_1|subject[0]", prior("v_1|subject_sigma", 1)},
			{"v_cond|subject[4, hard]", 3}, {"a_1|subject[1]", 0.75}, {"z", 0.8 / math.Sqrt(12)},
			{"v_1|subject:v_x|subject_cor", 0.5}, {"v_x|subject:v_cond|subject[hard]_cor", 0.5},
		} {
			if got := sdOf(c.name); !(math.Abs(got-c.sd) < 0.03*c.sd) {
				t.Errorf("%s: sd %.4f of %s, want %.4f", form, got, c.name, c.sd)
			}
		}
		// the offsets of one level have the drawn correlation
		cor := draws[slices.Index(s.Names(), "v_1|subject:v_x|subject_cor")]
		x, y := draws[slices.Index(s.Names(), "v_1|subject[2]")], draws[slices.Index(s.Names(), "v_x|subject[2]")]
		product := make([]float64, n)
		for i := range product {
			product[i] = x[i] * y[i]
		}
		if r := stat.Correlation(product, cor, nil); !(r > 0.15) {
			t.Errorf("%s: products of offsets and correlations correlate by %.3f", form, r)
		}
	}
}

// A flat prior over all numbers cannot be drawn from, and the error names the coefficient.
func TestPriorSamplerRefuses(t *testing.T) {
	m, b, d := simulated(t, "ddm", 5, 20)
	spec := Spec{Params: map[string]Regression{"v": regression(t, "v ~ x")}}
	if err := spec.SetPriorSet(BrmsPriors, nil); err != nil {
		t.Fatal(err)
	}
	s, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.PriorSampler(); err == nil || err.Error() != "posterior: parameter v_x: a uniform prior over an infinite range cannot be drawn from: give it another prior" {
		t.Errorf("brms's priors are drawn from: %v", err)
	}
}

// Each set gives each kind of coefficient its prior; 0 + cond has a level for each condition. The priors of hssm are those that
// HSSM 0.4.0 prints.
func TestPriorSets(t *testing.T) {
	for _, c := range []struct {
		set  PriorSet
		want map[string]string
	}{
		{"", map[string]string{"v_Intercept": "normal(mean=0,sd=3)", "v_cond[hard]": "normal(mean=0,sd=3)", "v_1|subject_sigma": "halfnormal(sd=1.5)",
			"v_cond|subject_sigma[hard]": "halfnormal(sd=1.5)", "a_cond[easy]": "normal(mean=0,sd=1.5)", "a_1|subject_sigma": "halfnormal(sd=1.5)",
			"z_Intercept": "normal(mean=0,sd=1.5)", "z_cond[hard]": "normal(mean=0,sd=1.5)", "t": "uniform"}},
		{FlatPriors, map[string]string{"v_Intercept": "uniform", "v_cond[hard]": "uniform", "v_1|subject_sigma": "halfnormal(sd=1.5)", "a_cond[easy]": "uniform(low=-10,high=10)",
			"z_Intercept": "uniform(low=-10,high=10)", "t": "uniform"}},
		{PaperPriors, map[string]string{"v_Intercept": "normal(mean=0,sd=1)", "v_cond[hard]": "normal(mean=0,sd=0.5)", "v_1|subject_sigma": "halfnormal(sd=0.5)",
			"a_cond[easy]": "normal(mean=0,sd=1)"}},
		{BrmsPriors, map[string]string{"v_Intercept": "student_t(nu=3,mu=0,sigma=2.5)", "v_cond[hard]": "uniform", "v_1|subject_sigma": "student_t(nu=3,mu=0,sigma=2.5)",
			"a_cond[easy]": "uniform"}},
		{HSSMPriors, map[string]string{"v_Intercept": "normal(mean=2,sd=3)", "v_cond[hard]": "normal(mean=0,sd=0.25)", "v_1|subject_sigma": "weibull(shape=1.5,scale=0.3)",
			"v_cond|subject_sigma[hard]": "weibull(shape=1.5,scale=0.3)", "a_cond[easy]": "normal(mean=0,sd=0.25)", "z_Intercept": "beta(alpha=10,beta=10)"}},
	} {
		m, b, d := simulated(t, "ddm", 5, 20)
		spec := Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + cond + (1 + cond | subject)"), "a": regression(t, "a ~ 0 + cond + (1 | subject)"), "z": regression(t, "z ~ cond")}}
		if c.set != "" {
			of, err := m.Preset(string(c.set))
			if err != nil {
				t.Fatal(err)
			}
			if err := spec.SetPriorSet(c.set, of.Intercepts); err != nil {
				t.Fatal(err)
			}
		}
		s, err := New(m, b, spec, d)
		if err != nil {
			t.Fatal(err)
		}
		priors := s.Priors()
		for name, want := range c.want {
			if got := priors[name].String(); got != want {
				t.Errorf("set %q: %s has %s, want %s", c.set, name, got, want)
			}
		}
		for _, p := range s.Record().Params {
			if c.set == HSSMPriors && p.Formula != nil && p.Link != Identity {
				t.Errorf("set %q: %s has the link %s", c.set, p.Name, p.Link)
			}
		}
	}
	if err := new(Spec).SetPriorSet("none", nil); err == nil {
		t.Error("a set of no name is taken")
	}
}

// A slope's prior depends on its column: shifting the column widens the intercept's prior, and scaling it scales the slope's. The
// prior of an interaction depends on the units of its factors, but not on shifts.
func TestPriorsFollowColumns(t *testing.T) {
	x, w, cond := []float64{-3, -1, 1, 3}, []float64{0, 0, 1, 1}, []string{"A", "B", "A", "B"}
	for _, c := range []struct {
		formula      string
		shift, times float64
		want         map[string]string
	}{
		{"v ~ x", 0, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=3)", "v_x": "normal(mean=0,sd=0.671)"}}, // 3/(2 √5)
		{"v ~ x", 0, 1e-3, map[string]string{"v_Intercept": "normal(mean=0,sd=3)", "v_x": "normal(mean=0,sd=671)"}},
		{"v ~ x", 1, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=3.07)", "v_x": "normal(mean=0,sd=0.671)"}}, // 3 √(1 + 1/20)
		{"v ~ x", 2000, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=1340)", "v_x": "normal(mean=0,sd=0.671)"}},
		{"v ~ scale(x)", 2000, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=3)", "v_scale(x)": "normal(mean=0,sd=1.5)"}},
		{"v ~ 0 + cond + x", 2000, 1, map[string]string{"v_cond[A]": "normal(mean=0,sd=1340)", "v_cond[B]": "normal(mean=0,sd=1340)"}},
		{"v ~ x * cond", 2000, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=1340)", "v_x": "normal(mean=0,sd=0.671)",
			"v_cond[B]": "normal(mean=0,sd=1340)", "v_x:cond[B]": "normal(mean=0,sd=0.671)"}},
		{"v ~ w", 0, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=3)", "v_w": "normal(mean=0,sd=3)"}}, // w is treated as an indicator
		{"v ~ w", 2000, 1, map[string]string{"v_Intercept": "normal(mean=0,sd=6000)", "v_w": "normal(mean=0,sd=3)"}},
		{"v ~ x * w", 2000, 1, map[string]string{"v_x": "normal(mean=0,sd=1340)", "v_w": "normal(mean=0,sd=1340)", "v_x:w": "normal(mean=0,sd=0.671)"}},
		{"v ~ 1 + (1 + x | cond)", 2000, 1, map[string]string{"v_1|cond_sigma": "halfnormal(sd=671)", "v_x|cond_sigma": "halfnormal(sd=0.671)"}},
		{"v ~ 1 + x + (1 + x | cond)", 2000, 1, map[string]string{"v_1|cond_sigma": "halfnormal(sd=671)", "v_x|cond_sigma": "halfnormal(sd=0.335)"}},
	} {
		m, b := boundtest.Open(t, "ddm")
		moved := func(values []float64) []float64 {
			out := slices.Clone(values)
			for i := range out {
				out[i] = out[i]*c.times + c.shift
			}
			return out
		}
		d := Data{Columns: [][]float64{{0.5, 0.6, 0.7, 0.8}}, Choice: []float64{1, -1, 1, 1}, Table: formula.Table{Rows: 4, Columns: []formula.DataColumn{
			{Name: "x", Numeric: moved(x)}, {Name: "w", Numeric: moved(w)}, {Name: "cond", Labels: cond}}}}
		s, err := New(m, b, Spec{Params: map[string]Regression{"v": regression(t, c.formula)}}, d)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.want {
			prior, has := s.Priors()[name]
			if got := prior.String(); !has || got != want {
				t.Errorf("%s, shifted by %v and times %v: %s has %s, want %s", c.formula, c.shift, c.times, name, got, want)
			}
		}
	}
}

// With every link, the prior of a non-decision time is near usual times, and that of another parameter is in the middle of its
// range.
func TestPriorsOfLinks(t *testing.T) {
	for _, c := range []struct {
		text string
		link Link
		want string
	}{
		{"t ~ 1", Log, "normal(mean=-1.2,sd=0.693)"}, {"t ~ 1", Logit, "normal(mean=-1.73,sd=1)"}, {"t ~ 1", Identity, "normal(mean=0.3,sd=0.3)"},
		{"a ~ 1", Log, "normal(mean=-0.144,sd=1.06)"}, {"a ~ 1", Identity, "normal(mean=1.4,sd=1.1)"}, {"z ~ 1", Identity, "normal(mean=0.5,sd=0.2)"},
	} {
		m, b, d := simulated(t, "ddm", 5, 20)
		r := regression(t, c.text)
		r.Link = c.link
		s, err := New(m, b, Spec{Params: map[string]Regression{r.Formula.Param: r}}, d)
		if err != nil {
			t.Fatal(err)
		}
		prior := s.Priors()[r.Formula.Param]
		if got := prior.String(); got != c.want {
			t.Errorf("%s, link %s: %s, want %s", c.text, c.link, got, c.want)
		}
	}
	// a teacher, whose likelihood is known only within the range
	m, b, d := simulated(t, "levy", 5, 20)
	s, err := New(m, b, Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1")}}, d)
	if err != nil {
		t.Fatal(err)
	}
	if prior := s.Priors()["v"]; prior.String() != "normal(mean=0,sd=1.5)" {
		t.Errorf("the drift of a teacher has %s", prior)
	}
}

// TestPriorPredictive: on the parameters' own scale, the default priors have the quantiles that docs/reference/priors.md states.
// Drifts reach 7, and cells of both codings of one design agree within a factor of 1.5.
func TestPriorPredictive(t *testing.T) {
	m, b, d := simulated(t, "ddm", 5, 20)
	spec := Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + cond + (1 | subject)"), "a": regression(t, "a ~ 0 + cond"), "z": regression(t, "z ~ 1 + cond"), "t": regression(t, "t ~ 1")}}
	for param, link := range map[string]Link{"v": Identity, "a": Logit, "z": Logit, "t": Log} {
		r := spec.Params[param]
		r.Link = link
		spec.Params[param] = r
	}
	s, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	all := ofPriors(t, s, 40000)
	of := func(name string) []float64 { return all[slices.Index(s.Names(), name)] }
	own := func(to func(x float64) float64, terms ...string) []float64 {
		sums := make([]float64, len(all[0]))
		for _, term := range terms {
			for k, x := range of(term) {
				sums[k] += x
			}
		}
		for k, x := range sums {
			sums[k] = to(x)
		}
		slices.Sort(sums)
		return sums
	}
	logit := func(low, high float64) func(float64) float64 {
		return func(x float64) float64 { return low + (high-low)/(1+math.Exp(-x)) }
	}
	same := func(x float64) float64 { return x }
	for _, c := range []struct {
		what       string
		draws      []float64
		low, high  float64 // quantiles of 5 and 95 %
		tolerances float64
	}{
		{"drift, reference", own(same, "v_Intercept"), -4.9, 4.9, 0.15},
		{"drift, other condition", own(same, "v_Intercept", "v_cond[hard]"), -7, 7, 0.15},
		{"drift, participant", own(same, "v_Intercept", "v_1|subject[2]"), -5.5, 5.5, 0.15},
		{"boundary, level", own(logit(0.3, 2.5), "a_cond[easy]"), 0.47, 2.33, 0.02},
		{"start, reference", own(logit(0.1, 0.9), "z_Intercept"), 0.16, 0.84, 0.01},
		{"start, other condition", own(logit(0.1, 0.9), "z_Intercept", "z_cond[hard]"), 0.12, 0.88, 0.01},
		{"non-decision time", own(math.Exp, "t"), 0.096, 0.94, 0.02},
	} {
		low, high := stat.Quantile(0.05, stat.Empirical, c.draws, nil), stat.Quantile(0.95, stat.Empirical, c.draws, nil)
		if !(math.Abs(low-c.low) < c.tolerances) || !(math.Abs(high-c.high) < c.tolerances) {
			t.Errorf("%s: 90 %% from %.3f to %.3f, want %.3f to %.3f", c.what, low, high, c.low, c.high)
		}
	}
}

// The offsets of new levels have the spreads and correlations of the draw. The old levels keep their offsets for the next draw.
func TestNewLevels(t *testing.T) {
	s := newStudy(t, "ddm", Auto, "v ~ 1 + (1 + x | subject)")
	names := s.Names()
	d := &chains.Draws{Names: names, Chains: []chains.Chain{{ID: 1, Trace: chains.Trace{Params: make([][]float64, len(names))}}}}
	set := map[string]float64{"v_Intercept": 0.5, "v_1|subject_sigma": 0.3, "v_x|subject_sigma": 0.2, "v_1|subject:v_x|subject_cor": 0.6, "a": 1, "z": 0.5, "t": 0.1,
		"v_1|subject[0]": 7}
	for i, name := range names {
		d.Chains[0].Params[i] = []float64{set[name]}
	}
	rows, rng := s.Rows(), rand.New(rand.NewPCG(3, 4))
	var at, slope []float64
	for range 4000 {
		rows.DrawNew(rng, d, 0, 0)
		for level := range 5 {
			g := s.groups[0]
			at, slope = append(at, rows.coefs[g.offset(level, 0)]), append(slope, rows.coefs[g.offset(level, 1)])
		}
	}
	for _, c := range []struct{ got, want float64 }{{stat.StdDev(at, nil), 0.3}, {stat.StdDev(slope, nil), 0.2}, {stat.Correlation(at, slope, nil), 0.6}, {stat.Mean(at, nil) + 1, 1}} {
		if !(math.Abs(c.got-c.want) < 0.02*c.want) {
			t.Errorf("offsets of new levels: %.4f, want %.4f", c.got, c.want)
		}
	}
	theta := make([]float64, 4)
	rows.Draw(d, 0, 0)
	if rows.Theta(0, theta); theta[0] != 7.5 {
		t.Errorf("the drift of the old level is %v, want 7.5", theta[0])
	}
}
