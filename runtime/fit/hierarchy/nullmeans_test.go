package hierarchy

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/statistic"
)

// meansStudies have coefficients that are means of group effects. contrasts are tested in each study.
var meansStudies = []struct {
	formula, prior, of string // formula of v; a prior other than the default one, and the coefficient that has it ("" for none)
	contrasts          []string
}{
	{formula: "v ~ 1 + cond + (1 + cond | subject)", contrasts: []string{"v[cond=hard] - v[cond=easy]", "v[cond=hard]"}},
	{formula: "v ~ 1 + x + (1 + x || subject) + (1 | cond:subject)", of: "v_x", prior: "student_t(3, 0, 0.5)", contrasts: []string{"`v_x`", "`v_Intercept`"}},
}

// meansStudy returns a study, and the priors of its coefficients. The coefficient `of` gets the given prior; "" for none.
func meansStudy(t *testing.T, text, of, prior string) (*Study, map[string]posterior.Parameter) {
	t.Helper()
	m, b, data := simulated(t, "ddm", 5, 20)
	spec := Spec{Params: map[string]Regression{"v": regression(t, text)}, Priors: map[string]posterior.Prior{}}
	if of != "" {
		spec.Priors[of] = mustPrior("%s", prior)
	}
	s, err := New(m, b, spec, data)
	if err != nil {
		t.Fatal(err)
	}
	priors := map[string]posterior.Parameter{}
	for _, p := range s.coords {
		priors[p.Name] = p
	}
	return s, priors
}

