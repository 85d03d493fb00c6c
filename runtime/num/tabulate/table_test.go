package tabulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
)

// term is one accumulator's summand g(x; ψ).
type term func(x, psi float64) float64

// shifted are summands with their edge at ψ = x.
var shifted = map[string]term{
	"1/tau":    func(x, psi float64) float64 { return 1 / (x - psi) },
	"1/tau^2":  func(x, psi float64) float64 { return 1 / ((x - psi) * (x - psi)) },
	"1/tau^3":  func(x, psi float64) float64 { return 1 / ((x - psi) * (x - psi) * (x - psi)) },
	"log tau":  func(x, psi float64) float64 { return math.Log(x - psi) },
	"sqrt tau": func(x, psi float64) float64 { return math.Sqrt(x - psi) },
	"tau^-3/2": func(x, psi float64) float64 { return 1 / ((x - psi) * math.Sqrt(x-psi)) },
}

var names = []string{"1/tau", "1/tau^2", "1/tau^3", "log tau", "sqrt tau", "tau^-3/2"}

// streaming is a Sum over x.
func streaming(x []float64, terms ...term) Sum {
	k := len(terms)
	return func(psi, value, abs []float64) {
		clear(value)
		clear(abs)
		for _, xi := range x {
			for j, p := range psi {
				for a, g := range terms {
					v := g(xi, p)
					value[j*k+a] += v
					abs[j*k+a] += math.Abs(v)
				}
			}
		}
	}
}

// direct is the compensated sum (Neumaier 1974) and Σ|g|.
func direct(x []float64, g term, psi float64) (value, abs float64) {
	low := 0.0
	for _, xi := range x {
		v := g(xi, psi)
		abs += math.Abs(v)
		next := value + v
		if math.Abs(value) >= math.Abs(v) {
			low += value - next + v
		} else {
			low += v - next + value
		}
		value = next
	}
	return value + low, abs
}

// trials are shifted log-normal reaction times; kinds with ties and
// duplicates share their minimum or all values.
func trials(n int, kind string) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	x := make([]float64, n)
	least := math.Inf(1)
	for i := range x {
		x[i] = 0.3 + math.Exp(-1+0.5*rng.NormFloat64())
		least = min(least, x[i])
	}
	for i := range x {
		switch {
		case kind == "ties" && i%3 == 0:
			x[i] = least
		case kind == "duplicates":
			x[i] = x[i/4*4]
		}
	}
	return x
}

func smallest(x []float64) float64 {
	least := math.Inf(1)
	for _, xi := range x {
		least = min(least, xi)
	}
	return least
}

// towards spreads ψ over [0, edge): uniformly, then with edge-ψ log-uniform
// down to 1e-9·edge, then the ends themselves.
func towards(edge float64, n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	psi := []float64{0, math.SmallestNonzeroFloat64, edge / 2, edge * (1 - 1e-9), edge * (1 - 0x1p-20)}
	for len(psi) < n {
		psi = append(psi, edge*rng.Float64(), edge*(1-math.Pow(10, -9*rng.Float64())))
	}
	return psi
}

func TestShiftedSums(t *testing.T) {
	terms := make([]term, len(names))
	for a, name := range names {
		terms[a] = shifted[name]
	}
	for _, n := range []int{1, 2, 7, 1000} {
		for _, kind := range []string{"plain", "ties", "duplicates"} {
			t.Run(fmt.Sprint(n, kind), func(t *testing.T) {
				x := trials(n, kind)
				edge := smallest(x)
				table := NewTable(len(terms), Domain{Hi: edge, Edge: EdgeHi}, streaming(x, terms...))
				agrees(t, table, x, terms, towards(edge, 2000), 1e-15*float64(n))
			})
		}
	}
}

// agrees checks that every ψ is served, to 1e-12 of Σ|g| plus an absolute
// floor for the zero of a single logarithm.
func agrees(t *testing.T, table *Table, x []float64, terms []term, psis []float64, floor float64) {
	t.Helper()
	value := make([]float64, len(terms))
	worst := 0.0
	for _, psi := range psis {
		if !table.At(psi, value) {
			t.Fatalf("ψ = %v is not served", psi)
		}
		for a, g := range terms {
			want, abs := direct(x, g, psi)
			miss := math.Abs(value[a] - want)
			if !(miss <= 1e-12*abs+floor) {
				t.Fatalf("accumulator %d at ψ = %v: %v, want %v (%.2g of Σ|g|)", a, psi, value[a], want, miss/abs)
			}
			if miss > floor {
				worst = max(worst, miss/abs)
			}
		}
	}
	t.Logf("worst %.2g of Σ|g|, %d pieces, %d passes", worst, table.Pieces(), table.Passes())
}

func TestMillionTrials(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	x := trials(1000000, "ties")
	edge := smallest(x)
	table := NewTable(1, Domain{Hi: edge, Edge: EdgeHi}, reciprocals(x))
	agrees(t, table, x, []term{shifted["1/tau"]}, towards(edge, 500), 0)
}

