package compiler

import (
	"runtime"
	"strings"
	"testing"

	"likc/compiler/syntax"
)

// work returns the number of bytes that a compilation of the text allocates. The tests use it instead of time, because it varies by
// only a few percent between runs and grows at least as fast as the work.
func work(t *testing.T, text string) float64 {
	t.Helper()
	models, err := syntax.Read("long.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Compile(models[0], Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestTooLongToMultiplyOut: a product of many sums stays as it is written, and the unit says why.
func TestTooLongToMultiplyOut(t *testing.T) {
	for factors, refused := range map[int]bool{12: false, 59: true} {
		models, err := syntax.Read("long.lik", strings.NewReader(longModels(factors)["product"]))
		if err != nil {
			t.Fatal(err)
		}
		u, err := Compile(models[0], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(u.Separation.Reason, "multiplying out would take"); got != refused || u.Separation.Accepted == refused {
			t.Errorf("%d factors: accepted %v, reason %q", factors, u.Separation.Accepted, u.Separation.Reason)
		}
	}
}

// TestLongModels: twice the length takes about twice the work. A product of n sums is multiplied out into a polynomial whose
// n+1 coefficients have up to n terms each, so its work may grow fourfold.
func TestLongModels(t *testing.T) {
	limits := map[string]float64{"sum": 2.5, "lets": 2.5, "product": 4.5}
	short, long := longModels(40), longModels(80)
	for name, limit := range limits {
		small, large := work(t, short[name]), work(t, long[name])
		if growth := large / small; growth > limit {
			t.Errorf("%s: twice the length takes %.2f times the memory (%.0f MB), want at most %v", name, growth, large/1e6, limit)
		} else {
			t.Logf("%s: %.2f times, %.1f MB", name, growth, large/1e6)
		}
	}
}
