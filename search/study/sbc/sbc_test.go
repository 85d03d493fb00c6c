package sbc

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/posterior"
	"likc/runtime/num/finite"
	"likc/search/study"
)

// normal is the likelihood of a mean, with a known standard deviation of 1, raised to a power. With power 1 it is right.
type normal struct{ n, sum, squares, power float64 }

func (l normal) Dim() int { return 1 }
func (l normal) LogLik(theta []float64) float64 {
	return -l.power / 2 * (l.squares - 2*theta[0]*l.sum + l.n*theta[0]*theta[0])
}
func (l normal) LogLikGrad(theta, grad []float64) float64 {
	grad[0] = l.power * (l.sum - l.n*theta[0])
	return l.LogLik(theta)
}

// toy returns a model of normal trials. shift is added to the trials, but not known to the likelihood.
func toy(power, shift float64) Model {
	params := []posterior.Parameter{{Name: "mu", Lower: -5, Upper: 5}}
	return Model{Name: "toy", Params: params, Gap: func([]float64) float64 { return 0 },
		Simulate: func(rng *rand.Rand, theta []float64, trials int) (hierarchy.Data, error) {
			y := make([]float64, trials)
			for i := range y {
				y[i] = theta[0] + shift + rng.NormFloat64()
			}
			return hierarchy.Data{Columns: [][]float64{y}}, nil
		},
		Bind: func(c *study.Case) (study.Problem, error) {
			l := normal{n: float64(len(c.Columns[0])), power: power}
			for _, y := range c.Columns[0] {
				l.sum += y
				l.squares += y * y
			}
			return study.Problem{Sum: l, Params: params}, nil
		}}
}

func calibrate(t *testing.T, m Model, threads int) Summary {
	t.Helper()
	s := DefaultSettings()
	s.Trials, s.Warmup, s.Draws = 25, 200, 400
	all, err := (&question{s, m}).run(t.Context(), study.InMemory(threads))
	if err != nil {
		t.Fatal(err)
	}
	return Summarise(m, s, all)
}

// TestToy: the right likelihood is calibrated. A likelihood that is too narrow, too wide or shifted is not, and the dispersion
// shows which.
func TestToy(t *testing.T) {
	for _, c := range []struct {
		name         string
		power, shift float64
		inside       bool
		least, most  float64 // dispersion
	}{
		{"right", 1, 0, true, 0.85, 1.15},
		{"too narrow", 4, 0, false, 1.3, 3},
		{"too wide", 0.2, 0, false, 0, 0.6},
		{"shifted", 1, 0.15, false, 0, 2},
	} {
		got := calibrate(t, toy(c.power, c.shift), 0)
		p := got.Kept.Params[0]
		if p.Inside != c.inside || float64(p.Dispersion) < c.least || float64(p.Dispersion) > c.most {
			t.Errorf("%s: inside %v, dispersion %.3f, p %.3g; want %v, %v to %v", c.name, p.Inside, p.Dispersion, p.P, c.inside, c.least, c.most)
		}
		if got.Flagged > 5 {
			t.Errorf("%s: %d simulations flagged", c.name, got.Flagged)
		}
	}
}

// TestThreads checks that the same seed gives the same ranks.
func TestThreads(t *testing.T) {
	s := DefaultSettings()
	s.Warmup, s.Draws, s.Simulations = 50, 100, 10
	q := &question{s, toy(1, 0)}
	one, errOne := q.run(t.Context(), study.InMemory(1))
	three, errThree := q.run(t.Context(), study.InMemory(3))
	if errOne != nil || errThree != nil || !reflect.DeepEqual(one, three) {
		t.Errorf("on one thread %v, %v, on three %v, %v", one, errOne, three, errThree)
	}
}

// TestFlagged: simulations that failed or did not converge are flagged.
func TestFlagged(t *testing.T) {
	for _, c := range []struct {
		s    Simulation
		want bool
	}{
		{Simulation{Rhat: 1.01, ESSBulk: 300}, false},
		{Simulation{Rhat: 1.06, ESSBulk: 300}, true},
		{Simulation{Rhat: 1.01, ESSBulk: 99}, true},
		{Simulation{Rhat: finite.Number(math.NaN()), ESSBulk: 300}, true},
		{Simulation{Rhat: 1, ESSBulk: 300, Error: "no"}, true},
	} {
		if c.s.Flagged() != c.want {
			t.Errorf("%+v: flagged %v", c.s, !c.want)
		}
	}
}

// TestNormalised: a density exp(-k u) over u > 0 is divided by its known integral 1/k.
func TestNormalised(t *testing.T) {
	l := bound.SubtractLogZ(exponent{sum: 7}, reciprocal{}, 5)
	grad := make([]float64, 1)
	theta := []float64{1.3}
	if got, want := l.LogLikGrad(theta, grad), 5*math.Log(1.3)-1.3*7; math.Abs(got-want) > 1e-12 || math.Abs(l.LogLik(theta)-want) > 1e-12 {
		t.Errorf("log-likelihood %v, want %v", got, want)
	}
	if want := 5/1.3 - 7; math.Abs(grad[0]-want) > 1e-12 {
		t.Errorf("gradient %v, want %v", grad[0], want)
	}
}

type exponent struct{ sum float64 }

func (e exponent) Dim() int                       { return 1 }
func (e exponent) LogLik(theta []float64) float64 { return -theta[0] * e.sum }
func (e exponent) LogLikGrad(theta, grad []float64) float64 {
	grad[0] = -e.sum
	return e.LogLik(theta)
}

type reciprocal struct{}

func (reciprocal) Dim() int                       { return 1 }
func (reciprocal) LogLik(theta []float64) float64 { return 1 / theta[0] }
func (reciprocal) LogLikGrad(theta, grad []float64) float64 {
	grad[0] = -1 / (theta[0] * theta[0])
	return 1 / theta[0]
}

// TestNothingFitted: if no simulation of a model could be fitted, there is still a summary and a figure, so that other models can
// be calibrated in the same run.
func TestNothingFitted(t *testing.T) {
	m := Model{Name: "steep"}
	s := Summarise(m, Settings{Simulations: 2, Kept: 9}, []Simulation{{Error: "no start"}, {Error: "no start"}})
	if s.Failed != 2 || s.Flagged != 2 || s.All.Params != nil {
		t.Errorf("summary %+v, want two that failed and no parameter", s)
	}
	fig, err := drawRanks(&s)
	if err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	if err := fig.WriteSVG(&svg); err != nil || !strings.Contains(svg.String(), "no simulation could be fitted") {
		t.Errorf("error %v, figure %.200s; want one that says why it is empty", err, svg.String())
	}
}