func TestLowEdge(t *testing.T) {
	x := trials(7, "plain")
	terms := []term{
		func(x, psi float64) float64 { return math.Log(x + psi) },
		func(x, psi float64) float64 { return 1 / (x + psi) },
	}
	edge := -smallest(x)
	table := NewTable(2, Domain{Lo: edge, Hi: 3, Edge: EdgeLo}, streaming(x, terms...))
	var psis []float64
	for _, p := range towards(1, 2000) {
		psis = append(psis, edge+(1-p)*(3-edge))
	}
	psis[0] = 3
	agrees(t, table, x, terms, psis, 1e-15*7)
}

func TestSmoothSums(t *testing.T) {
	decay := func(x, psi float64) float64 { return math.Exp(-psi * x) }
	moment := func(x, psi float64) float64 { return -x * math.Exp(-psi*x) }
	wave := func(x, psi float64) float64 { return 2 + math.Sin(9*psi*x) }
	for _, n := range []int{1, 2, 7, 1000} {
		x := trials(n, "plain")
		table := NewTable(3, Domain{Lo: -3, Hi: 12}, streaming(x, decay, moment, wave))
		psis := []float64{-3, 12, 0, 4.5}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 3000 {
			psis = append(psis, -3+15*rng.Float64())
		}
		agrees(t, table, x, []term{decay, moment, wave}, psis, 0)
	}
}

// TestDerivativeAccumulators compares the table's Σ1/τ with central
// differences of its Σ log τ: the accumulators of one table belong together.
func TestDerivativeAccumulators(t *testing.T) {
	x := trials(1000, "plain")
	edge := smallest(x)
	table := NewTable(2, Domain{Hi: edge, Edge: EdgeHi}, streaming(x, shifted["log tau"], shifted["1/tau"]))
	value, up, down := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	for _, psi := range []float64{0.05, 0.11, 0.9 * edge, 0.99 * edge} {
		h := 1e-4 * (edge - psi)
		if !table.At(psi, value) || !table.At(psi+h, up) || !table.At(psi-h, down) {
			t.Fatalf("ψ = %v is not served", psi)
		}
		slope := -(up[0] - down[0]) / (2 * h)
		if !(math.Abs(slope-value[1]) <= 1e-6*value[1]) {
			t.Errorf("ψ = %v: Σ1/τ = %v, slope of Σ log τ = %v", psi, value[1], slope)
		}
	}
}

func TestRoughSumsAreRefused(t *testing.T) {
	rough := map[string]term{
		"kinks": func(x, psi float64) float64 { return math.Abs(x - psi) },
		"steps": func(x, psi float64) float64 { return math.Floor(psi / x * 40) },
		"NaN":   func(x, psi float64) float64 { return math.Sqrt(psi - x) },
	}
	for name, g := range rough {
		x := trials(1000, "plain")
		table := NewTable(1, Domain{Lo: 0.35, Hi: 2}, streaming(x, g))
		value := make([]float64, 1)
		refused := 0
		for i := range 2000 {
			psi := 0.35 + 1.65*(float64(i)+0.5)/2000
			if !table.At(psi, value) {
				refused++
			} else if want, abs := direct(x, g, psi); !(math.Abs(value[0]-want) <= 1e-12*abs) {
				t.Errorf("%s at ψ = %v: served %v, want %v", name, psi, value[0], want)
			}
		}
		if refused < 1000 {
			t.Errorf("%s: only %d of 2000 refused", name, refused)
		}
		passes := table.Passes()
		for i := range 2000 {
			table.At(0.35+1.65*(float64(i)+0.5)/2000, value)
		}
		if table.Passes() != passes {
			t.Errorf("%s: a refused cell is tried again", name)
		}
		t.Logf("%s: %d of 2000 refused after %d passes", name, refused, passes)
	}
}

func TestOutsideTheDomain(t *testing.T) {
	x := trials(7, "plain")
	edge := smallest(x)
	value := []float64{42}
	table := NewTable(1, Domain{Hi: edge, Edge: EdgeHi}, streaming(x, shifted["1/tau"]))
	for _, psi := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e-300, edge, math.Nextafter(edge, 0), 2} {
		if table.At(psi, value) || value[0] != 42 {
			t.Errorf("ψ = %v is served: %v", psi, value[0])
		}
	}
	for _, d := range []Domain{
		{Lo: 1, Hi: 1}, {Lo: 2, Hi: 1}, {Hi: math.Inf(1)}, {Lo: math.NaN(), Hi: 1},
		{Lo: -math.MaxFloat64, Hi: math.MaxFloat64}, {Hi: math.SmallestNonzeroFloat64, Edge: EdgeHi},
	} {
		if NewTable(1, d, streaming(x, shifted["1/tau"])).At(1, value) {
			t.Errorf("%+v serves", d)
		}
	}
}

