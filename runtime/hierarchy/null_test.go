package hierarchy

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler/formula"
	"likc/runtime/chains"
	"likc/runtime/posterior"
)

// fakeDraws has normal draws of the coefficients of a study, with the given means and standard deviations; 0 and 1 else.
func fakeDraws(names []string, means, sds map[string]float64) *chains.Draws {
	rng := rand.New(rand.NewPCG(5, 6))
	d := &chains.Draws{Names: names, Chains: make([]chains.Chain, 4)}
	for c := range d.Chains {
		d.Chains[c] = chains.Chain{ID: c + 1, Trace: chains.NewTrace(len(names), 2000)}
		for j, name := range names {
			sd := sds[name]
			if sd == 0 {
				sd = 1
			}
			for range 2000 {
				d.Chains[c].Params[j] = append(d.Chains[c].Params[j], means[name]+sd*rng.NormFloat64())
			}
		}
	}
	return d
}

// With normal priors and posteriors, the ratio is one of normal densities, for a coefficient and for a difference of conditions.
func TestNull(t *testing.T) {
	s := newStudy(t, "ddm", Auto, "v ~ cond + (1 | subject)")
	priors := map[string]posterior.Parameter{}
	for name, p := range s.Priors() {
		priors[name] = posterior.Parameter{Name: name, Lower: math.Inf(-1), Upper: math.Inf(1), Prior: p}
	}
	d := fakeDraws(s.Names(), map[string]float64{"v_cond[hard]": 0.2}, map[string]float64{"v_cond[hard]": 0.1})
	normal := func(x, mean, sd float64) float64 {
		return math.Exp(-(x-mean)*(x-mean)/(2*sd*sd)) / (sd * math.Sqrt(2*math.Pi))
	}
	want := normal(0, 0, 3) / normal(0, 0.2, 0.1)
	for _, text := range []string{"`v_cond[hard]`", "v[cond=hard] - v[cond=easy]"} {
		c, err := formula.ParseContrast(text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Record().Null(c, 0, d, priors)
		if err != nil || n.Guess || !(math.Abs(n.Ratio()/want-1) < 0.1) {
			t.Errorf("%s: ratio %.4f (%v), want %.4f", text, n.Ratio(), err, want)
		}
		if n, err = s.Record().Null(c, -0.5, d, priors); err != nil || !n.Guess {
			t.Errorf("%s: seven standard deviations off it is no guess: %v, %v", text, n, err)
		}
	}
	for text, want := range map[string]string{
		"`v_1|subject[2]`": "formula:1:1: v_1|subject[2] has no prior of its own: no density of it is known before the data",
		"1":                "it depends on nothing that is estimated",
	} {
		c, err := formula.ParseContrast(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Record().Null(c, 0, d, priors); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Effects are those of the design: labels have the sum of their coefficients, and numbers a line.
func TestEffects(t *testing.T) {
	s := newStudy(t, "ddm", Auto, "v ~ x + cond + (1 | subject)")
	d := fakeDraws(s.Names(), map[string]float64{"v_Intercept": 1, "v_x": 0.5, "v_cond[hard]": -2}, map[string]float64{"v_Intercept": 1e-9, "v_x": 1e-9, "v_cond[hard]": 1e-9})
	all, err := s.Record().Effects(d)
	if err != nil || len(all) != 2 {
		t.Fatalf("%d effects, %v", len(all), err)
	}
	mean := 0.0
	for _, x := range s.data.Table.Columns[0].Numeric {
		mean += x / float64(s.Trials())
	}
	for _, e := range all {
		if e.Column == "cond" {
			for i, want := range []float64{1 + 0.5*mean, -1 + 0.5*mean} {
				if got := e.Draws[i][0][0]; !(math.Abs(got-want) < 1e-6) {
					t.Errorf("v where cond is %s: %v, want %v", e.Labels[i], got, want)
				}
			}
			continue
		}
		for i, x := range e.At {
			if got, want := e.Draws[i][0][0], 0.5*x; !(math.Abs(got-want) < 1e-6) { // half the trials are hard
				t.Errorf("v at x = %v: %v, want %v", x, got, want)
			}
		}
	}
}
