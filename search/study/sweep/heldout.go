package sweep

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
	"likc/search/find/columns"
	"likc/search/find/tree"
	"likc/search/teach/rows"
)

// HeldOut compares expressions with the teacher on rows that no search saw.
type HeldOut struct {
	Rows      int           `json:"rows"`
	Seed      uint64        `json:"seed"` // seed of the bank of these rows
	Bank      string        `json:"bank_sha256"`
	Teacher   string        `json:"teacher_sha256"`
	Median    finite.Number `json:"pool_median_mse"`
	Undefined int           `json:"undefined"` // number of expressions that are not finite on some row
}

// AddRows computes every expression's squared error against the teacher on the given rows.
func (r *Result) AddRows(given *rows.Rows) error {
	found := lines(r.Pool)
	symbols := append(slices.Clone(given.Params), ssm.ResponseTime)
	table, target := tableOf(given)
	evaluator := columns.NewEvaluator(table)
	h := &HeldOut{Rows: len(target), Seed: given.Bank.Seed, Bank: given.BankSum, Teacher: given.Teacher.Sum}
	var all []float64
	of := map[string]*float64{}
	for i := range r.Pool {
		sum, finite, err := squaredError(evaluator, &found[i], symbols, target)
		if err != nil {
			return fmt.Errorf("rows: %s: %w", found[i].Expr, err)
		}
		if mse := sum / float64(len(target)); finite && !math.IsNaN(mse) {
			all, of[r.Pool[i].Canonical] = append(all, mse), &mse
		} else {
			h.Undefined++
		}
	}
	for _, list := range [][]Expression{r.Pool, r.Best} {
		for i := range list {
			list[i].HeldOut = of[list[i].Canonical]
		}
	}
	h.Median, r.HeldOut = finite.Number(quantile(all, 0.5)), h
	r.predict()
	return nil
}

// tableOf returns a table with a column for each parameter, then rt, and the teacher's log densities.
func tableOf(given *rows.Rows) (table *columns.Table[float64], target []float64) {
	table = &columns.Table[float64]{Columns: make([][]float64, len(given.Params)+1)}
	for g, theta := range given.Theta {
		for k, rt := range given.RT[g] {
			for j, x := range theta {
				table.Columns[j] = append(table.Columns[j], x)
			}
			last := &table.Columns[len(theta)]
			*last = append(*last, rt)
			target = append(target, given.Target[g][k])
		}
	}
	return table, target
}

func squaredError(e *columns.Evaluator[float64], l *front.Line, symbols []string, target []float64) (sum float64, finite bool, err error) {
	if err := l.Parse(catalog.Headers); err != nil {
		return 0, false, err
	}
	t, err := tree.FromExpr(l.Parsed.LogLik, symbols)
	if err != nil {
		return 0, false, err
	}
	sum, finite = e.SquaredError(t, target)
	return sum, finite, nil
}
