package hierarchy

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// fakeDraws returns normal draws of the named coefficients, with the given means and standard deviations. The defaults are 0 and
// 1.
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

// With normal priors and posteriors, the ratio is a ratio of normal densities, for a coefficient and for a difference of
// conditions.
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

// Effects follow from the design: for labels they are sums of coefficients, for numbers points on a line.
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

// If a parameter is behind a link, the null is a statement about linear predictors. Products, and sums that are no such
// statement, are refused with one line.
func TestNullBehindLink(t *testing.T) {
	s := newStudy(t, "ddm", Auto, "a ~ 0 + cond", "v ~ x + cond", "z ~ x * cond", "t ~ cond")
	priors := map[string]posterior.Parameter{}
	for _, p := range s.coords {
		priors[p.Name] = p
	}
	priors["v_x"] = posterior.Parameter{Name: "v_x", Lower: math.Inf(-1), Upper: math.Inf(1), Prior: mustPrior("gamma(0.5, 1)")}
	d := fakeDraws(s.Names(), nil, map[string]float64{"a_cond[easy]": 0.1, "a_cond[hard]": 0.1})
	for text, want := range map[string]string{
		"a[cond=hard] - a[cond=easy]":               "a_cond[hard] - a_cond[easy] = 0",
		"2*a[cond=hard] - 2*a[cond=easy]":           "a_cond[hard] - a_cond[easy] = 0",
		"v[cond=hard]/2 - v[cond=easy]/2":           "v_cond[hard] = 0",
		"v[cond=hard] + v[cond=easy]":               "the prior of v_x has an infinite density at an end of its range",
		"z[x=1] - z[x=0]":                           "z is behind the link logit: only the difference",
		"z[x=1,cond=easy] - z[x=0,cond=easy]":       "z_x = 0",
		"a[cond=hard] - a[cond=easy] - 0.1":         "a is behind the link logit: only the difference",
		"a[cond=hard] * a[cond=easy]":               "only sums and differences have a point null",
		"v[cond=hard] * v[cond=easy]":               "only sums and differences have a point null",
		"a[cond=hard]":                              "a cannot be 0 behind its link logit",
		"v[cond=hard] - v[cond=hard]":               "it depends on nothing that is estimated",
		"t[cond=hard] - t[cond=easy]":               "t_cond[hard] = 0",
		"v_x":                                       "the prior density at 0 is infinite: no Bayes factor comes from it",
		"v_x - v_Intercept":                         "the prior of v_x has an infinite density at an end of its range",
		"a[cond=easy] - 1.4":                        "a_cond[easy] = 0", // the middle of a's range
		"(a[cond=hard] - v[cond=hard]) * 0 + 3 * 0": "it depends on nothing that is estimated",
	} {
		c, err := formula.ParseContrast(text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Record().Null(c, 0, d, priors)
		got := n.Tested
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestNullPointsArePlain: a point is written with one coefficient without a weight, or with several that are not all subtracted.
func TestNullPointsArePlain(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		value   float64
		want    string
	}{
		{[]float64{4}, 6, "a = 1.5"},
		{[]float64{-1}, 3, "a = -3"},
		{[]float64{-1, -1}, 3, "a + b = -3"},
		{[]float64{1, -1}, 0, "a - b = 0"},
	} {
		p := nullPoint{linearForm: linearForm{names: []string{"a", "b"}[:len(c.weights)], weights: c.weights}, value: c.value}
		if got := p.plain().String(); got != c.want {
			t.Errorf("weights %v, value %v: %s, want %s", c.weights, c.value, got, c.want)
		}
	}
}

// The prior density of several coefficients that are not all normal is right to 1 %. The difference of two uniform variables has
// a triangular density, and that of two exponential ones a Laplace density.
func TestPriorDensity(t *testing.T) {
	of := func(text string) posterior.Parameter {
		return posterior.Parameter{Lower: math.Inf(-1), Upper: math.Inf(1), Prior: mustPrior("%s", text)}
	}
	for _, c := range []struct {
		a, b        string
		value, want float64
	}{
		{"uniform(0, 1)", "uniform(0, 1)", 0, 1},
		{"uniform(0, 1)", "uniform(0, 1)", -0.5, 0.5},
		{"normal(1, 3)", "normal(0, 4)", 1, normalDensity(0, 0, 5)},
		{"normal(1, 3)", "truncnormal(0, 4, -100, 100)", 1, normalDensity(0, 0, 5)},
		{"exponential(1)", "exponential(1)", 0, 0.5},
	} {
		p := nullPoint{linearForm: linearForm{names: []string{"a", "b"}, weights: []float64{1, -1}}, value: c.value}
		got, err := p.priorDensity([]posterior.Parameter{of(c.a), of(c.b)})
		if err != nil || !(math.Abs(got/c.want-1) < 0.01) {
			t.Errorf("%s - %s at %v: density %.4f (%v), want %.4f", c.a, c.b, c.value, got, err, c.want)
		}
	}
}

// A Bayes factor is written as odds with the hypothesis that they favour.
func TestNullWords(t *testing.T) {
	for want, n := range map[string]Null{
		"31 : 1 for no difference": {Prior: 1, Posterior: 30.6, Equal: true},
		"2.4 : 1 for a difference": {Prior: 2.4, Posterior: 1, Equal: true},
		"9.9 : 1 for 0.5":          {Prior: 1, Posterior: 9.9, Value: 0.5},
		"> 10,000 : 1 against 0":   {Prior: 1, Posterior: 1e-6},
		"1.0 : 1 against 0":        {Prior: 1, Posterior: 1},

		"18 : 1 for a difference, ± 31 %":           {Prior: 18, Posterior: 1, Equal: true, Error: 0.31},
		"18 : 1 for a difference":                   {Prior: 18, Posterior: 1, Equal: true, Error: 0.19},
		"more than 30 : 1 against 0":                {Prior: 97, Posterior: 1, Guess: true},
		"more than 100 : 1 for a difference":        {Prior: 1, Posterior: 0, Equal: true, Guess: true},
		"less than about 2.0 : 1 for no difference": {Prior: 1, Posterior: 2, Equal: true, Guess: true},
		"not known: too few draws":                  {Prior: 1, Posterior: math.Inf(1), Guess: true},
	} {
		if got := n.Words(); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
}

// A column far from 0 widens the priors of the terms that it multiplies. The prior of the same difference between conditions is
// then wider too. A caution says that its Bayes factor is no evidence. Priors that the user gives are not widened.
func TestCautionOfWidePriors(t *testing.T) {
	for _, c := range []struct {
		formula, given string
		cautious       bool
	}{
		{formula: "v ~ cond * x"},
		{formula: "v ~ cond * far", cautious: true},
		{formula: "v ~ cond * center(far)"},
		{formula: "v ~ cond * far", given: "v_cond[hard]"},
		{formula: "v ~ cond + far"}, // only the intercept has a wider prior
		{formula: "v ~ 0 + cond + far", cautious: true},
	} {
		m, b, data := simulated(t, "ddm", 5, 20)
		far := formula.DataColumn{Name: "far"}
		for _, x := range data.Table.Columns[slices.IndexFunc(data.Table.Columns, func(of formula.DataColumn) bool { return of.Name == "x" })].Numeric {
			far.Numeric = append(far.Numeric, 100+x)
		}
		data.Table.Columns = append(data.Table.Columns, far)
		r := regression(t, c.formula)
		spec := Spec{Params: map[string]Regression{"v": r}, Priors: map[string]posterior.Prior{}}
		if c.given != "" {
			spec.Priors[c.given] = mustPrior("normal(0, 1)")
		}
		s, err := New(m, b, spec, data)
		if err != nil {
			t.Fatal(err)
		}
		priors := map[string]posterior.Parameter{}
		for _, p := range s.coords {
			priors[p.Name] = p
		}
		contrast, err := formula.ParseContrast("v[cond=hard] - v[cond=easy]")
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Record().Null(contrast, 0, fakeDraws(s.Names(), nil, nil), priors)
		if err != nil {
			t.Fatal(err)
		}
		if (n.Caution() != "") != c.cautious {
			t.Errorf("%s, given %q: tested %s, caution %q", c.formula, c.given, n.Tested, n.Caution())
		}
	}
}

// Questions are about slopes and about differences between levels. They never ask whether an intercept or a level is 0 on the
// scale of a link.
func TestQuestions(t *testing.T) {
	for text, want := range map[string]string{
		"a ~ 0 + cond":          "a_cond[hard] - a_cond[easy]?",
		"a ~ 1":                 "",
		"a ~ 1 + (1 | subject)": "",
		"v ~ cond":              "v_cond[hard]?",
		"v ~ 0 + x":             "v_x",
		"v ~ 0 + cond + cond:x": "v_cond[hard] - v_cond[easy]? v_cond:x[easy] v_cond:x[hard]",
		"v ~ x * cond":          "v_x v_cond[hard]? v_x:cond[hard]",
		"a ~ 0 + C(subject)":    "a_C(subject)[1] - a_C(subject)[0]? a_C(subject)[2] - a_C(subject)[0]? a_C(subject)[3] - a_C(subject)[0]? a_C(subject)[4] - a_C(subject)[0]?",
	} {
		s := newStudy(t, "ddm", Auto, text)
		all, err := s.Record().Questions()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, q := range all {
			name := q.Name
			if q.Difference {
				name += "?"
			}
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Zero has a meaning for slopes, for differences, and for a parameter that is its own predictor. It has none for a level behind a
// link, nor for numbers that cannot be negative.
func TestZeroMeans(t *testing.T) {
	s := newStudy(t, "ddm", Auto, "v ~ cond + (1 + x | subject)", "a ~ 0 + cond", "z ~ x")
	want := map[string]bool{"v_Intercept": true, "v_cond[hard]": true, "v_1|subject_sigma": false, "v_1|subject:v_x|subject_cor": true,
		"a_cond[easy]": false, "a_cond[hard]": false, "z_Intercept": false, "z_x": true, "t": false, "nothing": false}
	for name, means := range want {
		if got := s.ZeroMeans(name); got != means {
			t.Errorf("0 means something of %s: %v, want %v", name, got, means)
		}
	}
}

// TestStrength: odds are named with Jeffreys' words, with "at least" or "at most" before a bound.
func TestStrength(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		guess bool
		want  string
	}{
		{2.9, false, "anecdotal"}, {1 / 2.9, false, "anecdotal"}, {3, false, "moderate"}, {12, false, "strong"}, {1. / 31, false, "very strong"},
		{500, true, "extreme"}, {1. / 20, true, "at most strong"}, {100, false, "extreme"},
	} {
		if got := (Null{Prior: c.ratio, Posterior: 1, Guess: c.guess}).Strength(); got != c.want {
			t.Errorf("%v: %q, want %q", c.ratio, got, c.want)
		}
	}
	if got := (Null{Prior: 1, Posterior: math.Inf(1)}).Strength(); got != "" {
		t.Errorf("an unknown ratio is %q", got)
	}
}
