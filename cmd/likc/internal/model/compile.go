package model

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/emit/gosrc"
	"likc/compiler/emit/text"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/compiler/syntax"

	"github.com/spf13/cobra"
)

// compileFlags are what compile was asked for.
type compileFlags struct {
	dir, dump, target string
	cfg               emit.Config
	options           compiler.Options
	force             bool
}

func NewCompile() *cobra.Command {
	c := &compileFlags{}
	cmd := &cobra.Command{
		Use:   "compile MODEL -o DIR",
		Short: "Write a model as Go or C, or its log density as Python, Stan, R, Julia or LaTeX",
		Long: `Compile writes a Go package that imports the standard library alone: copy it into any codebase, run go test there.
It carries the model, a README, tests with values computed by the compiler, an example and benchmarks.
With --target c it writes one C99 file and its header instead, for C, Python (ctypes) and R (.C): see the README there.
With --target python, stan, r, julia or latex it writes one file with the log density of a trial; python works on arrays.
An integral in the formula is written as a loop over its nodes, in LaTeX as a sum.

A normalised model is written with its integral: a sum with a term for each point of a grid of times, which a likelihood computes
once an evaluation. Of a model with a binding function, the polynomials are written as a table and the integral as a loop over the grid,
both once an evaluation too. In LaTeX no normalised model is written.`,
		Args: cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := goAlone(cmd, c.target); err != nil {
				return err
			}
			return c.run(cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVarP(&c.dir, "output", "o", "", "`DIR` to write the package to")
	f.StringVar(&c.cfg.Package, "package", "ddmlik", "name of the package")
	f.StringVar(&c.cfg.Module, "module", "", "write a go.mod with this module `PATH`")
	f.StringVar(&c.target, "target", "go", "language: "+strings.Join(targets(), ", "))
	f.StringVar(&c.cfg.ISA, "isa", emit.AutoISA, "instruction sets: auto (assembly beside Go, chosen at run time) or none")
	f.StringVar(&c.dump, "dump", "", "print a phase instead: ast, simplified, gradient or ir")
	f.BoolVar(&c.force, "force", false, "replace files in DIR that likc did not write")
	f.BoolVar(&c.options.NoSeparate, "no-separation", false, "leave the sum over trials whole")
	return cmd
}

// goAlone refuses flags that say something about a Go package where another language is written.
func goAlone(cmd *cobra.Command, target string) error {
	for _, name := range []string{"module", "isa"} {
		if target != "go" && cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: belongs to --target go alone", name)
		}
	}
	return nil
}

// run compiles the model and writes it, or prints a phase.
func (c *compileFlags) run(out io.Writer, name string) error {
	if err := c.check(); err != nil {
		return err
	}
	src, err := cli.ReadExpression(name)
	if err != nil {
		return err
	}
	if src.Normalise && c.dump == "ast" {
		return syntax.Print(out, src.Model)
	}
	u, err := c.compiled(src.Model)
	if err != nil {
		return err
	}
	if c.dump != "" {
		return printPhase(out, u, c.dump)
	}
	if c.dir == "" {
		return cli.Usagef("compile: -o DIR is missing")
	}
	c.cfg.Source, c.cfg.Text = src.Origin.File, src.Origin.Text
	files, err := u.Files(emitter(c.target), c.cfg)
	if err != nil {
		return err
	}
	err = emit.WriteFolder(c.dir, files, c.force)
	if errors.Is(err, emit.ErrForeign) {
		return fmt.Errorf("%w; name another folder, or give --force to replace them", err)
	}
	return err
}

// compiled compiles the model. Of a normalised one the log of its integral is part of the expression, unless the model has a binding function:
// then the integral is a program of its own.
func (c *compileFlags) compiled(m *expr.Model) (*compiler.Unit, error) {
	switch {
	case !m.Normalise:
		c.options.Loops = c.target != string(expr.LaTeX)
		return compiler.Compile(m, c.options)
	case c.target == string(expr.LaTeX):
		return nil, fmt.Errorf("%s: is normalised, and its integral is a long sum over a grid of times, which is no formula to be read: leave the word normalise out", m.Name)
	case m.Binding != nil:
		return compiler.CompileBound(m, c.options)
	}
	whole, err := normal.Whole(m)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(whole, c.options)
}

// check finds what is wrong with the flags.
func (c *compileFlags) check() error {
	if err := checkPackage(c.cfg.Package, c.target); err != nil {
		return err
	}
	if err := cli.OneOf("--target", c.target, targets()...); err != nil {
		return err
	}
	return cli.OneOf("--isa", c.cfg.ISA, emit.AutoISA, emit.NoISA)
}

// checkPackage accepts what can be imported under its own name.
func checkPackage(name, target string) error {
	if !token.IsIdentifier(name) || name == "_" || target == "go" && !emit.Importable(name) {
		return cli.Usagef("--package %q: not the name of a package that can be imported", name)
	}
	return nil
}

// targets lists the languages that a model can be written in.
func targets() []string {
	list := []string{"go", "c"}
	for _, t := range text.Targets() {
		list = append(list, string(t))
	}
	return list
}

// emitter prints for a target.
func emitter(target string) emit.Emitter {
	switch target {
	case "go":
		return gosrc.Emitter{}
	case "c":
		return csrc.Emitter{}
	}
	return text.Emitter{Target: expr.Target(target)}
}

// printPhase prints what one phase of the compiler made.
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
	case "ir":
		_, err := fmt.Fprint(w, u.Program)
		return err
	}
	return cli.Usagef("--dump %s: want ast, simplified, gradient or ir", phase)
}
