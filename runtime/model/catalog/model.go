// Package catalog answers, for every command, which model an argument MODEL means: a built-in name, a .lik file, a line of a
// front, a teacher's folder, or an exact density. A [Model] has the names and ranges of the parameters, the trial columns and
// the choices. It also says what the model can do: compile an expression, evaluate a density, simulate trials.
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

	simulator *Simulator      // simulates the model's data; nil for none
	session   *Session        // the process that makes sessions of its data; nil for none
	density   kernel.Kernel   // nil for none
	teacher   *neural.Teacher // contents of a teacher's folder; nil for another model
	undense   error           // why a process written down has no density; nil for any other model
	wrapped   *Model          // the model that a wrapper is around; nil for none
	early     bool            // whether the wrapper lets trials come before the onset
	callees   []*Model        // by call: the model whose density the log density uses
	outer     *Model          // the model that the log density only calls, where no simulator is declared; nil else
	sequence  *Sequence       // draws trials that depend on columns or on one another; nil for none
}

// Kind says what a model's likelihood is.
type Kind string

// The kinds of likelihood.
const (
	Exact   Kind = "exact"   // the exact density of a process
	Closed  Kind = "closed"  // an expression that is a density itself, such as that of the process of its name
	Formula Kind = "formula" // an expression in place of the density of the process that simulates its data
	Teacher Kind = "teacher" // a neural likelihood
	Process Kind = "process" // none yet: the process only simulates

	Numerical Kind = "numerical" // the density of a process that is written down, by integral equations
)

// Origin says where a model comes from.
type Origin struct {
	Kind    Kind
	Builtin bool
	File    string      // base name of the file that it was read from
	Text    string      // the text of the file; "" for an exact density or a teacher
	Line    *front.Line // the front's line; nil for a model that is from no front
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

// Expression returns the model as an expression that can be compiled; false for a model of another kind.
func (m *Model) Expression() (*expr.Model, bool) { return m.Model, m.LogLik != nil }

// Written returns the expression that somebody wrote or found: the model's, or that of the model which omissions or lapses were added
// to; false for a model that was made of none.
func (m *Model) Written() (*expr.Model, bool) {
	if m.wrapped != nil {
		return m.wrapped.Written()
	}
	return m.Expression()
}

// Density returns the log density of a model that has no expression; false for one that has.
func (m *Model) Density() (kernel.Kernel, bool) { return m.density, m.density != nil }

// Teacher returns what the folder of a teacher says; false for a model of another kind.
func (m *Model) Teacher() (*neural.Teacher, bool) { return m.teacher, m.teacher != nil }

// Simulator returns what simulates the model's data: only what the model declares. It is false where nothing does.
func (m *Model) Simulator() (*Simulator, bool) { return m.simulator, m.simulator != nil }

// Of reports whether the named process simulates the model's data, at the model's own parameters.
func (m *Model) Of(process string) bool {
	return m.simulator != nil && m.simulator.Process.Name == process && m.simulator.values == nil && m.wrapped == nil
}

// What says in words what a model without an expression is.
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

// TimeColumn returns the index of the trial column that holds response times: the one that is named like response times, else
// the first that the model declares positive; -1 if there is none.
func (m *Model) TimeColumn() int {
	if j := slices.Index(m.Trials, trials.ResponseTime(m.Trials)); j >= 0 {
		return j
	}
	return slices.IndexFunc(m.Trials, m.IsPositive)
}
