package syntax

import (
	"maps"
	"slices"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// stated holds the declarations of states in a text.
type stated struct {
	list []expr.State
	next *lexer.Position // the position of the block `next`; nil without one
}

// state resolves the declaration of a state.
func (r *resolver) state(d *State) error {
	n := d.Name
	if len(r.states.list) == MaxStates {
		return errorf(n.Pos, "state %s is one too many, expected at most %d", quote(n.Text), MaxStates)
	}
	if r.states.next != nil {
		return errorf(n.Pos, "state %s after next at %d:%d, expected it before", quote(n.Text), r.states.next.Line, r.states.next.Column)
	}
	start, err := r.paramExpr("state", d.Start)
	if err != nil {
		return err
	}
	s := expr.State{Name: n.Text, Start: start}
	for _, column := range d.Restart {
		switch {
		case slices.Contains(s.Restart, column.Text):
			return errorf(column.Pos, "state %s restarts by %s twice, expected once", quote(n.Text), quote(column.Text))
		case r.symbols[column.Text] != nil && !r.model.IsTrial(column.Text):
			return errorf(column.Pos, "state %s restarts by %s, expected a column of the data", quote(n.Text), quote(column.Text))
		case len(r.model.Trials)+len(s.Restart) >= MaxTrials:
			return errorf(column.Pos, "state %s restarts by more columns than %d", quote(n.Text), MaxTrials)
		}
		s.Restart = append(s.Restart, column.Text)
	}
	if err := r.declare(n, expr.Var(n.Text)); err != nil {
		return err
	}
	r.states.list = append(r.states.list, s)
	return nil
}

// next resolves the block that assigns the states' values after a trial.
func (r *resolver) next(d *Decl) error {
	if r.states.next != nil {
		return errorf(d.Pos, "next after next at %d:%d, expected at most one", r.states.next.Line, r.states.next.Column)
	}
	if len(r.states.list) == 0 {
		return errorf(d.Pos, "next in a model without states, expected a declaration such as state q = 0.5 above")
	}
	r.states.next = &d.Pos
	for _, a := range d.Next.Assigns {
		s := r.stateNamed(a.Name.Text)
		switch {
		case s == nil:
			return errorf(a.Name.Pos, "next assigns %s, expected a declared state", quote(a.Name.Text))
		case s.Next != nil:
			return errorf(a.Name.Pos, "next assigns %s twice, expected once", quote(a.Name.Text))
		}
		sc := scope{symbols: r.symbols, caller: r, noCalls: "next"}
		if s.Next = sc.expr(a.Value); sc.err != nil {
			return sc.err
		}
	}
	return nil
}

func (r *resolver) stateNamed(name string) *expr.State {
	if i := slices.IndexFunc(r.states.list, func(s expr.State) bool { return s.Name == name }); i >= 0 {
		return &r.states.list[i]
	}
	return nil
}

// advanced returns an error if a state is assigned no value after a trial.
func (r *resolver) advanced() error {
	for _, s := range r.states.list {
		if s.Next == nil {
			return errorf(r.declared[s.Name], "state %s is not in next, expected what it becomes after a trial", quote(s.Name))
		}
	}
	return nil
}

// compute resolves the expressions by which simulations compute trial columns, after everything is declared. A name that the
// model does not declare stands for a column of the data from which trials are simulated.
func (r *resolver) compute() error {
	for _, t := range r.computed {
		symbols := map[string]*expr.Expr{}
		maps.Copy(symbols, r.symbols)
		s := scope{symbols: symbols, caller: r, noCalls: "a computed trial column", supplied: true}
		value := s.expr(t.Value)
		if s.err != nil {
			return s.err
		}
		for _, name := range expr.Symbols(value) {
			switch {
			case value.Op == expr.Sym && name == t.Name.Text: // simulations copy the column from the data
			case r.model.IsParam(name), r.stateNamed(name) != nil:
				return errorf(t.Name.Pos, "trial %s is computed from %s, expected the choice and columns of the data", quote(t.Name.Text), quote(name))
			case slices.ContainsFunc(r.computed, func(o *Trial) bool { return o.Name.Text == name }):
				return errorf(t.Name.Pos, "trial %s is computed from %s, which is computed itself, expected columns of the data", quote(t.Name.Text), quote(name))
			case r.integralIn(value) != nil:
				return errorf(t.Name.Pos, "trial %s is computed from an integral, expected none", quote(t.Name.Text))
			}
		}
		r.model.Computed = append(r.model.Computed, expr.Assign{Param: t.Name.Text, Value: value})
	}
	return nil
}
