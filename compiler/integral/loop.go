package integral

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// Loop returns the integral by the rule with n nodes on each piece, as a sum over a table of the nodes of all pieces. The table
// has the numbers c and d in
//
//	node = c + Σ c(end)·end        weight = d + Σ d(piece)·(its end - its beginning)
//
// With this form a piece whose ends are equal adds exactly 0, however a processor rounds. If the integrand is 0, the result is
// 0 and the table is not used.
func (i *Integral) Loop(n int) (*expr.Expr, expr.Table) {
	t := &table{Integral: i, rule: gauss.New(n), Table: expr.Table{Name: "nodes of " + i.Symbol}}
	put := expr.Substitution(map[string]*expr.Expr{i.Variable: t.node()})
	summand := expr.Times(t.weight(), put.Map(i.Of))
	if summand.IsNum(0) {
		return summand, t.Table
	}
	return expr.SumOverNodes(t.Name, summand), t.Table
}

// table is the table of an integral's nodes that is being built.
type table struct {
	*Integral
	expr.Table
	rule gauss.Rule
}

// node returns the integral's variable.
func (t *table) node() *expr.Expr {
	sum := t.times(expr.Num(1), "shift of nodes", func(piece int, x, _ float64) float64 {
		return float64(t.infinite(piece)) * x / (1 - x)
	})
	for k, end := range t.Ends {
		if end.Infinite != 0 {
			continue
		}
		sum = expr.Plus(sum, t.times(end.At, fmt.Sprintf("share of end %d", k), func(piece int, x, _ float64) float64 {
			switch begins, ends := k == piece, k == piece+1; {
			case (begins || ends) && t.infinite(piece) != 0:
				return 1
			case begins:
				return 1 - x
			case ends:
				return x
			}
			return 0
		}))
	}
	return sum
}

// weight returns the weight of a node.
func (t *table) weight() *expr.Expr {
	sum := t.times(expr.Num(1), "weight in infinite pieces", func(piece int, x, w float64) float64 {
		if t.infinite(piece) == 0 {
			return 0
		}
		return w / ((1 - x) * (1 - x))
	})
	for k := range t.Ends[1:] {
		if t.infinite(k) != 0 {
			continue
		}
		width := expr.Plus(t.Ends[k+1].At, expr.Negative(t.Ends[k].At))
		sum = expr.Plus(sum, t.times(width, fmt.Sprintf("weight in piece %d", k), func(piece int, _, w float64) float64 {
			if piece != k {
				return 0
			}
			return w
		}))
	}
	return sum
}

// infinite returns -1 for a piece from -infinity, 1 for a piece to infinity, and 0 for any other piece.
func (t *table) infinite(piece int) int { return t.Ends[piece].Infinite + t.Ends[piece+1].Infinite }

// times returns value times a new column of the table. coefficient returns the column's number for the node x with weight w on
// a piece. If value is 0, or all numbers are 0 or all are 1, the table needs no column.
func (t *table) times(value *expr.Expr, what string, coefficient func(piece int, x, w float64) float64) *expr.Expr {
	var column []float64
	for piece := range t.Ends[1:] {
		for j, x := range t.rule.X {
			column = append(column, coefficient(piece, x, t.rule.Weight[j]))
		}
	}
	isNot := func(c float64) func(float64) bool { return func(x float64) bool { return x != c } }
	switch {
	case value.IsNum(0) || !slices.ContainsFunc(column, isNot(0)):
		return expr.Num(0)
	case !slices.ContainsFunc(column, isNot(1)):
		return value
	}
	symbol := expr.Var(what + " of " + t.Symbol)
	t.Symbols, t.Columns = append(t.Symbols, symbol.Name), append(t.Columns, column)
	return expr.Times(symbol, value)
}
