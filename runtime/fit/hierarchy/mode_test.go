package hierarchy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound/boundtest"
)

// TestModeOfGroups: logarithms of times that are normal about the mean of a person, of as many trials each. With flat priors the mode is maximum
// likelihood, whose place is known [searle1992, 4.4]: offsets are normal given the rest, so that Laplace's approximation is exact.
//
//	[searle1992] Searle, Casella, McCulloch (1992). Variance Components. Wiley.
func TestModeOfGroups(t *testing.T) {
	const people, trials, mu, between, within = 9, 12, -0.4, 0.5, 0.3
	rng := rand.New(rand.NewPCG(11, 12))
	data := Data{Columns: [][]float64{nil}}
	var who []string
	means := make([]float64, people)
	for person := range people {
		own := mu + between*rng.NormFloat64()
		for range trials {
			y := own + within*rng.NormFloat64()
			means[person] += y / trials
			data.Columns[0], who = append(data.Columns[0], math.Exp(y)), append(who, fmt.Sprint(person))
		}
	}
	grand, squaresWithin, squaresBetween := 0.0, 0.0, 0.0
	for _, m := range means {
		grand += m / people
	}
	for i, rt := range data.Columns[0] {
		squaresWithin += math.Pow(math.Log(rt)-means[i/trials], 2)
	}
	for _, m := range means {
		squaresBetween += trials * (m - grand) * (m - grand)
	}
	variance := squaresWithin / (people * (trials - 1))
	spread := (squaresBetween/people - variance) / trials
	want := map[string]float64{"mu_Intercept": grand, "mu_1|who_sigma": math.Sqrt(spread), "sigma": math.Sqrt(variance)}
	shrink := spread / (spread + variance/trials)
	for person, m := range means {
		want[fmt.Sprintf("mu_1|who[%d]", person)] = shrink * (m - grand)
	}
	m, b := boundtest.Open(t, "lognormal")
	spec, err := ParseFormulas(m, []string{"mu ~ 1 + (1 | who)"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(spec.SetPriorSet(FlatPriors, nil), spec.SetPriors([]string{"mu_1|who_sigma=uniform(0,10)"})); err != nil {
		t.Fatal(err)
	}
	data.Table = formula.Table{Rows: len(who), Columns: []formula.DataColumn{{Name: "who", Labels: who}}}
	study, err := New(m, b, spec, data)
	if err != nil {
		t.Fatal(err)
	}
	mode, err := study.Mode(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range study.Names() {
		if x, known := want[name]; !known || !(math.Abs(mode.Theta[i]-x) < 1e-5) {
			t.Errorf("%s: %v, want %v", name, mode.Theta[i], x)
		}
	}
	sds := map[string]float64{"mu_Intercept": math.Sqrt((spread + variance/trials) / people), "mu_1|who[3]": math.Sqrt(shrink * variance / trials),
		"sigma": math.Sqrt(variance / (2 * people * (trials - 1)))} // nearly, of sigma
	for name, want := range sds {
		if got := mode.SD[slices.Index(study.Names(), name)]; !(math.Abs(got/want-1) < 0.02) {
			t.Errorf("%s: standard deviation %v, want %v", name, got, want)
		}
	}
}
