package fit

import (
	"fmt"
	"io"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/formula"
	"likc/compiler/source"
	"likc/runtime/chains"
	"likc/runtime/finite"
	"likc/runtime/fit/folder"
	"likc/runtime/interrupt"

	"github.com/spf13/cobra"
)

func NewContrast() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "contrast FIT EXPR…",
		Short: "What the draws of a regression say of differences between conditions",
		Long: `Contrast computes expressions of parameters from the draws of a folder that likc fit --formula or --preset wrote:

  likc contrast DIR 'v[conf=HC] - v[conf=LC]'

v[conf=HC] is the parameter v on its own scale, for the population, where the column conf is HC. Numeric columns that are not
set have their means; over the labels of other columns that are not set the parameter is averaged. Coefficients may stand there
by their names, in backquotes where a name is no word: ` + "`v_1|subj_idx_sigma`" + `. Signs are + - * / and parentheses.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Usagef("contrast: wants FIT EXPR…: a folder of likc fit, and what to compute, as in 'v[conf=HC] - v[conf=LC]'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := interrupt.Reading(func() ([]contrastJSON, error) { return contrasts(args[0], args[1:]) })
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), all)
			}
			return printContrasts(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// contrastJSON is one contrast of contrast --json.
type contrastJSON struct {
	Contrast string        `json:"contrast"`
	Mean     finite.Number `json:"mean"`
	SD       finite.Number `json:"sd"`
	Q5       finite.Number `json:"q5"`
	Q50      finite.Number `json:"q50"`
	Q95      finite.Number `json:"q95"`
	Positive finite.Number `json:"positive"` // share of the draws above 0
	Rhat     finite.Number `json:"rhat"`
	ESSBulk  finite.Number `json:"ess_bulk"`
}

// contrasts computes the expressions from the draws of a folder.
func contrasts(dir string, texts []string) (all []contrastJSON, err error) {
	parsed := make([]*formula.Contrast, len(texts))
	for i, text := range texts {
		if parsed[i], err = formula.ParseContrast(text); err != nil {
			return nil, cli.Usagef("contrast %s: %w", source.Quote(text), err)
		}
	}
	record, draws, err := folder.OpenRegression(dir)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		x, err := record.Contrast(parsed[i], draws)
		if err != nil {
			return nil, cli.Usagef("contrast %s: %w", source.Quote(text), err)
		}
		all = append(all, contrastOf(text, x))
	}
	return all, nil
}

// contrastOf says what the draws of a contrast say.
func contrastOf(text string, x [][]float64) contrastJSON {
	d := &chains.Draws{Names: []string{text}}
	above, total := 0.0, 0.0
	for c := range x {
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: chains.Trace{Params: x[c : c+1]}})
		for _, v := range x[c] {
			total++
			if v > 0 {
				above++
			}
		}
	}
	s := d.Summarise()[0]
	return contrastJSON{Contrast: text, Mean: finite.Number(s.Mean), SD: finite.Number(s.SD), Q5: finite.Number(s.Q5), Q50: finite.Number(s.Q50),
		Q95: finite.Number(s.Q95), Positive: finite.Number(above / total), Rhat: finite.Number(s.Rhat), ESSBulk: finite.Number(s.ESSBulk)}
}

func printContrasts(w io.Writer, all []contrastJSON) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmean\tsd\t5%\t50%\t95%\t> 0\t")
	for _, c := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.3g %%\t\n", c.Contrast, short(float64(c.Mean)), short(float64(c.SD)), short(float64(c.Q5)), short(float64(c.Q50)),
			short(float64(c.Q95)), 100*float64(c.Positive))
	}
	return t.Flush()
}
