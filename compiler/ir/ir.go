// Package ir is the staged program of a likelihood: values in the order of their computation, each in the stage that its
// dependence gives it, with a verifier, a printer and an interpreter.
//
//	Data      trials only          once a dataset
//	Prologue  parameters only      once an evaluation
//	Body      both, per trial      the loop, into accumulators
//	Epilogue  accumulators         once an evaluation, to value and gradient
package ir

import (
	"slices"

	"likc/compiler/expr"
)

// ID names a value: its index in Program.Values.
type ID int32

// Kind says what a value is.
type Kind uint8

// Kinds of value.
const (
	Const   Kind = iota // the number Num
	Param               // parameter number Index
	Column              // trial column number Index, one number a trial
	Apply               // Op of Args
	Total               // sum of Args[0] over the trials of Group
	Node                // column number Index of table Group, one number a node
	NodeSum             // sum of Args[0] over the nodes of table Group
	Least               // minimum of Args[0] over the trials of Group; NaN if any is NaN, +Inf if there are none
)

// Value is one value of a program in static single assignment form.
type Value struct {
	Kind  Kind
	Op    expr.Op
	Args  []ID
	Num   float64
	Index int
	Group int
	Name  string // the model's name of the value, for readers of the emitted code; "" if it has none
}

// Cond is a condition Left < Right on scalars, as the support of a model demands.
type Cond struct{ Left, Right ID }

// Group is a group of trials with its share of the result. A group without trials contributes nothing.
type Group struct {
	Name    string
	Choice  float64 // the choice of the group's trials; a program without choice has one group, with all trials
	LogLik  ID
	Grad    []ID // one a parameter
	Support []Cond
}

// Program computes the log-likelihood and its gradient: the sums over the groups that have trials, or -Inf with a zero
// gradient if a support condition fails in such a group.
type Program struct {
	Model    string
	Params   []expr.Param
	Trials   []string // trial columns, in order
	Positive []string // the trial columns whose values must be greater than 0
	Zero     []string // the columns among Positive whose values may be 0 too
	Choice   string   // "" for a model without choice
	Choices  int      // number of choices, coded 0, 1, …; 0 where they are the two boundaries, coded +1 and -1, or there is no choice
	Values   []Value  // arguments before the values that use them
	Groups   []Group
	Tables   []expr.Table // the tables of integrals that are loops: Node and NodeSum go over their nodes
}

// IsPositive reports whether name is a trial column whose values must be greater than 0, or at least 0 if MayBeZero.
func (p *Program) IsPositive(name string) bool { return slices.Contains(p.Positive, name) }

// MayBeZero reports whether name is a trial column whose values must be 0 or more.
func (p *Program) MayBeZero(name string) bool { return slices.Contains(p.Zero, name) }

// Codes returns the choices of the groups, as data code them; nil for a program without choice.
func (p *Program) Codes() (codes []float64) {
	for _, g := range p.Groups {
		if p.Choice != "" {
			codes = append(codes, g.Choice)
		}
	}
	return codes
}

// Stage is when a value is computed.
type Stage uint8

// Stages, in order of execution.
const (
	Data Stage = iota
	Prologue
	Body
	Epilogue
)

// String returns the stage's name.
func (s Stage) String() string { return [...]string{"data", "prologue", "body", "epilogue"}[s] }

// Facts is what dependence says of each value. It is computed from a program and never stored on it.
type Facts struct {
	Stage    []Stage
	PerTrial []bool            // one number a trial rather than one a dataset
	PerNode  []bool            // one number a node of a table
	Params   []map[string]bool // the parameters that a value depends on; shared, do not change
}

