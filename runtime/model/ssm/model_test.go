package ssm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestReflection is the identity p(rt, -1 | θ) = p(rt, +1 | ς(θ)).
func TestReflection(t *testing.T) {
	ddm, err := Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(8, 0))
	for range 200 {
		theta := inside(r)
		mirrored := make([]float64, 4)
		ddm.Reflect(mirrored, theta)
		rt := theta[3] + 3*r.Float64()
		a, b := logDensity(rt, -1, theta), logDensity(rt, 1, mirrored)
		if relative(a, b) > 1e-12 {
			t.Errorf("theta %v rt %v: %v below, %v reflected", theta, rt, a, b)
		}
		ddm.Reflect(mirrored, mirrored)
		for i := range theta {
			if !(math.Abs(mirrored[i]-theta[i]) <= 1e-15) {
				t.Errorf("reflected twice: %v, was %v", mirrored, theta)
			}
		}
	}
}

// TestEulerReflection checks that the reflection of every model of two
// boundaries mirrors its simulator: choice frequencies under θ and ς(θ) are complementary.
func TestEulerReflection(t *testing.T) {
	const n = 2000
	for _, m := range Models() {
		if m.CheckBoundaries() != nil {
			continue
		}
		theta := make([]float64, m.Dim())
		for i, p := range m.Params {
			theta[i] = p.Lower + 0.6*(p.Upper-p.Lower)
		}
		mirrored, scheme := make([]float64, m.Dim()), EulerScheme()
		if !slices.Contains(m.SchemeNames(), eulerName) {
			scheme = ExactScheme()
		}
		m.Reflect(mirrored, theta)
		_, a := simulate(t, m.Name, 11, theta, scheme, n)
		_, b := simulate(t, m.Name, 12, mirrored, scheme, n)
		if sum := mean(a) + mean(b); !(math.Abs(sum) <= 0.1) {
			t.Errorf("%s: mean choices %v and %v are not opposite", m.Name, mean(a), mean(b))
		}
	}
}

func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Models() {
		if seen[m.Name] {
			t.Errorf("%s twice", m.Name)
		}
		seen[m.Name] = true
		for i, p := range m.Params {
			if !(p.Lower < p.Upper) || p.Meaning == "" || m.Index(p.Name) != i {
				t.Errorf("%s: parameter %+v", m.Name, p)
			}
		}
	}
	ddm := Models()[0]
	want := [][2]float64{{-3, 3}, {0.3, 2.5}, {0.1, 0.9}, {0, 2}}
	for i, p := range ddm.Params {
		if ddm.Name != "ddm" || p.Lower != want[i][0] || p.Upper != want[i][1] {
			t.Errorf("%s %+v, want range %v", ddm.Name, p, want[i])
		}
	}
	if ddm.Index("theta") != -1 {
		t.Error("ddm has a theta")
	}
	if _, err := Lookup("dmm"); err == nil || !strings.Contains(err.Error(), "ddm, angle") {
		t.Errorf("unknown model: %v", err)
	}
}
