package plan

import (
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Ref is how a statement refers to a number.
type Ref struct {
	Kind  RefKind
	Name  string
	Index int     // the index of a Cell
	Group int     // the group of a Statistic or Repeated
	Num   float64 // a Literal
	Of    *Ref    // the value that is Repeated
}

// RefKind is a kind of reference.
type RefKind uint8

// Kinds of reference.
const (
	Literal  RefKind = iota // the number Num
	Local                   // the variable Name
	Cell                    // element Index of the array Name
	OfData                  // the field Name of the dataset
	AtNode                  // the number of the node at hand in the array Name
	Array                   // the array Name, of one number a node
	OfGroup                 // the field Name of group Group
	Repeated                // the number of trials of group Group times Of
)

// Step is one statement of a printed function. The types below are all there are; a printer panics at any other.
type Step interface{ step() }

type (
	// Unpack declares Names as the elements Index of theta.
	Unpack struct {
		Names []string
		Index []int
	}
	// Clear sets the gradient to 0.
	Clear struct{}
	// Comment is a line for the reader.
	Comment struct{ Text string }
	// Let declares Name as an operator applied to Args.
	Let struct {
		Name string
		Op   expr.Op
		Args []Ref
	}
	// Call runs the loop of Kernel, which puts out Results in the kernel's order. Its scalars, and free names, are those of
	// the block In.
	Call struct {
		Kernel  ir.Kernel
		Results []Ref
		In      *Block
	}
	// Fill declares the arrays that Keep names, of one number a node, and computes them at every node of Table. Steps are those of one node.
	Fill struct {
		Table *expr.Table
		Steps []Step
		Keep  []Kept
	}
	// OverNodes runs the loop of Kernel over the nodes of a table, as Call does over trials.
	OverNodes struct {
		Call
		Table *expr.Table
	}
	// Refuse returns -Inf if not all conditions hold: if Group is not negative, only where that group has trials. A Late one
	// follows a loop, and sets the gradient back to 0 if there is one.
	Refuse struct {
		Group       int
		Conds       [][2]Ref
		Late, Clear bool
	}
	// Start declares the sum of the groups' shares.
	Start struct{}
	// Share is what a group adds to the result if it has trials.
	Share struct {
		Group int
		Steps []Step
	}
	// Choose is what the density of a trial with this choice is; 0 where the model has no choice.
	Choose struct {
		Choice float64
		Steps  []Step
	}
	// AddValue adds to the log-likelihood.
	AddValue struct{ X Ref }
	// AddGrad adds to element Index of the gradient.
	AddGrad struct {
		Index int
		X     Ref
	}
	// Settle sets the gradient back to 0 if the sum of the shares is -Inf: no step from there has a direction.
	Settle struct{}
	// Return ends the function with X, or with the sum of the shares if X is nil.
	Return struct{ X *Ref }
)

// Kept is a number of one node that is kept in an array.
type Kept struct {
	Name string
	X    Ref
}

// Every statement is a step; OverNodes is one by the Call in it.
func (Unpack) step()   {}
func (Clear) step()    {}
func (Comment) step()  {}
func (Let) step()      {}
func (Call) step()     {}
func (Fill) step()     {}
func (Refuse) step()   {}
func (Start) step()    {}
func (Share) step()    {}
func (Choose) step()   {}
func (AddValue) step() {}
func (AddGrad) step()  {}
func (Settle) step()   {}
func (Return) step()   {}
