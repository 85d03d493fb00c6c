package plan

import (
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Ref is a reference to a number in a statement.
type Ref struct {
	Kind  RefKind
	Name  string
	Index int     // the index of a Cell
	Group int     // the group of a Statistic or Repeated
	Num   float64 // the value of a Literal
	Of    *Ref    // the number that is Repeated
}

// RefKind is a kind of reference.
type RefKind uint8

// Kinds of reference.
const (
	Literal  RefKind = iota // the number Num
	Local                   // the variable Name
	Cell                    // element Index of the array Name
	OfData                  // the field Name of the dataset
	AtNode                  // the element of the array Name for the current node
	Array                   // the array Name, with one number for each node
	OfGroup                 // the field Name of group Group
	Repeated                // the number of trials of group Group times Of
)

// Step is one statement of a printed function. It is one of the types below; a printer panics at any other.
type Step interface{ step() }

type (
	// Unpack declares Names as the elements Index of theta.
	Unpack struct {
		Names []string
		Index []int
	}
	// Clear sets the gradient to 0.
	Clear struct{}
	// Comment prints a comment.
	Comment struct{ Text string }
	// Let declares Name as an operator applied to Args.
	Let struct {
		Name string
		Op   expr.Op
		Args []Ref
	}
	// Call runs the loop of Kernel and names its Results, in the kernel's order. The loop's inputs are values of the block In,
	// which also has the names that are free.
	Call struct {
		Kernel  ir.Kernel
		Results []Ref
		In      *Block
	}
	// Fill declares the arrays named in Keep, with one number for each node, and computes them at every node of Table. Steps
	// compute the numbers of one node.
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
	// Refuse returns -Inf unless all conditions hold. If Group is not negative, it does so only if that group has trials. With Late
	// it follows a loop, and sets the gradient, if there is one, back to 0.
	Refuse struct {
		Group       int
		Conds       [][2]Ref
		Late, Clear bool
	}
	// Start declares the log-likelihood, to which the groups contribute.
	Start struct{}
	// Share adds a group's contribution to the result if the group has trials.
	Share struct {
		Group int
		Steps []Step
	}
	// Choose has the steps for a trial with this choice, in the density of one trial. The choice is 0 for a model without choice.
	Choose struct {
		Choice float64
		Steps  []Step
	}
	// AddValue adds X to the log-likelihood.
	AddValue struct{ X Ref }
	// AddGrad adds a number to element Index of the gradient.
	AddGrad struct {
		Index int
		X     Ref
	}
	// Settle sets the gradient back to 0 if the log-likelihood is -Inf, where no direction leads upwards.
	Settle struct{}
	// Return ends the function with the result X, or with the log-likelihood if X is nil.
	Return struct{ X *Ref }
)

// Kept is a number of each node that is stored in an array.
type Kept struct {
	Name string
	X    Ref
}

// All these types are steps. OverNodes has the method by embedding Call.
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
