package audit

import (
	"context"
	"math"
	"testing"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/bank"
)

func exactModel() Model {
	m := Model{Name: "ddm", Onset: 3, Bind: func(p Population) (kernel.Sum, error) {
		return MeanDensity{p, ssm.DDM}, nil
	}}
	for _, p := range ssm.DDM.Params {
		m.Params = append(m.Params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	return m
}

var truths = [][]float64{{1, 1.2, 0.5, 0.3}, {-0.5, 0.8, 0.35, 1.1}, {0.2, 1.8, 0.7, 0.6}, {1.5, 0.5, 0.4, 1.9}}

// TestExact: no other parameters explain a density's trials better than its own (Gibbs' inequality), so θ* = θ.
func TestExact(t *testing.T) {
	for i, theta := range truths {
		got, err := findLimit(context.Background(), exactModel(), Exact(ssm.DDM, theta, 60), i, theta)
		if err != nil || got.Error != "" {
			t.Fatal(err, got.Error)
		}
		for j, x := range got.Argmax {
			if !(math.Abs(float64(x)-theta[j]) <= 2e-4) {
				t.Errorf("at %v: θ* is %v", theta, got.Argmax)
				break
			}
		}
		if !(math.Abs(float64(got.Gain)) <= 1e-7) {
			t.Errorf("at %v: θ* gains %v over the truth", theta, got.Gain)
		}
	}
}

// mean is the model rt ~ normal(v, 1) for each choice. Its limit for v is the mean response time. The other parameters have
// penalties around fixed values.
type mean struct{ Population }

func (mean) Dim() int { return 4 }
func (m mean) LogLik(theta []float64) float64 {
	var grad [4]float64
	return m.LogLikGrad(theta, grad[:])
}
func (m mean) LogLikGrad(theta, grad []float64) (sum float64) {
	clear(grad)
	for i, rt := range m.RT {
		sum -= m.Weight[i] * (rt - theta[0]) * (rt - theta[0]) / 2
		grad[0] += m.Weight[i] * (rt - theta[0])
	}
	for j, at := range []float64{0, 1, 0.5, 0.1} {
		if j > 0 {
			sum -= (theta[j] - at) * (theta[j] - at)
			grad[j] = -2 * (theta[j] - at)
		}
	}
	return sum
}

// meanTime is E[rt] of the drift-diffusion model: t + (E[V(τ)] - V(0))/v, by Wald's identity, with boundaries at ±a.
func meanTime(theta []float64) float64 {
	v, a, x0 := theta[0], theta[1], theta[1]*(2*theta[2]-1)
	upper := (1 - math.Exp(-2*v*(x0+a))) / (1 - math.Exp(-4*v*a))
	return theta[3] + (a*(2*upper-1)-x0)/v
}

// TestLimitOfWrongModel: the limit of a model other than the simulator's is known. Populations by quadrature and by simulation
// both give it.
func TestLimitOfWrongModel(t *testing.T) {
	m := exactModel()
	m.Bind = func(p Population) (kernel.Sum, error) { return mean{p}, nil }
	for i, theta := range truths {
		want := meanTime(theta)
		sample, err := Simulated(ssm.DDM, ssm.ExactScheme(), ssm.NewRand(1, uint64(i)), theta, 40000, 60)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			p         Population
			tolerance float64
		}{"quadrature": {Exact(ssm.DDM, theta, 60), 1e-5}, "sample": {sample, 0.05}} {
			got, err := findLimit(context.Background(), m, c.p, i, theta)
			if err != nil || got.Error != "" {
				t.Fatal(err, got.Error)
			}
			if !(math.Abs(float64(got.Argmax[0])-want) <= c.tolerance) || !(math.Abs(float64(got.Argmax[2])-0.5) <= 1e-4) {
				t.Errorf("%s at %v: θ* is %v, want %v, 1, 0.5, 0.1", name, theta, got.Argmax, want)
			}
		}
	}
}

// TestContaminate: guesses replace the given share of trials, with times in the window and random choices.
func TestContaminate(t *testing.T) {
	s, err := bank.NewSettings("test-60", "ddm", "exact", 7)
	if err != nil {
		t.Fatal(err)
	}
	s.SetTrials(1000)
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := Guesses{From: 0.1, To: 0.3}
	for _, share := range []float64{0, 0.0025, 0.01} {
		c, again := Contaminate(b, 3, share, g, 1), Contaminate(b, 3, share, g, 1)
		after := Contaminate(b, 3, share, Guesses{From: 0.1, To: 0.3, AfterOnset: true}, 1)
		parts := Contaminate(b, 3, share, Guesses{From: 0.1, To: 0.3, OfOnset: true}, 1)
		replaced, total, upper := 0, 0, 0
		for i, s := range b.Subjects {
			total += len(s.RT)
			if len(c.Subjects[i].RT) != len(s.RT) {
				t.Fatalf("subject %d has %d trials, had %d", i, len(c.Subjects[i].RT), len(s.RT))
			}
			for k, rt := range c.Subjects[i].RT {
				if rt != again.Subjects[i].RT[k] {
					t.Fatal("the same seed gives other guesses")
				}
				if rt == s.RT[k] {
					continue
				}
				if replaced++; rt < g.From || rt > g.To {
					t.Errorf("a guess takes %v s", rt)
				}
				if since := after.Subjects[i].RT[k] - rt; !(math.Abs(since-s.Theta[3]) <= 1e-12) {
					t.Errorf("a guess comes %v s later if it waits for an onset of %v s", since, s.Theta[3])
				}
				if got, want := parts.Subjects[i].RT[k], max(rt*s.Theta[3], 1e-3); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("a guess takes %v s, want %v of an onset of %v s", got, rt, s.Theta[3])
				}
				switch c.Subjects[i].Choice[k] {
				case 1:
					upper++
				case -1:
				default:
					t.Errorf("a guess of %v", c.Subjects[i].Choice[k])
				}
			}
		}
		if got := float64(replaced) / float64(total); !(math.Abs(got-share) <= 2e-4) {
			t.Errorf("share %v: %v of trials are replaced", share, got)
		}
		if n := float64(replaced); !(math.Abs(float64(upper)-n/2) <= 4*math.Sqrt(n/4)) {
			t.Errorf("share %v: %d of %d guesses are at the upper boundary", share, upper, replaced)
		}
	}
}

