package find

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/num/notation"
	"likc/runtime/sys/interrupt"
	"likc/runtime/sys/store"

	"github.com/spf13/cobra"
)

// frontFlags are the flags of the command front.
type frontFlags struct {
	Out  string `flag:"output,o" value:"UNION.jsonl" writes:"expressions" help:"UNION.jsonl to write, or with --line the model"`
	Line int    `flag:"line" in:"[1,1000000000]" help:"write the expression of this line of one front as a model (default: to standard output)"`
	JSON bool   `flag:"json" help:"print counts as JSON"`
}

// NewFront returns the command front.
func NewFront() *cobra.Command {
	return cli.Command(&frontFlags{}, &cobra.Command{
		Use:   "front FRONT.jsonl… [-o UNION.jsonl]",
		Short: "Check fronts, list their expressions, join them without duplicates",
		Long: `Read Pareto fronts as likc search writes them: an expression per line, with "expr" and "model" at least. List
each canonical form once, by size; with -o it writes that list as a front. Lines that are wrong are named by file and line.
With --line, -o writes the expression of that line as a model in the language, to edit, fit or compile:

  likc front FRONT.jsonl --line 3 -o m.lik

FRONT.jsonl#3 is the same model for every command that takes one.`,
		Args: cli.Some("FRONT.jsonl…"),
	})
}

// Run lists and joins fronts, or writes a model.
func (f *frontFlags) Run(cmd *cobra.Command, args []string) error {
	if f.Line > 0 {
		return writeLine(cmd.OutOrStdout(), args, f.Line, f.Out)
	}
	return runFront(cmd.OutOrStdout(), args, f.Out, f.JSON)
}

// writeLine writes one expression of a front as a model in the language.
func writeLine(w io.Writer, paths []string, line int, out string) error {
	if len(paths) != 1 {
		return cli.Usagef("--line %d: needs one front, got %d", line, len(paths))
	}
	m, err := cli.ReadModel(fmt.Sprintf("%s#%d", paths[0], line))
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return catalog.WriteModel(w, m.Model) }
	if out == "" || out == "-" {
		return write(w)
	}
	return store.WriteFile(out, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "// Line %d of the front %s, written by likc front.\n", line, filepath.Base(paths[0])); err != nil {
			return err
		}
		return write(w)
	})
}

// frontCounts counts the expressions in some fronts, and their forms: distinct expressions in canonical form.
type frontCounts struct {
	Files       int                 `json:"files"`
	Expressions int                 `json:"expressions"`
	Forms       int                 `json:"forms"`
	Tiers       map[string]int      `json:"tiers,omitempty"` // number of forms by the compiler's tier, how the cost grows with the number of trials, where lines have one
	Searches    []front.SearchCount `json:"searches"`
}

// runFront lists the forms in some fronts, and writes them to the file out if that is not empty.
func runFront(w io.Writer, paths []string, out string, asJSON bool) error {
	all, err := readFronts(paths)
	if err != nil {
		return err
	}
	c := frontCounts{Files: len(paths), Expressions: len(all), Tiers: map[string]int{}, Searches: front.CountSearches(all)}
	forms := front.Union(all)
	c.Forms = len(forms)
	for _, l := range forms {
		if l.Tier != "" {
			c.Tiers[l.Tier]++
		}
	}
	if out != "" {
		if err := front.WriteFile(out, forms); err != nil {
			return err
		}
	}
	if asJSON {
		return cli.PrintJSON(w, c)
	}
	return printFront(w, forms, c)
}

// readFronts reads all lines of some fronts.
func readFronts(paths []string) (all []front.Line, err error) {
	for _, path := range paths {
		lines, err := interrupt.WhileReading(func() ([]front.Line, error) { return front.ReadFile(path, catalog.Headers) })
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// printFront prints a table of forms, and their counts.
func printFront(w io.Writer, forms []front.Line, c frontCounts) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "size\tloss\tlambda\tseed\ttier\texpression")
	for _, l := range forms {
		fmt.Fprintf(t, "%d\t%s\t%s\t%d\t%s\t%s\n", l.Size, notation.Figure("%.4g", l.Loss), notation.Figure("%g", l.Lambda), l.Seed, l.Tier, l.Expr)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	kinds := front.Tiers(c.Tiers)
	if kinds != "" {
		kinds = ": " + kinds
	}
	_, err := fmt.Fprintf(w, "\n%s, %s%s; %s\n", notation.Count(c.Expressions, "expression"), notation.Count(c.Forms, "form"), kinds, fmt.Sprintf("searches: %d", len(c.Searches)))
	return err
}
