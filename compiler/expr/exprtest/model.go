package exprtest

import (
	"likc/compiler/expr"

	"pgregory.net/rapid"
)

// Model draws models with operators ops. Each expression has at most maxSize nodes, where a let counts as one node. A model has
// up to three trial columns and four parameters. It may have a choice, support conditions, and lets that later expressions
// share. A let may also be a single symbol or another let.
func Model(ops []expr.Op, maxSize int) *rapid.Generator[*expr.Model] {
	return rapid.Custom(func(t *rapid.T) *expr.Model {
		m := &expr.Model{Name: "random"}
		m.Trials = []string{"rt", "x", "y"}[:rapid.IntRange(1, 3).Draw(t, "trials")]
		m.Positive = m.Trials[:1] // the first column is rt, which the language always declares positive
		m.Params = parameters(t)
		params := symbols(m.ParamNames())
		leaves := append(symbols(m.Trials), params...)
		m.Support = support(t, leaves, ops)
		if rapid.Bool().Draw(t, "choice") {
			m.Choice = "c"
			m.Lower = lower(t, m.Params, params, ops)
			leaves = append(leaves, expr.Var(m.Choice))
		}
		if rapid.Bool().Draw(t, "simulator") {
			m.Simulator = &expr.SimulatorUse{Name: "process", Params: lower(t, m.Params, params, ops)}
		}
		for _, name := range []string{"tau", "D", "lambda"}[:rapid.IntRange(0, 3).Draw(t, "lets")] {
			value := Over(leaves, ops, maxSize).Draw(t, name)
			m.Lets = append(m.Lets, expr.Let{Name: name, Value: value})
			leaves = append(leaves, value)
		}
		m.Support = append(m.Support, support(t, leaves, ops)...)
		m.LogLik = Over(leaves, ops, maxSize).Draw(t, "loglik")
		return m
	})
}

func parameters(t *rapid.T) []expr.Param {
	all := []expr.Param{
		{Name: "v", Lower: -3, Upper: 3},
		{Name: "a", Lower: 0.3, Upper: 2.5},
		{Name: "z", Lower: 0.1, Upper: 0.9},
		{Name: "t", Lower: 0, Upper: 2},
	}
	return all[:rapid.IntRange(1, 4).Draw(t, "params")]
}

func support(t *rapid.T, leaves []*expr.Expr, ops []expr.Op) []expr.Support {
	list := make([]expr.Support, rapid.IntRange(0, 1).Draw(t, "supports"))
	for i := range list {
		list[i].Left = Over(leaves, ops, 5).Draw(t, "left")
		list[i].Right = Over(leaves, ops, 5).Draw(t, "right")
	}
	return list
}

func lower(t *rapid.T, params []expr.Param, leaves []*expr.Expr, ops []expr.Op) []expr.Assign {
	assigns := make([]expr.Assign, rapid.IntRange(0, len(params)).Draw(t, "lower"))
	for i := range assigns {
		assigns[i] = expr.Assign{Param: params[i].Name, Value: Over(leaves, ops, 5).Draw(t, "value")}
	}
	return assigns
}
