package dictionary

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
)

// Atom is a factor of terms.
type Atom struct {
	Expr  *expr.Expr // over the model's symbols
	Under bool       // whether terms are divided by it
	cost  int        // nodes, where named parts are leaves
}

// Term is a product of atoms, by their indices in the library.
type Term []int

// Library is what expressions are made of.
type Library struct {
	Atoms  []Atom
	Terms  []Term
	Start  Start      // where searches begin
	Lets   []expr.Let // names of parts of atoms, for a text to be read
	Shared bool       // whether equal parts of an expression count once
}

// Start is terms with first coefficients.
type Start struct {
	Terms []int
	By    []float64
}

// Expr returns the term times a number.
func (l *Library) Expr(t Term, by float64) *expr.Expr {
	e := expr.Num(by)
	for _, i := range t {
		switch a := l.Atoms[i]; {
		case a.Under:
			e = expr.New(expr.Div, e, a.Expr)
		case e.IsNum(1):
			e = a.Expr
		case e.IsNum(-1):
			e = expr.New(expr.Neg, a.Expr)
		default:
			e = expr.New(expr.Mul, e, a.Expr)
		}
	}
	return e
}

// Sum returns Σ by·term as the language writes it, a difference where a number is negative.
func (l *Library) Sum(terms []int, by []float64) *expr.Expr {
	var sum *expr.Expr
	for i, t := range terms {
		switch {
		case sum == nil:
			sum = l.Expr(l.Terms[t], by[i])
		case by[i] < 0:
			sum = expr.New(expr.Sub, sum, l.Expr(l.Terms[t], -by[i]))
		default:
			sum = expr.New(expr.Add, sum, l.Expr(l.Terms[t], by[i]))
		}
	}
	return sum
}

// size is the number of nodes that a term adds to an expression: its own, and that of a sum. Where equal parts count once, those with names
// are leaves.
func (l *Library) size(t Term) int {
	if !l.Shared {
		return l.Expr(t, 0.5).Size() + 1
	}
	n := 2
	for _, a := range t {
		n += 1 + l.Atoms[a].cost
	}
	return n
}

// farMost bounds atoms where the teacher has no mass: there the expression only has to be low.
const farMost = 1e6

// values evaluates every atom at every row.
func (l *Library) values(t *target) [][]float64 {
	roots := make([]*expr.Expr, len(l.Atoms))
	columns := make([][]float64, len(l.Atoms))
	for i, a := range l.Atoms {
		roots[i], columns[i] = a.Expr, make([]float64, len(t.values))
	}
	tape := expr.NewTape(t.symbols, roots...)
	var out []float64
	for r, row := range t.values {
		out, _ = tape.Eval(out[:0], row)
		for i, x := range out {
			if l.Atoms[i].Under {
				x = 1 / x
			}
			if t.share[r] == 0 {
				x = min(max(x, -farMost), farMost)
			}
			columns[i][r] = x
		}
	}
	return columns
}

// add adds atoms that are not there yet, and returns their indices.
func (l *Library) add(atoms ...Atom) (at []int) {
	for _, a := range atoms {
		i := slices.IndexFunc(l.Atoms, func(b Atom) bool { return b.Under == a.Under && b.Expr.Equal(a.Expr) })
		if i < 0 {
			i, l.Atoms = len(l.Atoms), append(l.Atoms, a)
		}
		at = append(at, i)
	}
	return at
}

// unique leaves out terms of the same atoms as an earlier one.
func (l *Library) unique() {
	seen := map[string]bool{}
	l.Terms = slices.DeleteFunc(l.Terms, func(t Term) bool {
		name := fmt.Sprint(slices.Sorted(slices.Values(t)))
		known := seen[name]
		seen[name] = true
		return known
	})
}

// mostLibrary is the largest number of terms of a library that is made of a header.
const mostLibrary = 6000

// products adds the products of at most one atom of each family, the shorter ones first, up to mostLibrary terms.
func (l *Library) products(families [][]int) {
	for factors := 1; factors <= len(families); factors++ {
		var level []Term
		var grow func(from int, t Term)
		grow = func(from int, t Term) {
			if len(t) == factors {
				level = append(level, slices.Clone(t))
				return
			}
			for f := from; f < len(families); f++ {
				for _, a := range families[f] {
					grow(f+1, append(t, a))
				}
			}
		}
		grow(0, nil)
		if len(l.Terms)+len(level) > mostLibrary {
			slices.SortStableFunc(level, func(a, b Term) int { return l.size(a) - l.size(b) })
			level = level[:mostLibrary-len(l.Terms)]
		}
		l.Terms = append(l.Terms, level...)
	}
}
