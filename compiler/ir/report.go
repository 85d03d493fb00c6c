package ir

import (
	"sort"
	"strings"

	"likc/compiler/expr"
)

// Tier says how the cost of an evaluation grows with the data.
type Tier string

// Tiers of a bound dataset.
const (
	Constant  Tier = "constant"  // there are only sufficient statistics: the cost does not grow with the trials
	Tabulated Tier = "tabulated" // every accumulator depends on one parameter, so that tables can give the sums
	Streaming Tier = "streaming" // some accumulator depends on two or more parameters: each evaluation goes over the trials
)

// Report describes the work of a program: its statistics, and the number of operations in each stage.
type Report struct {
	Statistics  []string // sums over trials that depend on no parameter, including the number of trials N
	Entangled   []string // parameters that some accumulator still depends on, in the model's order
	PrologueOps int      // operations of an evaluation before the loops over trials
	BodyOps     int      // operations for each trial, summed over the groups, including additions to accumulators
	EpilogueOps int      // operations of an evaluation after the loops
	Sums        int      // the number of accumulators
	Tier        Tier
}

// Describe returns the report on a program for value and gradient.
func Describe(p *Program) Report {
	f := Analyse(p)
	r := Report{Tier: Constant}
	entangled := map[string]bool{}
	statistics := map[string]bool{}
	for i, v := range p.Values {
		switch {
		case v.Kind == Apply && f.Stage[i] == Prologue:
			r.PrologueOps++
		case v.Kind == Apply && f.Stage[i] == Epilogue:
			r.EpilogueOps++
		case v.Kind == Apply && f.Stage[i] == Body:
			r.BodyOps++
		case (v.Kind == Total || v.Kind == Least) && f.Stage[i] == Data:
			if v.Kind == Total {
				statistics[p.statistic(v.Args[0])] = true
			}
		case v.Kind == Total || v.Kind == Least:
			r.Sums++
			r.BodyOps++
			r.Tier = worse(r.Tier, len(f.Params[v.Args[0]]))
			for name := range f.Params[v.Args[0]] {
				entangled[name] = true
			}
		}
	}
	for _, q := range p.Params {
		if entangled[q.Name] {
			r.Entangled = append(r.Entangled, q.Name)
		}
	}
	for s := range statistics {
		r.Statistics = append(r.Statistics, s)
	}
	sort.Strings(r.Statistics)
	return r
}

// worse returns the slower of tier t and the tier of a loop that depends on that number of entangled parameters.
func worse(t Tier, entangled int) Tier {
	switch {
	case entangled > 1 || t == Streaming:
		return Streaming
	case entangled == 1:
		return Tabulated
	}
	return t
}

// statistic returns the text of a sum over trials, such as Σrt, or N for the sum of ones.
func (p *Program) statistic(id ID) string {
	if p.Values[id].Kind == Const && p.Values[id].Num == 1 {
		return "N"
	}
	text := p.Expr(id).String()
	if strings.ContainsAny(text, " ^/") {
		text = "(" + text + ")"
	}
	return "Σ" + text
}

// Expr returns the expression of a value.
func (p *Program) Expr(id ID) *expr.Expr {
	made := map[ID]*expr.Expr{}
	var build func(ID) *expr.Expr
	build = func(id ID) *expr.Expr {
		if made[id] != nil {
			return made[id]
		}
		v := p.Values[id]
		args := make([]*expr.Expr, len(v.Args))
		for i, a := range v.Args {
			args[i] = build(a)
		}
		switch v.Kind {
		case Const:
			made[id] = expr.Num(v.Num)
		case Param:
			made[id] = expr.Var(p.Params[v.Index].Name)
		case Column:
			made[id] = expr.Var(p.Trials[v.Index])
		case Node:
			made[id] = expr.Var(p.Tables[v.Group].Symbols[v.Index])
		case NodeSum:
			made[id] = expr.SumOverNodes(p.Tables[v.Group].Name, args[0])
		case Apply:
			made[id] = expr.New(v.Op, args...)
		default:
			made[id] = expr.SumOver(p.Groups[v.Group].Name, args[0])
		}
		return made[id]
	}
	return build(id)
}
