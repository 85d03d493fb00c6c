package ir

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler/expr"
)

// exactTable is a Table that computes its sums from the trials at every request, and counts the requests.
type exactTable struct {
	size   int // number of sums
	served int // number of requests that were answered
	lo, hi float64
	edge   Edge
	sum    func(psi, value, abs []float64)
}

// At sets value to the sums at psi. It reports whether psi is in the table's range, and the sums are no larger than those of
// absolute terms.
func (e *exactTable) At(psi float64, value []float64) bool {
	if !(psi >= e.lo && psi < e.hi) {
		return false
	}
	all, abs := make([]float64, e.size), make([]float64, e.size)
	e.sum([]float64{psi}, all, abs)
	for a, x := range all {
		if math.Abs(x) > abs[a]*(1+1e-12) {
			return false
		}
	}
	copy(value, all)
	e.served++
	return true
}

// bindExact binds a program with an exactTable for each tabulation, and returns these tables.
func bindExact(t *testing.T, p *Program, columns [][]float64, choice []float64) (*Bound, []*exactTable) {
	t.Helper()
	var tables []*exactTable
	b, err := Bind(p, columns, choice, WithTables(func(k int, lo, hi float64, edge Edge, sum func(psi, value, abs []float64)) Table {
		tables = append(tables, &exactTable{size: k, lo: lo, hi: hi, edge: edge, sum: sum})
		return tables[len(tables)-1]
	}))
	if err != nil {
		t.Fatal(err)
	}
	return b, tables
}

// mixed returns the program of Σ exp(-v·rt) + Σ 1/(rt - a) with support a < rt. If entangled is set, it adds Σ |v - a·rt|, which no table can
// give.
func mixed(entangled bool) *Program {
	b := NewBuilder()
	rt := b.Add(Value{Kind: Column})
	v, a := b.Add(Value{Kind: Param, Index: 0}), b.Add(Value{Kind: Param, Index: 1})
	minus := b.Apply(expr.Neg, v)
	e := b.Apply(expr.Exp, b.Apply(expr.Mul, minus, rt))
	tau := b.Apply(expr.Sub, rt, a)
	inverse := b.Apply(expr.Inv, tau)
	total := func(x ID) ID { return b.Add(Value{Kind: Total}, x) }
	value := b.Apply(expr.Add, total(e), total(inverse))
	if entangled {
		value = b.Apply(expr.Add, value, total(b.Apply(expr.Abs, b.Apply(expr.Sub, v, b.Apply(expr.Mul, a, rt)))))
	}
	dv := b.Apply(expr.Neg, total(b.Apply(expr.Mul, rt, e)))
	da := total(b.Apply(expr.Mul, inverse, inverse))
	least := b.Add(Value{Kind: Least}, rt)
	return &Program{
		Model: "mixed", Params: []expr.Param{{Name: "v", Lower: -1, Upper: 2}, {Name: "a", Lower: 0, Upper: 5}}, Trials: []string{"rt"}, Values: b.Values(),
		Groups: []Group{{LogLik: value, Grad: []ID{dv, da}, Support: []Cond{{a, least}}}},
	}
}

