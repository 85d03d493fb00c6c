package dictionary_test

import (
	"context"
	"math"
	"testing"

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
