package evolve

import (
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/search/find/tree"
)

// toy is least squares over a few rows: one term, the mean squared error over the variance of the target.
type toy struct {
	symbols []string
	rows    [][]float64 // values of each symbol
	target  []float64
	scale   float64
}

func newToy(symbols []string, low, high float64, n int, f func(x []float64) float64) *toy {
	r := rand.New(rand.NewPCG(7, 7))
	t := &toy{symbols: symbols, rows: make([][]float64, len(symbols))}
	for range n {
		var x []float64
		for i := range symbols {
			v := low + (high-low)*r.Float64()
			t.rows[i] = append(t.rows[i], v)
			x = append(x, v)
		}
		t.target = append(t.target, f(x))
	}
	mean, square := 0.0, 0.0
	for _, y := range t.target {
		mean += y / float64(n)
	}
	for _, y := range t.target {
		square += (y - mean) * (y - mean) / float64(n)
	}
	t.scale = square
	return t
}

func (t *toy) Symbols() []string { return t.symbols }
func (t *toy) Terms() []string   { return []string{"mse"} }
func (t *toy) NewScorer() Scorer { return &toyScorer{toy: t} }

type toyScorer struct {
	*toy
	stack []float64
}

var opEval [256]func([3]float64) float64

func init() {
	for _, op := range expr.Ops() {
		opEval[tree.Operator(op)] = op.Info().Eval
	}
}

func (s *toyScorer) value(t tree.Tree, row int) float64 {
	s.stack = s.stack[:0]
	k := 0
	for _, c := range t.Codes {
		n := len(s.stack)
		switch {
		case c == tree.Constant:
			s.stack = append(s.stack, t.Values[k])
			k++
		case c < tree.Constant:
			s.stack = append(s.stack, s.rows[c][row])
		case c.Arity() == 1:
			s.stack[n-1] = opEval[c]([3]float64{s.stack[n-1]})
		default:
			s.stack[n-2] = opEval[c]([3]float64{s.stack[n-2], s.stack[n-1]})
			s.stack = s.stack[:n-1]
		}
	}
	return s.stack[0]
}

func (s *toyScorer) Score(t tree.Tree, limit float64, dst []float64) float64 {
	sum := 0.0
	for i, y := range s.target {
		d := s.value(t, i) - y
		sum += d * d
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return math.Inf(1)
		}
	}
	dst[0] = sum / float64(len(s.target)) / s.scale
	return dst[0]
}

func (s *toyScorer) Fingerprint(t tree.Tree) (uint64, bool) {
	h := uint64(0)
	for i := range min(len(s.target), 16) {
		v := s.value(t, i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false
		}
		h = scramble(h ^ math.Float64bits(float64(float32(v))))
	}
	return h, true
}
