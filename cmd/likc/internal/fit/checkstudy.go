package fit

import (
	"fmt"
	"io"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/expr"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/notation"

	"github.com/spf13/cobra"
)

// WithStudy gives likc check the flags of a regression: with --formula or --preset it says what the regression is, and what a
// gradient costs.
func WithStudy(check *cobra.Command) *cobra.Command {
	f := &fitFlags{}
	f.Careful = true
	cli.Bind(check, &f.fittedFlags, "*.only=formula preset", "formula.only=", "preset.only=",
		"data.help=with --formula or --preset: trials, CSV with a header, or Parquet; - is standard input")
	checkModel := check.RunE
	check.Long = `Show what the compiler finds in a model.

With --formula or --preset and --data, show instead what likc fit would do with them: the columns that each formula makes of the
data, with their priors, the number of coefficients, and what a gradient costs: how many rows are evaluated after those that are
equal were put together, and whether the cost depends on the number of trials at all. --lapse, --deadline and --go are those of likc fit.`
	check.RunE = func(cmd *cobra.Command, args []string) error {
		if f.Preset != "" || len(f.Formulas) > 0 {
			return f.checkStudy(cmd, args[0])
		}
		return checkModel(cmd, args)
	}
	return check
}

// checkedStudy is the report of likc check on a regression.
type checkedStudy struct {
	Model      string             `json:"model"`
	Params     []checkedParam     `json:"params"`
	Priors     map[string]string  `json:"priors"` // priors of coefficients and spreads
	Population int                `json:"population"`
	Offsets    int                `json:"offsets"`
	Fixed      map[string]float64 `json:"fixed,omitempty"`
	hierarchy.Cost
}

// checkedParam is a parameter of the model.
type checkedParam struct {
	Name     string         `json:"name"`
	Formula  string         `json:"formula,omitempty"` // "" for a parameter that is a single number
	Link     hierarchy.Link `json:"link,omitempty"`
	linkText string
	Columns  []string `json:"columns,omitempty"` // names of the common coefficients, one for each column of the design
}

// checkStudy describes a regression.
func (f *fitFlags) checkStudy(cmd *cobra.Command, name string) error {
	m, err := cli.ReadModel(name)
	if err != nil {
		return err
	}
	wrapped, spec, err := f.extend(cmd, m)
	if err != nil {
		return err
	}
	if wrapped != nil {
		defer wrapped.Close()
	}
	in, binder, err := f.open(cmd, spec, wrapped)
	if err != nil {
		return err
	}
	defer binder.Close()
	study, err := spec.Study(binder, &in.subjects[0])
	if err != nil {
		return err
	}
	found := checkedStudy{Model: m.Name, Priors: map[string]string{}, Fixed: map[string]float64{}}
	for _, p := range spec.Fixed() {
		found.Fixed[p.Name] = p.Value
	}
	for name, p := range study.Priors() {
		found.Priors[name] = p.String()
	}
	for _, p := range study.Record().Params {
		one := checkedParam{Name: p.Name, Link: p.Link, linkText: p.LinkText()}
		for _, d := range []*hierarchy.DesignRecord{p.Formula, p.Outside} {
			if d != nil {
				one.Formula, one.Columns = strings.TrimPrefix(one.Formula+"; "+d.Text, "; "), append(one.Columns, d.Coefficients...)
			}
		}
		found.Params = append(found.Params, one)
	}
	found.Population, found.Offsets = study.Coefficients()
	if found.Cost, err = study.Cost(); err != nil {
		return err
	}
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), found)
	}
	found.print(cmd.OutOrStdout(), study.Population())
	return nil
}

// print writes a line for each fact of the report. population has the names of the coefficients.
func (c *checkedStudy) print(w io.Writer, population []string) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("model", "%s", c.Model)
	for _, p := range c.Params {
		value, fixed := c.Fixed[p.Name]
		switch {
		case p.Formula != "":
			line("  "+p.Name, "%s, link %s: %s", p.Formula, p.linkText, notation.Count(len(p.Columns), "common column"))
		case fixed:
			line("  "+p.Name, "fixed at %s", expr.Literal(value))
		default:
			line("  "+p.Name, "one number")
		}
	}
	line("population", "%s:", notation.Count(c.Population, "coefficient"))
	for _, name := range population {
		line("  prior", "%s: %s", name, c.Priors[name])
	}
	line("offsets", "%d, one for each effect of a level of a group", c.Offsets)
	line("trials", "%d in %s; the trials of a block have the same parameters", c.Trials, notation.Count(c.Blocks, "block"))
	line("gradient", "%s", c.cost())
}

// cost returns a text with the time that a gradient takes.
func (c *checkedStudy) cost() string {
	text := fmt.Sprintf("%d rows evaluated for %d trials", c.Rows, c.Trials)
	switch {
	case c.Constant:
		text = fmt.Sprintf("constant in the number of trials: sums over them were taken once, for each of %s", notation.Count(c.Blocks, "block"))
	case c.RowByRow:
		text += ", row by row: each has parameters of its own"
	}
	if c.Microseconds > 0 {
		text += fmt.Sprintf("; %.3g µs on this machine", c.Microseconds)
	}
	return text
}
