package dictionary_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/search/find/dictionary"
)

// TestRediscoversRace: the density of a lognormal race is found in closed form: the density of the winner and the survivor of the loser, up to
// a function of the parameters.
func TestRediscoversRace(t *testing.T) {
	h, err := catalog.Header("lnr2")
	if err != nil {
		t.Fatal(err)
	}
	l, err := dictionary.OfRace(h)
	if err != nil {
		t.Fatal(err)
	}
	exact := func(rt, choice float64, theta []float64) float64 {
		tau := rt - theta[3]
		if !(tau > 0) {
			return math.Inf(-1)
		}
		won, lost := theta[int(choice)], theta[1-int(choice)]
		q := (math.Log(tau) - won) / theta[2]
		survivor := math.Erfc((math.Log(tau)-lost)/theta[2]/math.Sqrt2) / 2
		return -math.Log(theta[2]*tau) - q*q/2 - math.Log(2*math.Pi)/2 + math.Log(survivor)
	}
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Terms, s.Runs = 40, 60, 5, 1
	front, err := dictionary.Find(context.Background(), h, density(exact), []*dictionary.Library{l}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range front {
		if e.Terms <= 3 && e.Score.Median < 1e-4 {
			return
		}
	}
	last := front[len(front)-1]
	t.Errorf("the nearest is %v", last.String())
}

// TestCountersAreNear: of a race of two counters of five events each, with rates from 2 to 20 a second, a formula of up to 7 terms is near, because the
// times are in units of the rates.
func TestCountersAreNear(t *testing.T) {
	h := &expr.Model{Name: "counter", Trials: []string{"rt"}, Choice: "c", Choices: 2,
		Params: []expr.Param{{Name: "l0", Lower: 2, Upper: 20}, {Name: "l1", Lower: 2, Upper: 20}}, Support: []expr.Support{{Left: expr.Num(0), Right: expr.Var("rt")}}}
	l, err := dictionary.OfRace(h)
	if err != nil {
		t.Fatal(err)
	}
	exact := func(rt, choice float64, theta []float64) float64 {
		won, x := theta[int(choice)], theta[1-int(choice)]*rt
		return 5*math.Log(won) + 4*math.Log(rt) - won*rt - math.Log(24) - x + math.Log(1+x+x*x/2+x*x*x/6+x*x*x*x/24)
	}
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Terms, s.Runs = 40, 60, 8, 1
	front, err := dictionary.Find(context.Background(), h, density(exact), []*dictionary.Library{l}, s)
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for _, e := range front {
		if e.Terms <= 7 {
			best = min(best, e.Score.Median)
		}
	}
	if !(best < 1e-4) {
		t.Errorf("the nearest formula of 7 terms has %v nats", best)
	}
}

// TestWrittenRaceIsExact: the flow of the winner and the survivor of the loser are the density of a race of diffusions with uniform starts, up to a function of
// the parameters and the error of a rule of three starts.
func TestWrittenRaceIsExact(t *testing.T) {
	m, err := catalog.Open("rdm2")
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := m.WrittenProcess()
	if err != nil {
		t.Fatal(err)
	}
	own := *m.Model
	own.Evidence, own.LogLik = e, nil
	libraries, header, err := dictionary.OfWrittenRace(&own)
	if err != nil {
		t.Fatal(err)
	}
	l := libraries[0]
	found := expr.NewTape(append(header.ParamNames(), "rt", header.Choice), l.Sum(l.Start.Terms, l.Start.By))
	for _, theta := range [][]float64{{3, 2, 0.5, 1, 0.2}, {0.5, 4, 1.5, 0.3, 0}, {1, 1, 0.1, 2, 0.1}} {
		first := math.NaN()
		for choice := range 2 {
			exact := expr.NewTape(append(m.ParamNames(), "rt"), m.Groups()[choice].LogLik)
			for _, after := range []float64{0.1, 0.3, 0.6, 1.2, 2} {
				rt := theta[4] + after
				got, _ := found.Eval(nil, append(slices.Clone(theta), rt, float64(choice)))
				want, _ := exact.Eval(nil, append(slices.Clone(theta), rt))
				if want[0] < -30 {
					continue
				}
				if first != first {
					first = got[0] - want[0]
				}
				if difference := got[0] - want[0]; !(math.Abs(difference-first) < 0.03) {
					t.Errorf("at %v, %v s, choice %d: off by %v, elsewhere by %v", theta, after, choice, difference, first)
				}
			}
		}
	}
}
