package honesty

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/num/finite"
)

// At each bound, the binomial tail that includes the count has a probability of 5 %. The test sums the tail term by term.
func TestCoverageBounds(t *testing.T) {
	tail := func(n, from, to int, p float64) float64 {
		sum := 0.0
		for k := from; k <= to; k++ {
			a, _ := math.Lgamma(float64(n + 1))
			b, _ := math.Lgamma(float64(k + 1))
			c, _ := math.Lgamma(float64(n - k + 1))
			sum += math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		}
		return sum
	}
	for _, c := range []struct{ held, n int }{{240, 300}, {252, 300}, {270, 300}, {61, 80}, {1, 20}, {18, 20}} {
		b := Coverage(float64(c.held), c.n)
		if low := tail(c.n, c.held, c.n, float64(b[0])); math.Abs(low-0.05) > 1e-9 {
			t.Errorf("%d of %d: %v or more have probability %v at the lower bound %v", c.held, c.n, c.held, low, b[0])
		}
		if high := tail(c.n, 0, c.held, float64(b[1])); math.Abs(high-0.05) > 1e-9 {
			t.Errorf("%d of %d: %v or fewer have probability %v at the upper bound %v", c.held, c.n, c.held, high, b[1])
		}
	}
	if b := Coverage(0, 10); b[0] != 0 || math.Abs(float64(b[1])-(1-math.Pow(0.05, 0.1))) > 1e-12 {
		t.Errorf("none of ten: %v", b)
	}
	if b := Coverage(10, 10); b[1] != 1 || math.Abs(float64(b[0])-math.Pow(0.05, 0.1)) > 1e-12 {
		t.Errorf("all of ten: %v", b)
	}
}

// For independent normal errors with standard deviations 1.3 and 1, the true ratio lies above the upper bound in about 5 % of samples, and
// below the lower bound in about 5 %. The same errors give the same bounds.
func TestRMSERatioBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	below, above, samples := 0, 0, 100
	for range samples {
		errs, references := make([]float64, 60), make([]float64, 60)
		for i := range errs {
			common := rng.NormFloat64()
			references[i] = common
			errs[i] = 1.2*common + 0.5*rng.NormFloat64()
		}
		b := RMSERatio(errs, references)
		if below+above == 0 && b != RMSERatio(errs, references) {
			t.Fatal("other bounds of the same errors")
		}
		if b[0] > 1.3 {
			below++
		}
		if b[1] < 1.3 {
			above++
		}
	}
	// 5 of 100 are expected on each side; 99.9 % of binomial counts lie within 0 and 14.
	if below > 14 || above > 14 || below+above == 0 {
		t.Errorf("of %d samples, 1.3 is below the bounds of %d and above those of %d", samples, below, above)
	}
	if b := RMSERatio(make([]float64, 19), make([]float64, 19)); b[0] == b[0] {
		t.Errorf("bounds of 19 subjects: %v", b)
	}
}

func figures(covered float64, n int, ratio, low, high float64) Figures {
	return Figures{covered, ratio, Coverage(covered*float64(n), n), Bounds{finite.Number(low), finite.Number(high)}}
}