// Analyse computes the facts of a program. What depends on nodes and trials belongs to the Body or the Epilogue, even where it needs no
// parameter, because data are bound without loops over nodes.
func Analyse(p *Program) Facts {
	n := len(p.Values)
	f := Facts{Stage: make([]Stage, n), PerTrial: make([]bool, n), PerNode: make([]bool, n), Params: make([]map[string]bool, n)}
	onData, late := make([]bool, n), make([]bool, n)
	for i, v := range p.Values {
		summed := v.Kind == Total || v.Kind == Least
		onData[i] = summed || v.Kind == Column
		f.PerTrial[i] = v.Kind == Column
		f.PerNode[i] = v.Kind == Node
		if v.Kind == Param {
			f.Params[i] = map[string]bool{p.Params[v.Index].Name: true}
		}
		for _, a := range v.Args {
			onData[i] = onData[i] || onData[a]
			f.PerTrial[i] = f.PerTrial[i] || f.PerTrial[a] && !summed
			f.PerNode[i] = f.PerNode[i] || f.PerNode[a] && v.Kind != NodeSum
			f.Params[i] = union(f.Params[i], f.Params[a])
			late[i] = late[i] || late[a]
		}
		late[i] = late[i] || len(f.Params[i]) > 0 || v.Kind == Node
		f.Stage[i] = stage(onData[i], late[i], f.PerTrial[i])
	}
	return f
}

func stage(onData, late, perTrial bool) Stage {
	switch {
	case !onData:
		return Prologue
	case !late:
		return Data
	case perTrial:
		return Body
	}
	return Epilogue
}

func union(a, b map[string]bool) map[string]bool {
	if len(a) == 0 {
		return b
	}
	for k := range b {
		if !a[k] {
			merged := map[string]bool{}
			for _, m := range []map[string]bool{a, b} {
				for k := range m {
					merged[k] = true
				}
			}
			return merged
		}
	}
	return a
}

// Roots returns the values that the result needs: all that is not below them is dead.
func (p *Program) Roots() []ID {
	var roots []ID
	for _, g := range p.Groups {
		roots = append(append(roots, g.LogLik), g.Grad...)
		for _, c := range g.Support {
			roots = append(roots, c.Left, c.Right)
		}
	}
	return roots
}

// ValueRoots returns the values that the log-likelihood alone needs.
func (p *Program) ValueRoots() []ID {
	var roots []ID
	for _, g := range p.Groups {
		roots = append(roots, g.LogLik)
		for _, c := range g.Support {
			roots = append(roots, c.Left, c.Right)
		}
	}
	return roots
}

// Live marks the values that roots need.
func (p *Program) Live(roots []ID) []bool {
	live := make([]bool, len(p.Values))
	for _, r := range roots {
		live[r] = true
	}
	for i := len(p.Values) - 1; i >= 0; i-- {
		if live[i] {
			for _, a := range p.Values[i].Args {
				live[a] = true
			}
		}
	}
	return live
}

// Rewrite returns the program with its values replaced: f appends the image of each value to the builder and returns its
// place. Outputs follow.
func (p *Program) Rewrite(f func(b *Builder, v Value, args []ID) ID) *Program {
	b := NewBuilder()
	place := make([]ID, len(p.Values))
	for i, v := range p.Values {
		args := make([]ID, len(v.Args))
		for j, a := range v.Args {
			args[j] = place[a]
		}
		place[i] = f(b, v, args)
	}
	return p.with(b.Values(), place)
}

// with returns the program with other values; place says where each old value went.
func (p *Program) with(values []Value, place []ID) *Program {
	q := *p
	q.Values = values
	q.Groups = make([]Group, len(p.Groups))
	for i, g := range p.Groups {
		h := g
		h.LogLik = place[g.LogLik]
		h.Grad = make([]ID, len(g.Grad))
		for j, id := range g.Grad {
			h.Grad[j] = place[id]
		}
		h.Support = make([]Cond, len(g.Support))
		for j, c := range g.Support {
			h.Support[j] = Cond{place[c.Left], place[c.Right]}
		}
		q.Groups[i] = h
	}
	return &q
}

// Reorder returns the program with its values in another order, which may leave some out.
func (p *Program) Reorder(order []ID) *Program {
	place := make([]ID, len(p.Values))
	for i, id := range order {
		place[id] = ID(i)
	}
	values := make([]Value, len(order))
	for i, id := range order {
		v := p.Values[id]
		args := make([]ID, len(v.Args))
		for j, a := range v.Args {
			args[j] = place[a]
		}
		v.Args = args
		values[i] = v
	}
	return p.with(values, place)
}
