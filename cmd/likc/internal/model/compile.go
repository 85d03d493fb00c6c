package model

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/emit/gosrc"
	"likc/compiler/emit/text"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/version"

	"github.com/spf13/cobra"
)

// compileFlags are the flags of the command compile.
type compileFlags struct {
	Dir     string `flag:"output,o" value:"DIR" help:"DIR to write the package to"`
	Package string `flag:"package" default:"ddmlik" help:"name of the package"`
	Module  string `flag:"module" value:"PATH" help:"write a go.mod with this module PATH"`
	Target  target `flag:"target" default:"go" help:"language: {choices}"`
	ISA     string `flag:"isa" default:"auto" one:"auto,none" help:"instruction sets: auto (assembly beside Go, chosen at run time) or none"`
	Dump    string `flag:"dump" one:"ast,simplified,gradient,ir" want:"ast, simplified, gradient or ir" help:"print a phase instead: ast, simplified, gradient or ir"`
	Force   bool   `flag:"force" help:"replace files in DIR that likc did not write"`
	Whole   bool   `flag:"no-separation" help:"leave the sum over trials whole"`
}

// NewCompile returns the command compile.
func NewCompile() *cobra.Command {
	return cli.Command(&compileFlags{}, &cobra.Command{
		Use:   "compile MODEL -o DIR",
		Short: "Write a model as Go or C, or its log density as Python, Stan, R, Julia, JavaScript, Rust or LaTeX",
		Example: `  likc compile expr2 -o expr2
  likc compile ddm --target c -o c`,
		Long: `Write a Go package that imports the standard library alone: copy it into any codebase, run go test there.
It carries the model, a README, tests with values computed by the compiler, an example and benchmarks.
With --target c it writes one C99 file and its header instead, for C, Python (ctypes) and R (.C): see the README there.
With --target python, stan, r, julia, javascript, rust or latex it writes one file with the log density of a trial; python and r work on arrays.
In javascript, rust and r the file has the gradient too.
Exact densities (ddm, ddm_sdv, full_ddm, angle), calls of them, models with states, and teachers are written as Go and C too.
A teacher's weights stand in a file of their own beside the code. A process with a numerical density (evidence) is written with its solver.
An integral in the formula is written as a loop over its nodes, in LaTeX as a sum.

A normalised model is written with its integral: a sum with a term for each point of a grid of times, which a likelihood computes
once an evaluation. Of a model with a binding function, the polynomials are written as a table and the integral as a loop over the grid,
both once an evaluation too. In LaTeX no normalised model is written.`,
		Args: cli.Exactly("MODEL"),
	})
}

// Run compiles the model and writes it, or prints a phase.
func (c *compileFlags) Run(cmd *cobra.Command, args []string) error {
	out := cmd.OutOrStdout()
	if name := cli.FirstGiven(cmd, "module", "isa"); name != "" && c.Target != "go" {
		return cli.Usagef("--%s: belongs to --target go alone", name)
	}
	if p := c.Package; !token.IsIdentifier(p) || p == "_" || c.Target == "go" && !emit.Importable(p) {
		return cli.Usagef("--package %q: not the name of a package that can be imported", p)
	}
	src, err := cli.ReadModel(args[0])
	if err != nil {
		return err
	}
	if _, ok := src.Expression(); ok && c.Dump != "" {
		return c.dump(out, src)
	}
	if c.Dir == "" && c.Dump == "" {
		return cli.Usagef("compile: -o DIR is missing")
	}
	files, err := c.files(src)
	if err != nil {
		return err
	}
	err = emit.WriteFolder(c.Dir, files, c.Force)
	if errors.Is(err, emit.ErrForeign) {
		return fmt.Errorf("%w; name another folder, or give --force to replace them", err)
	}
	return err
}

// dump prints a phase.
func (c *compileFlags) dump(out io.Writer, src *catalog.Model) error {
	if src.Normalise && c.Dump == "ast" {
		return syntax.Print(out, src.Model)
	}
	u, err := c.compiled(src.Model)
	if err != nil {
		return err
	}
	return printPhase(out, u, c.Dump)
}

// files prints the model in the target's language.
func (c *compileFlags) files(src *catalog.Model) ([]emit.File, error) {
	if _, ok := src.Expression(); !ok {
		return c.trialByTrial(src)
	}
	u, err := c.compiled(src.Model)
	if err != nil {
		return nil, err
	}
	return u.Files(c.Target.emitter(), c.config(src))
}

// config returns the configuration of every emitter for a model, with the notes on parameters and missing values that the files' headers have.
func (c *compileFlags) config(src *catalog.Model) emit.Config {
	cfg := emit.Config{Package: c.Package, Module: c.Module, ISA: c.ISA, Source: src.Origin.File, Text: src.Origin.Text, Version: version.Get().Version}
	for _, p := range src.Params {
		if meaning := src.Meaning(p.Name); meaning != "" {
			cfg = cfg.Say(p.Name + ": " + meaning)
		}
	}
	for _, name := range append(slices.Clone(src.Trials), src.Choice) {
		if x, ok := src.Missing[name]; ok {
			cfg = cfg.Say("A missing " + name + " is written as " + expr.Literal(x) + ".")
		}
	}
	return cfg.Say(src.Conventions())
}

// compiled compiles the model. For a normalised model the log of its integral is written into the expression. If the model also has a binding
// function, the integral becomes a second program instead.
func (c *compileFlags) compiled(m *expr.Model) (*compiler.Unit, error) {
	options, latex := compiler.Options{NoSeparate: c.Whole}, c.Target == target(expr.LaTeX)
	switch {
	case !m.Normalise:
		options.Loops = !latex
		return compiler.Compile(m, options)
	case latex:
		return nil, fmt.Errorf("%s: is normalised, and its integral is a long sum over a grid of times, which is no formula to be read: leave the word normalise out", m.Name)
	case m.Binding != nil, c.Target == target(expr.Stan): // Stan sums the grid by vectors
		return compiler.CompileBound(m, options)
	}
	whole, err := normal.Whole(m)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(whole, options)
}

// target is a language that a model can be written in.
type target string

// Choices lists all languages.
func (target) Choices() []string {
	list := []string{"go", "c"}
	for _, t := range text.Targets() {
		list = append(list, string(t))
	}
	return list
}

// emitter prints a model in the language.
func (t target) emitter() emit.Emitter {
	switch t {
	case "go":
		return gosrc.Emitter{}
	case "c":
		return csrc.Emitter{}
	}
	return text.Emitter{Target: expr.Target(t)}
}

// printPhase prints the result of one phase of the compiler.
func printPhase(w io.Writer, u *compiler.Unit, phase string) error {
	switch phase {
	case "ast":
		return syntax.Print(w, u.Model)
	case "simplified":
		return syntax.Print(w, u.Simplified)
	case "gradient":
		for _, g := range u.Groups {
			fmt.Fprintf(w, "group %s\n  loglik = %s\n", g.Name, g.Total)
			for i, d := range g.Grad {
				fmt.Fprintf(w, "  d/d%s = %s\n", u.Model.Params[i].Name, d)
			}
		}
		return nil
	}
	_, err := fmt.Fprint(w, u.Program)
	return err
}