// The verdict is yes only if it is certain for every parameter, and no if one parameter is certain to fail. The coverages of
// ornstein_formula on 80 subjects are not honest; an older rule without sampling errors called them honest at .80.
func TestVerdict(t *testing.T) {
	ornstein := []Figures{}
	for _, share := range []float64{61. / 80, 61. / 80, 69. / 80, 57. / 80, 67. / 80} {
		ornstein = append(ornstein, figures(share, 80, 1.1, 1, 1.2))
	}
	good := figures(.9, 300, 1, .95, 1.05)
	for name, c := range map[string]struct {
		params []Figures
		n      int
		want   Verdict
	}{
		"good":                     {[]Figures{good, good}, 300, Honest},
		"at the edge of coverage":  {[]Figures{good, figures(.80, 300, 1, .9, 1.1)}, 300, Undecided},
		"just inside":              {[]Figures{good, figures(.83, 300, 1, .9, 1.1)}, 300, Undecided},
		"well inside":              {[]Figures{good, figures(.85, 300, 1, .9, 1.1)}, 300, Honest},
		"too wide":                 {[]Figures{good, figures(1, 300, 1, .9, 1.1)}, 300, NotHonest},
		"much too narrow":          {[]Figures{good, figures(.7, 300, 1, .9, 1.1)}, 300, NotHonest},
		"too narrow":               {[]Figures{good, figures(.78, 300, 1, .9, 1.1)}, 300, Undecided},
		"the same of few":          {[]Figures{figures(.9, 30, 1, .9, 1.1)}, 30, Undecided},
		"errors that may be large": {[]Figures{good, figures(.9, 300, 1.4, 1.2, 1.6)}, 300, Undecided},
		"large errors":             {[]Figures{good, figures(.9, 300, 1.8, 1.6, 2)}, 300, NotHonest},
		"errors of nobody knows":   {[]Figures{good, figures(.9, 300, 1, math.NaN(), math.NaN())}, 300, Undecided},
		"ornstein on 80":           {ornstein, 80, NotHonest},
	} {
		got, wanted := Of(c.params, c.n)
		if got != c.want || (got == Undecided) != (wanted > c.n || name == "at the edge of coverage" || name == "errors of nobody knows") {
			t.Errorf("%s: %s, %d subjects", name, got, wanted)
		}
	}
}

// If the figures do not change, the number of subjects that Of returns decides, and one fewer does not.
func TestSubjectsThatDecide(t *testing.T) {
	for _, covered := range []float64{.82, .85, .78, .96, .98} {
		_, n := Of([]Figures{figures(covered, 100, 1, .9, 1.1)}, 100)
		decided, _ := Of([]Figures{figures(covered, n, 1, .99, 1.01)}, n)
		if before, _ := Of([]Figures{figures(covered, n-1, 1, .99, 1.01)}, n-1); n < 100 || decided == Undecided || before != Undecided {
			t.Errorf("coverage %v: %d subjects: %s, with one fewer %s", covered, n, decided, before)
		}
	}
	// The bounds of a ratio of 1.2 reach 1.5 at (log 1.6/1.2)²/(log 1.5/1.2)² = 1.66 times as many subjects.
	if v, n := Of([]Figures{figures(.9, 1000, 1.2, 1, 1.6)}, 1000); v != Undecided || n < 1655 || n > 1670 {
		t.Errorf("%s, %d", v, n)
	}
	// One figure outside decides, however uncertain the others are.
	_, outside := Of([]Figures{figures(.7, 20, 1, .9, 1.1)}, 20)
	if _, n := Of([]Figures{figures(.7, 20, 1, .9, 1.1), figures(.801, 20, 1, .9, 1.1)}, 20); n != outside || n < 20 || n > 100 {
		t.Errorf("%d, alone %d", n, outside)
	}
	if v, n := Of([]Figures{figures(.8, 1000, 1, .9, 1.1)}, 1000); v != Undecided || n != 0 {
		t.Errorf("at the limit: %s, %d", v, n)
	}
}

func TestJSON(t *testing.T) {
	type holder struct {
		Honest Verdict `json:"honest,omitzero"`
	}
	for v, want := range map[Verdict]string{Honest: `{"honest":true}`, NotHonest: `{"honest":false}`, Undecided: `{"honest":null}`, "": `{}`} {
		text, err := json.Marshal(holder{v})
		var back holder
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || string(text) != want || back.Honest != v {
			t.Errorf("%q: %s, read back as %q, %v", v, text, back.Honest, err)
		}
	}
}

// TestLimitsInWords: reports and help texts have the limits as people read them.
func TestLimitsInWords(t *testing.T) {
	const want = "the root mean squared error (RMSE) is below 1.5 times the reference's, and 80 to 97 % of the 90 % intervals contain the truth"
	if got := Limits(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
