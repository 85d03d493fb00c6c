package find

import (
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/finite"
	"likc/runtime/front"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func NewFront() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "front FRONT.jsonl… [-o UNION.jsonl]",
		Short: "Check fronts, list their expressions, join them without duplicates",
		Long: `Front reads Pareto fronts as likc search writes them: an expression a line, with "expr" and "model" at least. It lists
each canonical form once, by size; with -o it writes that list as a front. Lines that are wrong are named by file and line.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("front: wants FRONT.jsonl…")
			}
			return cli.CheckPlace("--output", out)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runFront(cmd.OutOrStdout(), args, out, asJSON) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`UNION.jsonl` to write")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print counts as JSON")
	return cmd
}

// frontCounts is what there is in some fronts.
type frontCounts struct {
	Files       int            `json:"files"`
	Expressions int            `json:"expressions"`
	Forms       int            `json:"forms"`
	Tiers       map[string]int `json:"tiers,omitempty"` // of the forms, where lines say
	Searches    []searchCount  `json:"searches"`
}

// searchCount is one search's: a file, λ and a seed.
type searchCount struct {
	File   string        `json:"file"`
	Lambda finite.Number `json:"lambda"`
	Seed   uint64        `json:"seed"`
	Lines  int           `json:"expressions"`
}

func runFront(w io.Writer, paths []string, out string, asJSON bool) error {
	var all []front.Line
	for _, path := range paths {
		lines, err := front.ReadFile(path, catalog.Header)
		if err != nil {
			return err
		}
		all = append(all, lines...)
	}
	c := frontCounts{Files: len(paths), Expressions: len(all), Tiers: map[string]int{}, Searches: searches(all)}
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

func searches(all []front.Line) (list []searchCount) {
	for _, l := range all {
		i := slices.IndexFunc(list, func(s searchCount) bool {
			same := s.Lambda == l.Lambda || s.Lambda != s.Lambda && l.Lambda != l.Lambda
			return s.File == l.File && s.Seed == l.Seed && same
		})
		if i < 0 {
			i, list = len(list), append(list, searchCount{l.File, l.Lambda, l.Seed, 0})
		}
		list[i].Lines++
	}
	return list
}

func printFront(w io.Writer, forms []front.Line, c frontCounts) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "size\tloss\tlambda\tseed\ttier\texpression")
	for _, l := range forms {
		fmt.Fprintf(t, "%d\t%s\t%s\t%d\t%s\t%s\n", l.Size, cli.FigureOf("%.4g", float64(l.Loss)), cli.FigureOf("%g", float64(l.Lambda)), l.Seed, l.Tier, l.Expr)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	kinds := cli.Tiers(c.Tiers)
	if kinds != "" {
		kinds = ": " + kinds
	}
	_, err := fmt.Fprintf(w, "\n%s, %s%s; %s\n", cli.Count(c.Expressions, "expression"), cli.Count(c.Forms, "form"), kinds, fmt.Sprintf("searches: %d", len(c.Searches)))
	return err
}
