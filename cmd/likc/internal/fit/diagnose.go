package fit

import (
	"errors"
	"fmt"
	"io"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/num/chains"
	"likc/runtime/num/notation"

	"github.com/spf13/cobra"
)

// diagnoseFlags are the flags of the command diagnose.
type diagnoseFlags struct {
	ColumnsAreChains bool `flag:"columns-are-chains" help:"a file is a parameter, a column of it a chain"`
	JSON             bool `flag:"json" help:"print JSON"`
}

// NewDiagnose returns the command diagnose.
func NewDiagnose() *cobra.Command {
	return cli.Command(&diagnoseFlags{}, &cobra.Command{
		Use:     "diagnose CHAIN.csv…",
		Short:   "R-hat, effective sample sizes and Monte Carlo errors of anyone's draws",
		Example: `  likc diagnose fit/chain_1.csv fit/chain_2.csv`,
		Long: `Check Markov chains, one file each, as CmdStan and likc fit write them or as plain CSV with a column per parameter.
The table has rank-normalised split R-hat, effective sample sizes in bulk and tails, Monte Carlo standard
errors, and, where the files tell, divergences, tree depth and E-BFMI. - is standard input. A column .chain, as in a draws_df
of R's posterior (chain__ in cmdstanpy), parts a file into chains; .iteration and .draw are no parameters.

With --columns-are-chains a file is one parameter, called as the file is, and its columns are the chains.`,
		Args: cli.Some("CHAIN.csv…: one file a chain"),
	})
}

// Run reads the draws and prints their diagnosis.
func (f *diagnoseFlags) Run(cmd *cobra.Command, args []string) error {
	read := chains.ReadFiles
	if f.ColumnsAreChains {
		read = chains.ReadParameterFiles
	}
	groups, err := read(args)
	if errors.As(err, new(chains.NameError)) {
		return cli.Usagef("diagnose: %w", err)
	}
	if err != nil {
		return err
	}
	return newDiagnosis(groups).print(cmd.OutOrStdout(), f.JSON)
}

// diagnosis has summaries of draws, and the findings of tests of the chains.
type diagnosis struct {
	groups    []*chains.Draws // draws that all chains have: an element for each parameter, or one for all
	cut       bool            // whether some chains have more draws
	summaries fit.Parameters
	findings  chains.Diagnosis
}

// newDiagnosis summarises the draws of all groups of parameters, and diagnoses them.
func newDiagnosis(groups []*chains.Draws) *diagnosis {
	d := &diagnosis{}
	for _, g := range groups {
		common := g.Common()
		d.groups = append(d.groups, common)
		d.summaries = append(d.summaries, common.Summarise()...)
		for i := range g.Chains {
			d.cut = d.cut || g.Chains[i].Len() != common.Len()
		}
	}
	// Only files of chains have sampler columns, and these form one group.
	d.findings = d.groups[0].Diagnose(d.summaries)
	return d
}

// print prints the diagnosis of chains that have the same number of draws, as tables or as JSON.
func (d *diagnosis) print(w io.Writer, asJSON bool) error {
	chainCount, drawCount := len(d.groups[0].Chains), d.groups[0].Len()
	if asJSON {
		return cli.PrintJSON(w, d.json(chainCount, drawCount))
	}
	fmt.Fprintf(w, "%s of %s\n", notation.Count(chainCount, "chain"), notation.Count(drawCount, "draw"))
	if d.cut {
		fmt.Fprintln(w, "the chains differ in length: they are compared over the draws that all have")
	}
	fmt.Fprintln(w)
	if err := printSummaries(w, d.summaries); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s", d.findings)
	return err
}

// json returns {"params": {…}, …}: divergences and findings only where the files have sampler columns.
func (d *diagnosis) json(chainCount, drawCount int) any {
	out := struct {
		Params      fit.Parameters `json:"params"`
		Chains      int            `json:"chains"`
		Draws       int            `json:"draws"`
		Divergences *int           `json:"divergences"`
		Problems    []string       `json:"problems"`
	}{Params: d.summaries, Chains: chainCount, Draws: drawCount, Problems: []string{}}
	for _, f := range d.findings {
		if f.Check == "divergences" {
			n := d.groups[0].Divergences()
			out.Divergences = &n
		}
		if !f.OK {
			out.Problems = append(out.Problems, f.Check)
		}
	}
	return out
}
