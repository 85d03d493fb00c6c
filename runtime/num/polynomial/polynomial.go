// Package polynomial evaluates several polynomials of the same inputs at once, with all their derivatives. A polynomial is a
// sum of products of Chebyshev polynomials, one for each input. Eight polynomials are evaluated in the lanes of a vector.
// There are kernels in AVX-512, AVX2 and portable Go, whose results agree up to rounding.
package polynomial

//go:generate go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg polynomial

import "likc/runtime/num/isa"

// Term is a coefficient times a product of Chebyshev polynomials, one for each input. Degrees holds their degrees.
type Term struct {
	Coefficient float64
	Degrees     []int
}

// Set holds polynomials of the same inputs. It is safe for concurrent use if each goroutine has its own [Space].
type Set struct {
	inputs, outputs int
	lengths         []int // for each input, one more than its highest degree
	octets          []octet
	level           isa.Level
}

// New returns polynomials of the given number of inputs: polynomial i is the sum of the terms outputs[i].
func New(inputs int, outputs [][]Term) *Set {
	s := &Set{inputs: inputs, outputs: len(outputs), lengths: make([]int, inputs), level: isa.Best()}
	for i := range s.lengths {
		s.lengths[i] = 1
	}
	for _, terms := range outputs {
		for _, t := range terms {
			for i, d := range t.Degrees {
				s.lengths[i] = max(s.lengths[i], d+1)
			}
		}
	}
	for first := 0; first < len(outputs); first += lanes {
		s.octets = append(s.octets, newOctet(inputs, outputs[first:min(first+lanes, len(outputs))]))
	}
	return s
}

// Use makes evaluations use the given instruction set or, if the processor lacks it, the best one that the processor has. It
// returns the instruction set that is used. It must not be called during an evaluation.
func (s *Set) Use(level isa.Level) isa.Level {
	s.level = min(level, isa.Best())
	return s.level
}

// Space is the memory of an evaluation, and its result.
type Space struct {
	tables  [][][2]float64 // for each input, its Chebyshev polynomials by degree, each with its derivative
	results []results      // for each octet the value, the derivatives by o.spare inputs that it does not have, and those by its inputs
	part    results        // the sum of the terms of an octet whose degrees agree in all inputs but the last `nested` ones
}

// NewSpace returns memory for evaluations.
func (s *Set) NewSpace() *Space {
	w := &Space{part: make(results, 1+nested)}
	for _, n := range s.lengths {
		w.tables = append(w.tables, make([][2]float64, n))
	}
	for range s.octets {
		w.results = append(w.results, make(results, 1+max(s.inputs, nested)))
	}
	return w
}

// At evaluates the polynomials and their derivatives at x, which has one number for each input, and stores the results in w.
func (s *Set) At(w *Space, x []float64) {
	for i, table := range w.tables {
		chebyshev(table, x[i])
	}
	for k := range s.octets {
		s.octets[k].sum(w, w.results[k], s.level)
	}
}

// Value returns the value of a polynomial at the inputs of the last At.
func (w *Space) Value(output int) float64 { return w.results[output/lanes][0][output%lanes] }

// Back applies the chain rule to a function of the polynomials' values. bars are the function's derivatives with respect to
// each polynomial. Back sets grad to its derivatives with respect to each input, at the inputs of the last At.
func (s *Set) Back(w *Space, bars, grad []float64) {
	clear(grad)
	for k, r := range w.results {
		o := &s.octets[k]
		octetBars := bars[k*lanes:][:o.outputs]
		for i := range grad {
			for lane, bar := range octetBars {
				grad[i] += bar * r[1+o.spare+i][lane]
			}
		}
	}
}

// chebyshev fills a table with the Chebyshev polynomials T of each degree at x, with their derivatives: T[k+1] = 2x T[k] - T[k-1].
func chebyshev(table [][2]float64, x float64) {
	value, before := 1.0, x // T[-1] = T[1]
	slope, slopeBefore := 0.0, 1.0
	for k := range table {
		table[k] = [2]float64{value, slope}
		slope, slopeBefore = 2*x*slope+(2*value-slopeBefore), slope
		value, before = 2*x*value-before, value
	}
}
