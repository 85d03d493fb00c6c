package polynomial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/num/isa"
)

// random returns the terms of random polynomials: up to 40 terms each, whose degrees add up to at most 8. The third polynomial has no terms.
func random(rng *rand.Rand, inputs, outputs int) [][]Term {
	all := make([][]Term, outputs)
	for o := range all {
		for range rng.IntN(40) {
			t, left := Term{Coefficient: rng.NormFloat64(), Degrees: make([]int, inputs)}, 8
			for i := range t.Degrees {
				t.Degrees[i] = rng.IntN(left + 1)
				left -= t.Degrees[i]
			}
			all[o] = append(all[o], t)
		}
		if o == 2 {
			all[o] = nil
		}
	}
	return all
}

// direct returns the sum of terms and its derivatives by trigonometry: the polynomial of degree k at cos(a) is cos(k a), and its derivative
// is k sin(k a)/sin(a).
func direct(terms []Term, x []float64) (value float64, slopes []float64) {
	slopes = make([]float64, len(x))
	for _, t := range terms {
		polynomial, derivative := make([]float64, len(x)), make([]float64, len(x))
		for i, d := range t.Degrees {
			a, k := math.Acos(x[i]), float64(d)
			polynomial[i], derivative[i] = math.Cos(k*a), k*math.Sin(k*a)/math.Sin(a)
		}
		for j := -1; j < len(x); j++ {
			product := t.Coefficient
			for i := range x {
				if i == j {
					product *= derivative[i]
				} else {
					product *= polynomial[i]
				}
			}
			if j < 0 {
				value += product
			} else {
				slopes[j] += product
			}
		}
	}
	return value, slopes
}

// TestSet compares values and derivatives with trigonometry, on every instruction set.
func TestSet(t *testing.T) {
	for level := isa.Portable; level <= isa.Best(); level++ {
		for inputs := 1; inputs <= 5; inputs++ {
			for _, outputs := range []int{1, 4, 5, 8, 11} {
				t.Run(fmt.Sprintf("%v %d %d", level, inputs, outputs), func(t *testing.T) { check(t, level, inputs, outputs) })
			}
		}
	}
}

func check(t *testing.T, level isa.Level, inputs, outputs int) {
	rng := rand.New(rand.NewPCG(uint64(inputs), uint64(outputs)))
	terms := random(rng, inputs, outputs)
	s := New(inputs, terms)
	if got := s.Use(level); got != level {
		t.Fatalf("uses %v", got)
	}
	w := s.NewSpace()
	x := make([]float64, inputs)
	for range 5 {
		for i := range x {
			x[i] = 1.9*rng.Float64() - 0.95
		}
		s.At(w, x)
		bars, grad := make([]float64, outputs), make([]float64, inputs)
		for o := range terms {
			clear(bars)
			bars[o] = 2
			s.Back(w, bars, grad)
			value, slopes := direct(terms[o], x)
			if !(math.Abs(w.Value(o)-value) <= 1e-12) {
				t.Errorf("output %d is %v, want %v", o, w.Value(o), value)
			}
			for i, want := range slopes {
				if got := grad[i] / 2; !(math.Abs(got-want) <= 1e-10) { // slopes are up to 64 times larger, and trigonometry divides by sin a
					t.Errorf("derivative %d of output %d is %v, want %v", i, o, got, want)
				}
			}
		}
	}
	bars, grad := make([]float64, outputs), make([]float64, inputs)
	if n := testing.AllocsPerRun(10, func() { s.At(w, x); s.Back(w, bars, grad) }); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}

func BenchmarkSet(b *testing.B) {
	var terms []Term
	for i := range 9 {
		for j := range 9 - i {
			for k := range 9 - i - j {
				terms = append(terms, Term{1, []int{i, j, k}})
			}
		}
	}
	s := New(3, [][]Term{terms, terms, terms, terms, terms})
	w := s.NewSpace()
	for level := isa.Portable; level <= isa.Best(); level++ {
		b.Run(level.String(), func(b *testing.B) {
			s.Use(level)
			for b.Loop() {
				s.At(w, []float64{0.3, 0.1, -0.4})
			}
		})
	}
}