// TestTablesReplaceLoops compares a bound program with and without tables: for sums of one parameter each, with one more sum that must be
// streamed, and with too few trials for tables.
func TestTablesReplaceLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name      string
		entangled bool
		n, tables int
	}{{"two tables", false, TableTrials, 2}, {"a rest", true, TableTrials, 2}, {"few trials", false, TableTrials - 1, 0}} {
		rt := make([]float64, c.n)
		fastest := math.Inf(1)
		for i := range rt {
			rt[i] = 0.3 + rng.Float64()
			fastest = min(fastest, rt[i])
		}
		p := mixed(c.entangled)
		if err := Verify(p); err != nil {
			t.Fatal(err)
		}
		plain, err := Bind(p, [][]float64{rt}, nil)
		if err != nil {
			t.Fatal(err)
		}
		bound, tables := bindExact(t, p, [][]float64{rt}, nil)
		if len(tables) != c.tables {
			t.Fatalf("%s: %d tables, want %d", c.name, len(tables), c.tables)
		}
		if c.tables == 2 && (tables[0].lo != -1 || tables[0].hi != 2 || tables[0].edge != NoEdge || tables[1].lo != 0 || tables[1].hi != fastest || tables[1].edge != EdgeHi) {
			t.Errorf("%s: ranges [%v, %v] and [%v, %v]", c.name, tables[0].lo, tables[0].hi, tables[1].lo, tables[1].hi)
		}
		for _, theta := range [][]float64{{0.5, 0.1}, {1.9, fastest * (1 - 1e-9)}, {-0.9, 0}, {2.5, 0.2}, {0.5, -0.1}, {0.5, fastest}} {
			got, want := make([]float64, 2), make([]float64, 2)
			for what, pair := range map[string][2]float64{
				"value": {bound.LogLik(theta), plain.LogLik(theta)},
				"both":  {bound.LogLikGrad(theta, got), plain.LogLikGrad(theta, want)},
				"scale": {bound.Scale(theta), plain.Scale(theta)},
				"d/dv":  {got[0], want[0]},
				"d/da":  {got[1], want[1]},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s, %s at %v: %v with tables, %v without", c.name, what, theta, pair[0], pair[1])
				}
			}
		}
		for i, table := range tables {
			if table.served < 6 {
				t.Errorf("%s: table %d served %d times", c.name, i, table.served)
			}
		}
	}
}

// TestTablesRefuse: terms with features that a table could miss are streamed.
func TestTablesRefuse(t *testing.T) {
	square := func(b *Builder, x ID) ID { return b.Apply(expr.Square, x) }
	tests := []struct {
		name   string
		term   func(b *Builder, rt, m ID) ID
		tables int
	}{
		{"a power of the distance from the edge", func(b *Builder, rt, m ID) ID { return square(b, b.Apply(expr.Inv, b.Apply(expr.Sub, rt, m))) }, 1},
		{"its logarithm times it", func(b *Builder, rt, m ID) ID {
			tau := b.Apply(expr.Sub, rt, m)
			return b.Apply(expr.Mul, tau, b.Apply(expr.Log, tau))
		}, 1},
		{"an exponential", func(b *Builder, rt, m ID) ID { return b.Apply(expr.Exp, b.Apply(expr.Mul, rt, m)) }, 1},
		{"a bump", func(b *Builder, rt, m ID) ID { return b.Apply(expr.Exp, square(b, b.Apply(expr.Sub, rt, m))) }, 0},
		{"a peak of m·exp(m·rt)", func(b *Builder, rt, m ID) ID {
			return b.Apply(expr.Mul, m, b.Apply(expr.Exp, b.Apply(expr.Mul, rt, m)))
		}, 0},
		{"a kink", func(b *Builder, rt, m ID) ID { return b.Apply(expr.Abs, b.Apply(expr.Sub, rt, m)) }, 0},
		{"a pole off the real line", func(b *Builder, rt, m ID) ID {
			return b.Apply(expr.Inv, b.Apply(expr.Add, square(b, b.Apply(expr.Sub, rt, m)), b.Num(1e-6)))
		}, 0},
	}
	rt := make([]float64, TableTrials)
	for i := range rt {
		rt[i] = 0.5 + float64(i)/100
	}
	for _, test := range tests {
		b := NewBuilder()
		column, m := b.Add(Value{Kind: Column}), b.Add(Value{Kind: Param})
		sum := b.Add(Value{Kind: Total}, test.term(b, column, m))
		least := b.Add(Value{Kind: Least}, column)
		p := &Program{Params: []expr.Param{{Name: "m", Lower: 0, Upper: 3}}, Trials: []string{"rt"}, Values: b.Values(),
			Groups: []Group{{Name: expr.All, LogLik: sum, Grad: []ID{sum}, Support: []Cond{{m, least}}}}}
		if _, tables := bindExact(t, p, [][]float64{rt}, nil); len(tables) != test.tables {
			t.Errorf("%s: %d tables, want %d", test.name, len(tables), test.tables)
		}
	}
}
