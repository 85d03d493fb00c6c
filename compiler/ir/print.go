package ir

import (
	"fmt"
	"strings"

	"likc/compiler/expr"
)

// String prints the program stage by stage, with one value on each line, then the outputs.
func (p *Program) String() string {
	var b strings.Builder
	facts := Analyse(p)
	fmt.Fprintf(&b, "program %s\n", p.Model)
	for s := Data; s <= Epilogue; s++ {
		fmt.Fprintf(&b, "%s:\n", s)
		for i, v := range p.Values {
			if facts.Stage[i] == s {
				fmt.Fprintf(&b, "\t%%%d%s = %s\n", i, suffix(facts.PerTrial[i]), p.describe(v))
			}
		}
	}
	for _, g := range p.Groups {
		fmt.Fprintf(&b, "group %s:\n\tloglik %%%d\n", g.Name, g.LogLik)
		for j, id := range g.Grad {
			fmt.Fprintf(&b, "\td/d%s %%%d\n", p.Params[j].Name, id)
		}
		for _, c := range g.Support {
			fmt.Fprintf(&b, "\tsupport %%%d < %%%d\n", c.Left, c.Right)
		}
	}
	return b.String()
}

// suffix returns the mark that is printed after values with one number for each trial.
func suffix(perTrial bool) string {
	if perTrial {
		return "[]"
	}
	return ""
}

// describe returns the text of a value: what it is, and its arguments.
func (p *Program) describe(v Value) string {
	switch v.Kind {
	case Const:
		return expr.Literal(v.Num)
	case Param:
		return p.Params[v.Index].Name
	case Column:
		return p.Trials[v.Index]
	case Node:
		return p.Tables[v.Group].Symbols[v.Index]
	case NodeSum:
		return fmt.Sprintf("sum[%s] %%%d", p.Tables[v.Group].Name, v.Args[0])
	case Total:
		return fmt.Sprintf("sum[%s] %%%d", p.Groups[v.Group].Name, v.Args[0])
	case Least:
		return fmt.Sprintf("min[%s] %%%d", p.Groups[v.Group].Name, v.Args[0])
	}
	args := make([]string, len(v.Args))
	for i, a := range v.Args {
		args[i] = fmt.Sprintf("%%%d", a)
	}
	return v.Op.String() + " " + strings.Join(args, " ")
}
