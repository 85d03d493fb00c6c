// Package passage describes a process whose density is computed numerically, so that it can be printed. The process is given by expressions;
// the solver, which computes densities from them, is given as source text.
package passage

import "likc/compiler/expr"

// Process is a process with a numerical density.
type Process struct {
	Symbols    []string // the symbols of expressions: parameters, then trial columns on which the process depends, then time
	Dim        int      // number of parameters
	Time       int      // the index of the trial column of response times
	Columns    []int    // the indexes of the other trial columns on which the process depends
	Streams    []Stream // the accumulators
	Drawn      []Stream // the accumulators with their drift, from which trials are drawn
	Onset      Law      // the distribution of the non-decision time
	Tilt       []Tilt   // for each boundary, what a drift that Streams leave out adds to the log density; nil if they leave out none
	Late       []bool   // for each parameter, whether solutions do not depend on it
	LateColumn []bool   // for each of Columns, whether solutions do not depend on it
	Solver     []Source // the solver, in Go
}

// Source is a source file.
type Source struct {
	Name string
	Text []byte
}

// Stream is an accumulator. Each list of expressions is evaluated as a whole.
type Stream struct {
	Values   []*expr.Expr // functions of time that define the accumulator
	Slopes   []*expr.Expr // the Values, then their derivatives in parameters
	Jumps    []*expr.Expr // times at which the Values may jump
	Params   []int        // the indexes of the parameters on which it depends
	Slope    [][]int      // for each of Values and each of Params, the index of the derivative in Slopes; -1 where it is 0
	Zero     []bool       // for each of Values, whether it is always 0
	Start    Law          // the distribution of the starting point
	TwoSided bool         // whether there is a lower boundary
}

// Law is the distribution of a start or an onset.
type Law struct {
	Kind   expr.LawKind
	Values int          // number of values, such as the ends of a uniform law
	Roots  []*expr.Expr // the values, then the derivatives of each in parameters: all, or a stream's Params
}

// Tilt is what a drift adds to a log density.
type Tilt struct {
	Terms  []*expr.Expr // the term and its derivative in the time
	Slopes []*expr.Expr // the derivatives of the term in the parameters
}
