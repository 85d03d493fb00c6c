// Package emit has the types that all emitters share. An emitter prints a program as source files of one language. It gets a
// Config, which describes the model, and returns Files. The package also makes the cases with which an emitted package tests
// itself.
package emit

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// File is one file of an emitted package: its name within the package's folder and its bytes.
type File struct {
	Name string
	Data []byte
}

// Emitter prints a program in one language.
type Emitter interface {
	Emit(p *ir.Program, cfg Config) ([]File, error)
}

// Config holds what an emitter is told in addition to the program.
type Config struct {
	Package    string      // package name; "" is [DefaultPackage]
	Module     string      // module path of a go.mod to write; "" writes none
	Source     string      // name of the file that the model came from, without folders
	Model      *expr.Model // the model as written
	Text       string      // source text of the model; "" prints the model
	Simplified string      // the simplified log density
	Looped     *expr.Model // the model with its integrals as loops, if the program has loops for integrals; else nil
	Hash       string      // content hash of the model
	Notes      []string    // further lines for the header, such as the operations of each pass
	About      []string    // sentences for the header: conventions, and the meaning and unit of each parameter
	Version    string      // the version of likc, for the header of what a user generates; "" for packages of likc itself
	Cases      []Case      // values that the emitted tests expect
	ISA        string      // AutoISA: assembly in addition to Go, for loops that have assembly; "" or NoISA: only Go
	Binding    *Binding    // the binding function of a model that has one, else nil
}

// Binding says that a program is evaluated at the values of a binding function of the model's parameters. The last value is log
// Z, where Z is the integral of the density over time and all choices.
type Binding struct {
	Model *expr.Model // as written: its parameters are those of the printed functions

	// Given is the log density as a function of the binding function's values: the model of the program.
	Given *expr.Model

	// Integral is the program whose sum over the grid's points is Z·exp(-Typical - shift). Its parameters are the values of the
	// binding function, then the shift, which keeps exp in range. Log is the logarithm of the summand, as it was written.
	Integral *ir.Program
	Log      *expr.Model
	Columns  [][]float64 // the columns of the grid's points
	Choice   []float64   // nil for a model without choice
	Typical  float64     // about the median of log Z over the ranges of the parameters: a whole number
}

// The values that Config.ISA may have.
const (
	AutoISA = "auto"
	NoISA   = "none"
)

// Generator is the version of the emitters' output. It is printed in the header of each package, so that packages of one model
// that differ can be told apart by their versions. Raise it by one in every change after which a model's files have other
// bytes; golden files and the committed packages show this. Do not raise it for a release or for another change of likc.
const Generator = 3

// DefaultPackage is the name of an emitted package that is given none.
const DefaultPackage = "ddmlik"

// Case is one set of trials and one parameter vector, with the expected log-likelihood and gradient. These are computed from the model's
// expressions, without the compiler.
type Case struct {
	Theta   []float64
	Columns [][]float64 // one slice for each trial column, in the model's order
	Choice  []float64   // +1 or -1; nil for a model without choice
	LogLik  float64
	Grad    []float64 // one derivative for each parameter; zeros if LogLik is not finite
	Scale   float64   // sum of |terms|; tests compare rounding errors with it
}

// moduleName matches a Go module path that needs no escapes.
var moduleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/-]*$`)

// sourceName matches a file name that can be printed in a one-line comment.
var sourceName = regexp.MustCompile(`^[^\x00-\x1f\x7f/\\]+$`)

// Complete returns cfg with defaults in its empty fields. The error names a field that cannot be printed.
func (cfg Config) Complete() (Config, error) {
	if cfg.Package == "" {
		cfg.Package = DefaultPackage
	}
	if cfg.Model == nil {
		return cfg, fmt.Errorf("the configuration has no model")
	}
	if cfg.Source == "" {
		cfg.Source = cfg.Model.Name + ".lik"
	}
	switch {
	case cfg.ISA != "" && cfg.ISA != AutoISA && cfg.ISA != NoISA:
		return cfg, fmt.Errorf("instruction sets %q: want %s or %s", cfg.ISA, AutoISA, NoISA)
	case !Importable(cfg.Package):
		return cfg, fmt.Errorf("package %q: not the name of a Go package that can be imported", cfg.Package)
	case cfg.Module != "" && !moduleName.MatchString(cfg.Module):
		return cfg, fmt.Errorf("module %q: not a module path", cfg.Module)
	case !sourceName.MatchString(cfg.Source):
		return cfg, fmt.Errorf("source %q: not a plain file name", cfg.Source)
	}
	return cfg, nil
}

// Importable reports whether a Go package of this name can be built and imported: names that end in _test are for tests.
func Importable(name string) bool {
	return token.IsIdentifier(name) && name != "_" && name != "main" && !strings.HasSuffix(name, "_test")
}

// Expression returns the model's log density of one trial as text, in which each let is written as its name.
func (cfg Config) Expression() string {
	return text(cfg.Model.LogLik, letNames(cfg.Model, len(cfg.Model.Lets)))
}

// Lets returns the model's lets as texts "name = expression", in the model's order.
func (cfg Config) Lets() []string {
	var lines []string
	for i, l := range cfg.Model.Lets {
		lines = append(lines, l.Name+" = "+text(l.Value, letNames(cfg.Model, i)))
	}
	return lines
}

// maxText is the largest size of an expression that is written out as text, in nodes of its tree. A graph of a few shared nodes
// can be a tree of astronomical size.
const maxText = 5000

// text returns an expression as text, or its number of nodes if the text would be too long.
func text(e *expr.Expr, names map[*expr.Expr]string) string {
	if e.Size() > maxText {
		return fmt.Sprintf("(%d nodes with shared parts: see model.lik)", len(expr.Order(e)))
	}
	return e.Format(names)
}

// letNames returns names for the expressions of the first n lets. Lets that are a single number or symbol get none.
func letNames(m *expr.Model, n int) map[*expr.Expr]string {
	names := map[*expr.Expr]string{}
	for _, l := range m.Lets[:n] {
		if len(l.Value.Args) > 0 {
			names[l.Value] = l.Name
		}
	}
	return names
}
