package hierarchy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/chains"
	"likc/runtime/posterior"
)

// ofPriors draws from the priors of a study: a slice a coefficient.
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

// Draws from the priors have the moments of the priors: of intercepts and slopes normal, of spreads half-normal, of offsets the
// spread's, whatever the form, and correlations of three effects are uniform under LKJ(1) over matrices, so beta(1.5, 1.5) each.
func TestPriorSampler(t *testing.T) {
	const n = 20000
	for _, form := range []Form{Centred, NonCentred} {
		s := newStudy(t, "ddm", form, "v ~ x + (1 + x + cond | subject)", "a ~ 1 + (1 | subject)")
		draws := ofPriors(t, s, n)
		sdOf := func(name string) float64 { return stat.StdDev(draws[slices.Index(s.Names(), name)], nil) }
		halfNormal := math.Sqrt(1 - 2/math.Pi)
		for _, c := range []struct {
			name string
			sd   float64
		}{
			{"v_Intercept", 1}, {"v_cond|subject_sigma[hard]", 0.5 * halfNormal}, {"v_1|subject_sigma", 0.5 * halfNormal}, {"v_1|subject[3]", 0.5}, {"v_1|subject[0]", 0.5},
			{"v_cond|subject[4, hard]", 0.5}, {"a_1|subject[1]", 0.5}, {"z", 0.8 / math.Sqrt(12)},
			{"v_1|subject:v_x|subject_cor", 0.5}, {"v_x|subject:v_cond|subject[hard]_cor", 0.5},
		} {
			if got := sdOf(c.name); !(math.Abs(got-c.sd) < 0.03*c.sd) {
				t.Errorf("%s: sd %.4f of %s, want %.4f", form, got, c.name, c.sd)
			}
		}
		// offsets of one level are correlated as the draw says
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
	if err := spec.SetPriorSet("brms", nil); err != nil {
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

// Each set gives each kind of coefficient its prior; 0 + cond has a level a column.
func TestPriorSets(t *testing.T) {
	normal, err := posterior.ParsePrior("normal(2,3)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set                                 string
		intercept, slope, level, spread, at string
	}{
		{"", "normal(mean=0,sd=1)", "normal(mean=0,sd=0.5)", "normal(mean=0,sd=1)", "halfnormal(sd=0.5)", "normal(mean=0,sd=1)"},
		{"paper", "normal(mean=0,sd=1)", "normal(mean=0,sd=0.5)", "normal(mean=0,sd=1)", "halfnormal(sd=0.5)", "normal(mean=0,sd=1)"},
		{"brms", "student_t(nu=3,mu=0,sigma=2.5)", "uniform", "uniform", "student_t(nu=3,mu=0,sigma=2.5)", "student_t(nu=3,mu=0,sigma=2.5)"},
		{"hssm", "normal(mean=2,sd=3)", "normal(mean=0,sd=0.5)", "normal(mean=0,sd=1)", "halfnormal(sd=0.5)", "normal(mean=0,sd=1)"},
	} {
		m, b, d := simulated(t, "ddm", 5, 20)
		spec := Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + (1 | subject)"), "a": regression(t, "a ~ 0 + cond"), "z": regression(t, "z ~ cond")}}
		if c.set != "" {
			if err := spec.SetPriorSet(c.set, map[string]posterior.Prior{"v": normal}); err != nil {
				t.Fatal(err)
			}
		}
		s, err := New(m, b, spec, d)
		if err != nil {
			t.Fatal(err)
		}
		priors := s.Priors()
		for name, want := range map[string]string{"v_Intercept": c.intercept, "z_cond[hard]": c.slope, "a_cond[easy]": c.level, "v_1|subject_sigma": c.spread, "z_Intercept": c.at} {
			if got := priors[name].String(); got != want {
				t.Errorf("set %q: %s has %s, want %s", c.set, name, got, want)
			}
		}
	}
	if err := new(Spec).SetPriorSet("flat", nil); err == nil {
		t.Error("flat is taken")
	}
}

// New levels have the spreads and correlations of the draw, and the old ones stay as they are for the next draw.
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
