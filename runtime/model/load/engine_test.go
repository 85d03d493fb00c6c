package load

import (
	"testing"

	"likc/generated/expr2"
	"likc/runtime/num/isa"
)

type engineOfItsOwn int

// switched is a likelihood as a package without AVX-512 has it.
type switched struct {
	expr2.Data
	engine engineOfItsOwn
}

func (s *switched) Use(e engineOfItsOwn) engineOfItsOwn {
	s.engine = min(e, 1)
	return s.engine
}

func TestUse(t *testing.T) {
	for _, c := range []struct {
		lik         any
		asked, want isa.Level
	}{{&switched{}, isa.AVX512, isa.AVX2}, {&switched{engine: 1}, isa.Portable, isa.Portable}, {&struct{}{}, isa.AVX512, isa.Portable}} {
		want := min(c.want, isa.Best())
		if got := Use(c.lik, c.asked); got != want {
			t.Errorf("asked for %v, got %v, want %v", c.asked, got, want)
		}
		if s, ok := c.lik.(*switched); ok && isa.Level(s.engine) != want {
			t.Errorf("asked for %v, engine is %d", c.asked, s.engine)
		}
	}
}

// TestBindObeysTheVariable: what is bound in this process starts with the best engine that LIKC_ISA leaves.
func TestBindObeysTheVariable(t *testing.T) {
	set := Linked(map[string]Candidate{
		"expr2": func(columns [][]float64, choice []float64) (any, error) { return expr2.NewData(columns[0], choice) },
		"made":  func([][]float64, []float64) (any, error) { return &switched{engine: 7}, nil },
	})
	for _, name := range set.Names() {
		lik, err := set.Bind(name, [][]float64{{0.5, 0.7}}, []float64{1, -1})
		if err != nil {
			t.Fatal(err)
		}
		if made, ok := lik.(*switched); ok && isa.Level(made.engine) != min(isa.AVX2, isa.Best()) {
			t.Errorf("bound with engine %d, want %v at most", made.engine, isa.Best())
		}
		if got := Use(lik, isa.AVX512); got > isa.Best() {
			t.Errorf("%s: uses %v, above %v", name, got, isa.Best())
		}
	}
}
