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
	Constant  Tier = "constant"  // sufficient statistics only
	Tabulated Tier = "tabulated" // every accumulator depends on one parameter
	Streaming Tier = "streaming" // some accumulator depends on two or more
)

// Report is what a program computes where.
type Report struct {
	Statistics  []string // sums over the trials alone, N among them
	Entangled   []string // parameters that some accumulator still depends on, in the model's order
	PrologueOps int
	BodyOps     int // per trial and group, accumulations included
	EpilogueOps int
	Sums        int // accumulators
	Tier        Tier
}

// Describe reports on a program's value and gradient.
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

func worse(t Tier, entangled int) Tier {
	switch {
	case entangled > 1 || t == Streaming:
		return Streaming
	case entangled == 1:
		return Tabulated
	}
	return t
}

// statistic writes a sum over the trials: Σrt, or N for the sum of ones.
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

// Expr writes a value as an expression.
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