func TestVisits(t *testing.T) {
	x := trials(7, "plain")
	table := NewTable(1, Domain{Hi: smallest(x), Edge: EdgeHi, Visits: 3}, streaming(x, shifted["1/tau"]))
	value := make([]float64, 1)
	for visit, want := range []bool{false, false, true, true} {
		if got := table.At(0.01, value); got != want {
			t.Errorf("visit %d: served %v, want %v", visit+1, got, want)
		}
	}
	if table.Passes() != 32 || table.Pieces() != 1 {
		t.Errorf("%d passes for %d pieces, want 32 for 1", table.Passes(), table.Pieces())
	}
}

func TestNoTrials(t *testing.T) {
	table := NewTable(1, Domain{Hi: 1}, streaming(nil, shifted["1/tau"]))
	value := []float64{42}
	if !table.At(0.5, value) || value[0] != 0 {
		t.Errorf("an empty sum is %v", value[0])
	}
}

// TestGoroutines has eight goroutines race to build; with Visits of one every
// answer must be the same bits whoever built the piece.
func TestGoroutines(t *testing.T) {
	x := trials(100, "ties")
	edge := smallest(x)
	terms := []term{shifted["1/tau"], shifted["log tau"]}
	alone := NewTable(2, Domain{Hi: edge, Edge: EdgeHi}, streaming(x, terms...))
	shared := NewTable(2, Domain{Hi: edge, Edge: EdgeHi}, streaming(x, terms...))
	psis := towards(edge, 1000)
	want := make([][2]float64, len(psis))
	for i, psi := range psis {
		if !alone.At(psi, want[i][:]) {
			t.Fatalf("ψ = %v is not served", psi)
		}
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			var got [2]float64
			for i := range psis {
				i = (i + g*125) % len(psis)
				if !shared.At(psis[i], got[:]) || got != want[i] {
					t.Errorf("goroutine %d, ψ = %v: %v, want %v", g, psis[i], got, want[i])
				}
			}
		})
	}
	wait.Wait()
	if alone.Pieces() != shared.Pieces() || alone.Passes() != shared.Passes() {
		t.Errorf("%d pieces in %d passes, alone %d in %d", shared.Pieces(), shared.Passes(), alone.Pieces(), alone.Passes())
	}
}

func TestAtDoesNotAllocate(t *testing.T) {
	x := trials(1000, "plain")
	edge := smallest(x)
	table := NewTable(1, Domain{Hi: edge, Edge: EdgeHi}, streaming(x, shifted["1/tau"]))
	value := make([]float64, 1)
	table.At(0.2, value)
	if n := testing.AllocsPerRun(100, func() { table.At(0.2, value); table.At(edge, value) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkAt is one evaluation on built pieces, spread over the support.
func BenchmarkAt(b *testing.B) {
	for _, k := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			x := trials(1000, "plain")
			edge := smallest(x)
			var terms []term
			for _, name := range names[:k] {
				terms = append(terms, shifted[name])
			}
			table := NewTable(k, Domain{Hi: edge, Edge: EdgeHi}, streaming(x, terms...))
			psis := towards(edge, 1024)[:1024]
			value := make([]float64, k)
			for _, psi := range psis {
				table.At(psi, value)
			}
			b.ResetTimer()
			for i := range b.N {
				table.At(psis[i&1023], value)
			}
		})
	}
}

// reciprocals is Σ1/τ as a generated package would stream it: blocks that stay
// in cache, all ψ over each block.
func reciprocals(x []float64) Sum {
	return func(psi, value, abs []float64) {
		clear(value)
		for at := 0; at < len(x); at += 1024 {
			block := x[at:min(at+1024, len(x))]
			n := len(block)
			for j, p := range psi {
				s0, s1 := 0.0, 0.0
				for i := 0; i+1 < n; i += 2 {
					s0 += 1 / (block[i] - p)
					s1 += 1 / (block[i+1] - p)
				}
				if n%2 == 1 {
					s0 += 1 / (block[n-1] - p)
				}
				value[j] += s0 + s1
			}
		}
		copy(abs, value)
	}
}

// BenchmarkBuild is one piece; BenchmarkStream one sum, for the number of
// evaluations that pay for a piece.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1000, 1000000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := trials(n, "plain")
			edge := smallest(x)
			value := make([]float64, 1)
			for range b.N {
				NewTable(1, Domain{Hi: edge, Edge: EdgeHi}, reciprocals(x)).At(0.1, value)
			}
		})
	}
}

// BenchmarkStream is one direct evaluation of the same sum.
func BenchmarkStream(b *testing.B) {
	for _, n := range []int{1000, 1000000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := trials(n, "plain")
			sum := reciprocals(x)
			psi, value, abs := []float64{0.1}, make([]float64, 1), make([]float64, 1)
			for range b.N {
				sum(psi, value, abs)
			}
		})
	}
}
