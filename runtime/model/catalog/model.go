// Package catalog finds the model that an argument MODEL of a command names: a built-in name, a .lik file, a line of a front (a
// search's list of its best expressions), the folder of a teacher (a trained network), or an exact density. A [Model] has the names
// and ranges of the parameters, the trial columns and the choices. It also says what the model can do: compile an expression,
// evaluate a density, simulate trials.
package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/front"
	"likc/runtime/model/kernel"
	"likc/runtime/model/neural"
	"likc/runtime/model/trials"
)

// Model is a likelihood model. The embedded model has its name, parameters, trial columns, choice, support and reflection;
// its log density is there only if [Model.Expression] says so.
type Model struct {
	*expr.Model
	Origin Origin

	simulator *Simulator      // simulates the model's data; nil if nothing does
	session   *Session        // the process that simulates sessions of the model's data; nil for other models
	density   kernel.Kernel   // the log density of a model without an expression; nil for other models
	teacher   *neural.Teacher // contents of a teacher's folder; nil for other models
	undense   error           // why a process defined by the model has no density; nil for other models
	wrapped   *Model          // the model inside a wrapper; nil for a model that is not wrapped
	early     bool            // whether the wrapper lets trials come before the onset
	callees   []*Model        // for each call: the model whose density the log density uses
	outer     *Model          // the model that the log density consists of, if it is one call and no simulator is declared; otherwise nil
	sequence  *Sequence       // simulates trials that depend on columns or on one another; nil for other models
}

// Kind is the kind of a model's likelihood.
type Kind string

// The kinds of likelihood.
const (
	Exact   Kind = "exact"   // the exact density of a process
	Closed  Kind = "closed"  // an expression that is itself a density, such as that of a process
	Formula Kind = "formula" // an expression that replaces the density of the process that simulates the data
	Teacher Kind = "teacher" // a neural likelihood
	Process Kind = "process" // no likelihood: the process can only be simulated

	Numerical Kind = "numerical" // the density of a process that the model defines, computed by integral equations
)

// Origin says where a model comes from.
type Origin struct {
	Kind    Kind
	Builtin bool
	File    string      // base name of the model's file
	Text    string      // the text of the file; "" for an exact density or a teacher
	Line    *front.Line // the front's line; nil for a model from no front
	Sum     string      // SHA-256 of a teacher's weights, in hexadecimal
}

// SHA256 returns the SHA-256 of the text, or of a teacher's weights, in hexadecimal; "" for an exact density.
func (o *Origin) SHA256() string {
	if o.Text == "" {
		return o.Sum
	}
	sum := sha256.Sum256([]byte(o.Text))
	return hex.EncodeToString(sum[:])
}

// Expression returns the model as an expression that can be compiled; it returns false for other kinds.
func (m *Model) Expression() (*expr.Model, bool) { return m.Model, m.LogLik != nil }

// Written returns the expression that a person or a search wrote: the model's own, or that of the model to which omissions or lapses
// were added. It returns false if there is none.
func (m *Model) Written() (*expr.Model, bool) {
	if m.wrapped != nil {
		return m.wrapped.Written()
	}
	return m.Expression()
}

// Density returns the log density of a model that has no expression; false for one that has.
func (m *Model) Density() (kernel.Kernel, bool) { return m.density, m.density != nil }

// Teacher returns the content of a teacher's folder; it returns false for other models.
func (m *Model) Teacher() (*neural.Teacher, bool) { return m.teacher, m.teacher != nil }

// Simulator returns the simulator of the model's data, if the model declares one.
func (m *Model) Simulator() (*Simulator, bool) { return m.simulator, m.simulator != nil }

// Of reports whether the named process simulates the model's data, at the model's own parameters.
func (m *Model) Of(process string) bool {
	return m.simulator != nil && m.simulator.Process.Name == process && m.simulator.values == nil && m.wrapped == nil
}

// What describes a model without an expression in words.
func (m *Model) What() string {
	switch m.Origin.Kind {
	case Teacher:
		return m.Name + " is a teacher"
	case Exact:
		return m.Name + " is an exact density"
	case Numerical:
		return m.Name + " is a process with a numerical density"
	case Process:
		return m.Name + " is a process without a likelihood: it only simulates"
	}
	if m.Called != nil {
		return m.Name + " has states or calls densities"
	}
	return m.Name + " is an expression"
}

// TimeColumn returns the index of the trial column that holds response times. It is the one with a usual name of response times, or
// else the first one that the model declares positive; -1 if there is none.
func (m *Model) TimeColumn() int {
	if j := slices.Index(m.Trials, trials.ResponseTime(m.Trials)); j >= 0 {
		return j
	}
	return slices.IndexFunc(m.Trials, m.IsPositive)
}
