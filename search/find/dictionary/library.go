package dictionary

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
)

// Atom is a factor of terms, or a divisor.
type Atom struct {
	Expr  *expr.Expr // an expression over the model's symbols
	Under bool       // whether a term is divided by this atom
	cost  int        // number of nodes, if a part with a name in Library.Lets counts as a leaf

	inner float64                    // a positive number in the expression that can be refined
	with  func(k float64) *expr.Expr // returns the expression with k in place of that number; nil if there is no such number
}

// inner returns an atom that contains a number k, which can be refined.
func inner(k float64, with func(k float64) *expr.Expr) Atom {
	return Atom{Expr: with(k), inner: k, with: with}
}

// under returns the atom as a divisor of terms.
func under(a Atom) Atom {
	a.Under = true
	return a
}

// Term is a product of atoms, by their indices in the library.
type Term []int

// Library holds the atoms and terms from which expressions are built.
type Library struct {
	Atoms  []Atom
	Terms  []Term
	Start  Start      // the terms from which searches start
	Lets   []expr.Let // named parts of atoms; the names make printed expressions readable
	Shared bool       // whether equal parts of an expression count once
}

// Start holds the terms from which a search starts, with their first coefficients.
type Start struct {
	Terms []int     // indices in Library.Terms
	By    []float64 // the first coefficient of each of these terms
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

// Sum returns Σ by·term as an expression. A negative coefficient becomes a difference.
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

// size returns the number of nodes that a term adds to an expression: its own nodes and the node of the sum. If Shared is set, named
// parts count as leaves.
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

// farMost bounds the values of atoms where the teacher has no mass. There the expression only has to be low.
const farMost = 1e6

// values returns the value of every atom at every node, [atom][row].
func (l *Library) values(t *target) [][]float64 {
	columns := l.evaluate(t.symbols, t.values)
	for _, x := range columns {
		for r, s := range t.share {
			if s == 0 {
				x[r] = min(max(x[r], -farMost), farMost)
			}
		}
	}
	return columns
}

// evaluate returns the value of every atom at every row, [atom][row]. A row holds the values of the symbols.
func (l *Library) evaluate(symbols []string, rows [][]float64) [][]float64 {
	roots := make([]*expr.Expr, len(l.Atoms))
	columns := make([][]float64, len(l.Atoms))
	for i, a := range l.Atoms {
		roots[i], columns[i] = a.Expr, make([]float64, len(rows))
	}
	tape := expr.NewTape(symbols, roots...)
	var out []float64
	for r, row := range rows {
		out, _ = tape.Eval(out[:0], row)
		for i, x := range out {
			if l.Atoms[i].Under {
				x = 1 / x
			}
			columns[i][r] = x
		}
	}
	return columns
}

// add appends the atoms that the library does not have yet, and returns the indices of all the given atoms.
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

// unique removes each term that has the same atoms as an earlier one.
func (l *Library) unique() {
	seen := map[string]bool{}
	l.Terms = slices.DeleteFunc(l.Terms, func(t Term) bool {
		name := fmt.Sprint(slices.Sorted(slices.Values(t)))
		known := seen[name]
		seen[name] = true
		return known
	})
}

// mostLibrary is the largest number of terms in a library made from a header.
const mostLibrary = 6000

// products appends the products of at most one atom from each family, shorter ones first, up to mostLibrary terms.
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
