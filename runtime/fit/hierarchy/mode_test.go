package hierarchy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound/boundtest"
)

// TestModeOfGroups: logarithms of times are normal about each person's mean, with equally many trials a person. With flat priors,
// the mode is maximum likelihood, which has a closed form [searle1992, 4.4]. Laplace's approximation is exact, because offsets
// are normal given the other coefficients.
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
		"sigma": math.Sqrt(variance / (2 * people * (trials - 1)))} // the value for sigma is approximate
	for name, want := range sds {
		if got := mode.SD[slices.Index(study.Names(), name)]; !(math.Abs(got/want-1) < 0.02) {
			t.Errorf("%s: standard deviation %v, want %v", name, got, want)
		}
	}
}

// TestModeOfCrossedGroups: logarithms of times are normal about the sum of a person's and an item's offset. With flat priors, the
// mode is maximum likelihood of a normal vector with a dense covariance matrix. The offsets are their means given the data
// [searle1992, 7.2].
func TestModeOfCrossedGroups(t *testing.T) {
	for _, c := range []struct {
		name  string
		items int
		item  func(person, k int) int
	}{
		{"crossed", 5, func(person, k int) int { return (k + person) % 5 }},
		{"nested", 8 * 3, func(person, k int) int { return 3*person + k%3 }},
	} {
		const people, trials = 8, 15
		rng := rand.New(rand.NewPCG(3, 5))
		normals := func(n int, sd float64) (all []float64) {
			for range n {
				all = append(all, sd*rng.NormFloat64())
			}
			return all
		}
		own, its := normals(people, 0.5), normals(c.items, 0.4)
		data, y := Data{Columns: [][]float64{nil}}, []float64(nil)
		var who, item []int
		var whoText, itemText []string
		for person := range people {
			for k := range trials - person%3 { // numbers of trials differ between persons
				j := c.item(person, k)
				y = append(y, -0.4+own[person]+its[j]+0.3*rng.NormFloat64())
				data.Columns[0] = append(data.Columns[0], math.Exp(y[len(y)-1]))
				who, item = append(who, person), append(item, j)
				whoText, itemText = append(whoText, fmt.Sprint("p", person)), append(itemText, fmt.Sprintf("i%02d", j))
			}
		}
		m, b := boundtest.Open(t, "lognormal")
		spec, err := ParseFormulas(m, []string{"mu ~ 1 + (1 | who) + (1 | item)"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(spec.SetPriorSet(FlatPriors, nil), spec.SetPriors([]string{"mu_1|who_sigma=uniform(0,10)", "mu_1|item_sigma=uniform(0,10)"})); err != nil {
			t.Fatal(err)
		}
		data.Table = formula.Table{Rows: len(who), Columns: []formula.DataColumn{{Name: "who", Labels: whoText}, {Name: "item", Labels: itemText}}}
		study, err := New(m, b, spec, data)
		if err != nil {
			t.Fatal(err)
		}
		mode, err := study.Mode(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		at := func(name string) float64 { return mode.Theta[slices.Index(study.Names(), name)] }
		// solved returns the log-likelihood up to a constant, and V⁻¹(y - μ).
		solved := func(mu, a, b, within float64) (float64, *mat.VecDense) {
			v, r := mat.NewSymDense(len(y), nil), mat.NewVecDense(len(y), nil)
			for i := range y {
				r.SetVec(i, y[i]-mu)
				for j := range i + 1 {
					x := 0.0
					if i == j {
						x += within * within
					}
					if who[i] == who[j] {
						x += a * a
					}
					if item[i] == item[j] {
						x += b * b
					}
					v.SetSym(i, j, x)
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(v) {
				t.Fatal("no covariance")
			}
			var x mat.VecDense
			if err := chol.SolveVecTo(&x, r); err != nil {
				t.Fatal(err)
			}
			return -chol.LogDet()/2 - mat.Dot(r, &x)/2, &x
		}
		names := []string{"mu_Intercept", "mu_1|who_sigma", "mu_1|item_sigma", "sigma"}
		var theta []float64
		for _, name := range names {
			theta = append(theta, at(name))
		}
		for i, name := range names {
			sd := mode.SD[slices.Index(study.Names(), name)]
			side := func(x float64) float64 {
				moved := slices.Clone(theta)
				moved[i] += x * sd
				l, _ := solved(moved[0], moved[1], moved[2], moved[3])
				return l
			}
			if slope := (side(1e-3) - side(-1e-3)) / 2e-3; !(math.Abs(slope) < 1e-3) { // so the maximum is within .001 standard deviations
				t.Errorf("%s, %s = %v: the likelihood has the slope %v a standard deviation", c.name, name, theta[i], slope)
			}
		}
		_, x := solved(theta[0], theta[1], theta[2], theta[3])
		for _, offset := range []struct {
			name   string
			of     []int
			level  int
			spread float64
		}{{"mu_1|who[p2]", who, 2, theta[1]}, {"mu_1|item[i03]", item, 3, theta[2]}} {
			want := 0.0
			for i, level := range offset.of {
				if level == offset.level {
					want += offset.spread * offset.spread * x.AtVec(i)
				}
			}
			if got := at(offset.name); !(math.Abs(got-want) < 1e-5) {
				t.Errorf("%s, %s: %v, want %v", c.name, offset.name, got, want)
			}
		}
	}
}

// TestBlocksAreBounded: levels that share trials are in one block, whose size is bounded. If each person has an own item, there
// are as many blocks as persons.
func TestBlocksAreBounded(t *testing.T) {
	groups := func(n int, item func(row int) int) []*group {
		who, its := &group{by: "who", effects: make([]effect, 1), partial: -1}, &group{by: "item", effects: make([]effect, 1), partial: -1, first: n}
		for row := range 2 * n {
			who.index, its.index = append(who.index, row/2), append(its.index, item(row))
		}
		who.levels, its.levels = make([]string, n), make([]string, n)
		return []*group{who, its}
	}
	const n = 300
	b, err := newBlocks(groups(n, func(row int) int { return row / 2 }), 2*n)
	if err != nil || len(b.coords) != n || len(b.moves) != 2 {
		t.Fatalf("%d blocks, %d moves, %v: want %d blocks and 2 moves", len(b.coords), len(b.moves), err, n)
	}
	if _, err := newBlocks(groups(n, func(row int) int { return (row + 1) / 2 % n }), 2*n); err == nil || err.Error() != "mode: 600 offsets of groups depend on one another: --map integrates out at most 400 together" {
		t.Errorf("a chain of persons and items: %v", err)
	}
}