func nullAt(t *testing.T, s *Study, text string, value float64, d *chains.Draws, priors map[string]posterior.Parameter) Null {
	t.Helper()
	c, err := formula.ParseContrast(text)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Record().Null(c, value, d, priors)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Draws from the priors contain no information: the Bayes factor is 1 at any value.
func TestNullOfPriorDraws(t *testing.T) {
	for _, study := range meansStudies {
		s, priors := meansStudy(t, study.formula, study.of, study.prior)
		sampler, err := s.PriorSampler()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		names := s.Names()
		d, coefs := &chains.Draws{Names: names, Chains: make([]chains.Chain, 4)}, make([]float64, len(names))
		for c := range d.Chains {
			d.Chains[c].Trace = chains.NewTrace(len(names), 4000)
			for range 4000 {
				sampler.Draw(rng, coefs)
				for j, x := range coefs {
					d.Chains[c].Params[j] = append(d.Chains[c].Params[j], x)
				}
			}
		}
		for _, text := range study.contrasts {
			for _, value := range []float64{0, 1, -4} {
				n := nullAt(t, s, text, value, d, priors)
				if n.Guess && value == -4 && n.Ratio() <= 1 { // far in the tail of a Student prior: a lower bound
					continue
				}
				if !(math.Abs(n.Ratio()-1) < 4*n.Error+0.01) || n.Error > 0.15 || n.Guess {
					t.Errorf("%s, %s = %v: ratio %.3f ± %.3f, want 1", study.formula, text, value, n.Ratio(), n.Error)
				}
			}
		}
	}
}

// The density from conditional densities equals the kernel density where there are many draws.
func TestNullOfMeansAgainstKernels(t *testing.T) {
	for _, study := range meansStudies {
		s, priors := meansStudy(t, study.formula, study.of, study.prior)
		d := drawnFrom(t, s)
		for _, text := range study.contrasts {
			c, err := formula.ParseContrast(text)
			if err != nil {
				t.Fatal(err)
			}
			byChain, err := s.Record().Contrast(c, d)
			if err != nil {
				t.Fatal(err)
			}
			var x []float64
			for _, chain := range byChain {
				x = append(x, chain...)
			}
			for _, z := range []float64{-1, 0, 1} {
				value := chains.Mean(byChain) + z*chains.SD(byChain)
				n := nullAt(t, s, text, value, d, priors)
				kernel := statistic.Kernel(x, value, math.Inf(-1), math.Inf(1))
				if !(math.Abs(n.Posterior/kernel-1) < 0.12) || n.Posterior == kernel { // kernels have an error of 3 %
					t.Errorf("%s, %s at %v sd: density %.4f, kernels say %.4f", study.formula, text, z, n.Posterior, kernel)
				}
			}
		}
	}
}

func drawnFrom(t *testing.T, s *Study) *chains.Draws {
	t.Helper()
	p, err := s.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	settings := nuts.DefaultSettings()
	settings.NumWarmup, settings.NumSamples, settings.Seed = 500, 1000, 3
	drawn, err := p.Sample(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return drawn.Draws
}

// TestNullOfSlope: far from the draws, the density of a slope's mean is a mean of normal densities. They are written out here for
// two effects. With the levels' own coefficients θ, their mean m over levels, and P = 5Σ⁻¹, the means have precision P + S⁻¹ and
// mean (P + S⁻¹)⁻¹ P m.
func TestNullOfSlope(t *testing.T) {
	s, priors := meansStudy(t, meansStudies[0].formula, "", "")
	d := drawnFrom(t, s)
	column := func(name string) []float64 {
		var all []float64
		for c := range d.Chains {
			all = append(all, d.Chains[c].Params[d.Index(name)]...)
		}
		return all
	}
	one, two := column("v_Intercept"), column("v_cond[hard]")
	for _, level := range []string{"0", "1", "2", "3", "4"} {
		for k, x := range column("v_1|subject[" + level + "]") {
			one[k] += x / 5
		}
		for k, x := range column("v_cond|subject[" + level + ", hard]") {
			two[k] += x / 5
		}
	}
	s1, s2, r := column("v_1|subject_sigma"), column("v_cond|subject_sigma[hard]"), column("v_1|subject:v_cond|subject[hard]_cor")
	for _, value := range []float64{0, 2, -3} {
		want := 0.0
		for k := range one {
			free := 5 / (1 - r[k]*r[k])
			p11, p22, p12 := free/(s1[k]*s1[k]), free/(s2[k]*s2[k]), -free*r[k]/(s1[k]*s2[k])
			q11, q22 := p11+1.0/9, p22+1.0/9 // the usual priors are normal(0, 3)
			det := q11*q22 - p12*p12
			b1, b2 := p11*one[k]+p12*two[k], p12*one[k]+p22*two[k]
			want += normalDensity(value, (q11*b2-p12*b1)/det, math.Sqrt(q11/det)) / float64(len(one))
		}
		n := nullAt(t, s, "v[cond=hard] - v[cond=easy]", value, d, priors)
		t.Logf("at %v: %v, error %.3f", value, n.Words(), n.Error)
		if !(math.Abs(n.Posterior/want-1) < 1e-6) && !(n.Guess && n.Posterior > want) {
			t.Errorf("at %v: density %.6g, want %.6g", value, n.Posterior, want)
		}
	}
}

// If hardly any draw lies beyond the value and no conditional density is known, densityAt returns an upper bound. For normal
// draws, the density hardly ever exceeds it, and the bound is at most 30 times the density at four standard deviations.
func TestTailBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	above := 0
	for range 50 {
		drawn := make([][]float64, 4)
		for c := range drawn {
			for range 1000 {
				drawn[c] = append(drawn[c], rng.NormFloat64())
			}
		}
		for _, value := range []float64{3.5, 4, -5, -7} {
			bound, _, guess := densityAt(drawn, nil, value, math.Inf(-1), math.Inf(1))
			if !guess {
				t.Errorf("density at %v is no guess", value)
			}
			if bound < normalDensity(value, 0, 1) {
				above++
			}
			if value == 4 && bound > 30*normalDensity(value, 0, 1) {
				t.Errorf("bound %.3g, density %.3g", bound, normalDensity(value, 0, 1))
			}
		}
	}
	if above > 2 {
		t.Errorf("%d of 200 bounds lie below the density", above)
	}
}
