package hierarchy

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/catalog"
)

// generator returns a generator of ddm for a table in which each participant has four rows: x and y are 0 or 1.
func generator(t *testing.T, participants int, stated map[string]float64, formulas ...string) (*Generator, error) {
	t.Helper()
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := ParseFormulas(m, formulas)
	if err != nil {
		t.Fatal(err)
	}
	table := formula.Table{Rows: 4 * participants}
	var who, x, y []float64
	for row := range table.Rows {
		who, x, y = append(who, float64(row/4)), append(x, float64(row%2)), append(y, float64(row/2%2))
	}
	table.Columns = []formula.DataColumn{{Name: "who", Numeric: who}, {Name: "x", Numeric: x}, {Name: "y", Numeric: y}}
	return NewGenerator(m, spec, table, stated)
}

func mustGenerator(t *testing.T, participants int, stated map[string]float64, formulas ...string) *Generator {
	t.Helper()
	g, err := generator(t, participants, stated, formulas...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The correlations of K effects under LKJ(1) are all 2 Beta(K/2, K/2) - 1, of variance 1 / (K + 1).
func TestGeneratorDrawsLKJ(t *testing.T) {
	const draws = 4000
	for effects, f := range map[int]string{2: "v ~ 1 + x + (1 + x | who)", 3: "v ~ 1 + x + y + (1 + x + y | who)"} {
		g, rng := mustGenerator(t, 2, nil, f), rand.New(rand.NewPCG(1, 2))
		squares, fourth := map[string]float64{}, map[string]float64{}
		for range draws {
			coefs, _ := g.Draw(rng)
			for i, name := range g.Study().Names() {
				if strings.HasSuffix(name, "_cor") {
					r2 := coefs[i] * coefs[i]
					squares[name], fourth[name] = squares[name]+r2/draws, fourth[name]+r2*r2/draws
				}
			}
		}
		if len(squares) != effects*(effects-1)/2 {
			t.Fatal(squares)
		}
		for name, got := range squares {
			want, error := 1/float64(effects+1), math.Sqrt((fourth[name]-got*got)/draws)
			if !(math.Abs(got-want) < 4*error) {
				t.Errorf("%d effects: variance of %s is %.4f, want %.4f", effects, name, got, want)
			}
		}
	}
}

// Over many levels, drawn offsets have the spreads and the correlation that are stated.
func TestGeneratorDrawsOffsets(t *testing.T) {
	const n = 20_000
	g := mustGenerator(t, n, map[string]float64{"v_1|who_sigma": 0.5, "v_x|who_sigma": 2, "v_1|who:v_x|who_cor": -0.6}, "v ~ 1 + x + (1 + x | who)")
	coefs, _ := g.Draw(rand.New(rand.NewPCG(3, 4)))
	var xx, yy, xy float64
	first := slices.Index(g.Study().Names(), "v_1|who[0]")
	for i := range n {
		x, y := coefs[first+2*i], coefs[first+2*i+1]
		xx, yy, xy = xx+x*x/n, yy+y*y/n, xy+x*y/n
	}
	// The relative standard errors are √(2/n) = .01 for the variances, and (1 - .36)/√n = .0045 for the correlation.
	if !(math.Abs(xx/0.25-1) < 0.04 && math.Abs(yy/4-1) < 0.04 && math.Abs(xy/math.Sqrt(xx*yy)+0.6) < 0.018) {
		t.Errorf("variances %.4f and %.4f, correlation %.4f", xx, yy, xy/math.Sqrt(xx*yy))
	}
}

// The parameters of a row follow from the drawn coefficients, and cells are the rows that share parameters.
func TestGeneratorRows(t *testing.T) {
	g := mustGenerator(t, 3, map[string]float64{"z": 0.45}, "v ~ 1 + x + (1 + x | who)", "a ~ 1 + (1 | who)")
	coefs, rows := g.Draw(rand.New(rand.NewPCG(5, 6)))
	at := func(name string) float64 { return coefs[slices.Index(g.Study().Names(), name)] }
	theta := make([]float64, 4)
	rows.Theta(5, theta) // participant 1, x = 1
	a := at("a_Intercept") + at("a_1|who[1]")
	want := []float64{at("v_Intercept") + at("v_x") + at("v_1|who[1]") + at("v_x|who[1]"), 0.3 + 2.2/(1+math.Exp(-a)), 0.45, at("t")}
	for i := range theta {
		if !(math.Abs(theta[i]-want[i]) < 1e-12) {
			t.Errorf("parameter %d is %v, want %v", i, theta[i], want[i])
		}
	}
	if cells := g.Cells(); len(cells) != 6 || !slices.Equal(cells[0], []int{0, 2}) {
		t.Errorf("cells %v", cells)
	}
}

// A non-decision time can be simulated with its default link. It is refused with the link of the paper's preset, which depends on
// the trials.
func TestGeneratorOfOnset(t *testing.T) {
	g := mustGenerator(t, 2, nil, "t ~ 1 + (1 | who)")
	if link := g.Study().params[3].link; link != Log {
		t.Errorf("link of t: %s", link)
	}
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := Preset("cavanagh-full", m, "who")
	if err != nil {
		t.Fatal(err)
	}
	table := formula.Table{Rows: 2, Columns: []formula.DataColumn{{Name: "who", Numeric: []float64{0, 1}}, {Name: "theta", Numeric: []float64{0, 1}}}}
	if _, err := NewGenerator(m, spec, table, nil); err == nil || !strings.Contains(err.Error(), "formula of t: its logit ends at the fastest trial") {
		t.Error(err)
	}
}

func TestGeneratorRefuses(t *testing.T) {
	for _, c := range []struct {
		stated  map[string]float64
		formula string
		want    string
	}{
		{map[string]float64{"w": 1}, "v ~ 1", "value of w: no such coefficient; there are v, a, z, t"},
		{map[string]float64{"v_1|who_sigma": -1}, "v ~ 1 + (1 | who)", "value of v_1|who_sigma: -1 lies outside its range [0, +Inf]"},
		{map[string]float64{"v_1|who:v_x|who_cor": 0}, "v ~ (1 + x + y | who)", "the correlations of 3 effects cannot be stated one by one"},
	} {
		if _, err := generator(t, 2, c.stated, c.formula); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.formula, err, c.want)
		}
	}
}
