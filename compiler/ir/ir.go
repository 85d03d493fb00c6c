// Package ir has the intermediate representation of a likelihood: a program, which is a list of values in the order of
// computation. What a value depends on decides its stage. The package can verify, print and interpret programs.
//
//	stage     depends on                       is computed
//	Data      trials only                      once for a dataset
//	Prologue  parameters only                  once in an evaluation
//	Body      trials and parameters            for each trial, in a loop that adds into accumulators
//	Epilogue  accumulators                     once in an evaluation; gives value and gradient
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
	Column              // trial column number Index, with one number for each trial
	Apply               // Op of Args
	Total               // sum of Args[0] over the trials of Group
	Node                // column number Index of table Group, with one number for each node
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

// Cond is a condition Left < Right on scalars, which the support of a model requires.
type Cond struct{ Left, Right ID }

// Group is a group of trials with its contribution to the result. A group without trials contributes nothing.
type Group struct {
	Name    string
	Choice  float64 // the choice of the group's trials; a program without choice has one group, with all trials
	LogLik  ID
	Grad    []ID // the derivative in each parameter
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
	Tables   []expr.Table // the tables of nodes of integrals that are loops, for Node and NodeSum values
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

// Facts holds properties of each value that follow from what it depends on. They are computed from a program and never stored
// in it.
type Facts struct {
	Stage    []Stage           // the stage at which a value is computed
	PerTrial []bool            // whether the value has one number for each trial, and not one for the dataset
	PerNode  []bool            // whether the value has one number for each node of a table
	Params   []map[string]bool // the parameters that a value depends on; values share these maps, so do not change them
}

// Analyse computes the facts of a program. A value that depends on nodes and trials belongs to the Body or the Epilogue, even
// if it needs no parameter, because the Data stage has no loops over nodes.
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

// stage returns the stage of a value. onData: it depends on trials; late: it depends on a parameter or a node.
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

// union returns the union of two sets, which is a or b itself if it contains the other.
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

// Roots returns the values that the result is made of. A value that no root depends on is dead.
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

// ValueRoots returns the values that the log-likelihood without its gradient is made of.
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

// Live reports for each value whether a root depends on it.
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

// Rewrite returns the program with every value replaced. f appends the replacement of a value to the builder and returns its
// ID. The program's outputs are replaced accordingly.
func (p *Program) Rewrite(f func(b *Builder, v Value, args []ID) ID) *Program {
	b := NewBuilder()
	newID := make([]ID, len(p.Values))
	for i, v := range p.Values {
		args := make([]ID, len(v.Args))
		for j, a := range v.Args {
			args[j] = newID[a]
		}
		newID[i] = f(b, v, args)
	}
	return p.with(b.Values(), newID)
}

// with returns the program with other values; newID has the new ID of each old value.
func (p *Program) with(values []Value, newID []ID) *Program {
	q := *p
	q.Values = values
	q.Groups = make([]Group, len(p.Groups))
	for i, g := range p.Groups {
		h := g
		h.LogLik = newID[g.LogLik]
		h.Grad = make([]ID, len(g.Grad))
		for j, id := range g.Grad {
			h.Grad[j] = newID[id]
		}
		h.Support = make([]Cond, len(g.Support))
		for j, c := range g.Support {
			h.Support[j] = Cond{newID[c.Left], newID[c.Right]}
		}
		q.Groups[i] = h
	}
	return &q
}

// Reorder returns the program with its values in the order given. It drops values that are not in order.
func (p *Program) Reorder(order []ID) *Program {
	newID := make([]ID, len(p.Values))
	for i, id := range order {
		newID[id] = ID(i)
	}
	values := make([]Value, len(order))
	for i, id := range order {
		v := p.Values[id]
		args := make([]ID, len(v.Args))
		for j, a := range v.Args {
			args[j] = newID[a]
		}
		v.Args = args
		values[i] = v
	}
	return p.with(values, newID)
}