// TestCompare: counts and a correlation are compared with ones computed by hand.
func TestCompare(t *testing.T) {
	one := func(implied, impliedEdge, measured, measuredEdge float64, guesses bool) Summary {
		return Summary{
			Params: []Param{{Name: "v", Implied: finite.Number(implied), Edge: finite.Number(impliedEdge),
				Measured: finite.Number(measured), Gap: finite.Number(implied - measured)}},
			Recoveries: []Recovery{
				{Pass: measured > 0.5 && measuredEdge < 0.5, Edge: []finite.Number{finite.Number(measuredEdge)}},
				{Share: 0.01, Pass: guesses}},
		}
	}
	nan := math.NaN()
	got := Compare([]Summary{
		one(0.9, 0, 0.8, 0, true),
		one(0.4, 0, 0.6, 0, false),
		one(0.8, 0.7, 0.7, 0.1, false), // most limits lie at a bound
		one(nan, 1, 0.2, 0, false),     // all limits are equal
	})
	p := got.Params[0]
	if got.Models != 4 || p.ImpliedCount != 1 || p.MeasuredCount != 3 || !(math.Abs(float64(p.MedianGap)-0.1) <= 1e-12) {
		t.Errorf("compared %+v", got)
	}
	// implied .9 .4 .8 and measured .8 .6 .7 deviate by .2 -.3 .1 and .1 -.1 0: r = .05 / √(.14 × .02)
	if want := 0.05 / math.Sqrt(0.14*0.02); !(math.Abs(float64(p.Correlation)-want) <= 1e-12) {
		t.Errorf("correlation %v, want %v", p.Correlation, want)
	}
	if r := got.Recover; len(r) != 2 || r[0].Models != 3 || r[1] != (Recover{0.01, 1}) {
		t.Errorf("recover %+v", r)
	}
}

// findLimit finds the population argmax of one population.
func findLimit(ctx context.Context, m Model, p Population, subject int, theta []float64) (Limit, error) {
	c := study.Case{ID: subject, Truth: theta, Data: hierarchy.Data{Columns: [][]float64{p.RT}, Choice: p.Choice}, Weight: p.Weight}
	return study.Each(one{c}, m.fitter(), limitOf)(ctx, 0)
}

// one is a source of one case.
type one struct{ of study.Case }

func (one) N() int { return 1 }

func (o one) Case(context.Context, int) (study.Case, error) { return o.of, nil }
