package fit

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/source"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// contrastFlags are the flags of the command contrast.
type contrastFlags struct {
	Null null `flag:"null" value:"VALUE" help:"VALUE that the Bayes factor is for or against, such as 0"`
	JSON bool `flag:"json" help:"print JSON"`
}

// null is the text of a null value: a number, or "" for no null value.
type null string

// Check refuses other texts.
func (n null) Check() error {
	if x, err := strconv.ParseFloat(string(n), 64); n != "" && (err != nil || !(math.Abs(x) <= 1e9)) {
		return fmt.Errorf("%s: want a number, such as 0", string(n))
	}
	return nil
}

// NewContrast returns the command contrast.
func NewContrast() *cobra.Command {
	return cli.Command(&contrastFlags{}, &cobra.Command{
		Use:   "contrast FIT EXPR…",
		Short: "What the draws of a fit say of differences between conditions, or of other expressions of parameters",
		Long: `Compute expressions of parameters from the draws of a folder that likc fit wrote:

  likc contrast DIR 'v[conf=HC] - v[conf=LC]'

v[conf=HC] is the parameter v on its own scale where the column conf is HC, for the typical participant, whose offsets are 0. Numeric
columns that are not set are at their mean over the trials, and a note says where one is set far outside the data; over the labels of
other columns that are not set the parameter is averaged, each label with the same weight, however many trials it has. A column of two
numbers, such as a stimulus coded -1 and 1, is averaged over too: set it where an effect reverses with it, as in
'v[conf=HC, side=1] - v[conf=LC, side=1]'. A line for each column says what was done with it.

A second table has the mean over the study's participants in place of the typical one, or over the levels of the formula's first
grouping: over those who have all cells of the expression in the data, each with the same weight. A line says how many they are. Where
none has all cells, as where a condition differs between participants, it says so, and each cell has its own participants.
Where a link is not the identity, the mean of participants is not the typical participant: behind a logarithm it is larger.

Coefficients may be named too, in backquotes where a name is no word: ` + "`v_1|subj_idx_sigma`" + `. Signs are + - * / and parentheses.

--null 0 adds a Bayes factor in words, such as "31 : 1 for no difference": the data are 31 times as likely where the two conditions
are equal as where they may differ. It is the Savage-Dickey ratio, the density at 0 before the data over that after the data, and
depends on the prior; a vague one speaks for the null. Behind a link two cells of a parameter are compared by their linear predictors:
they are equal where these are. A line below the table says which coefficients are tested, and which prior they have where the null
holds if they are several. Products, ratios, and other sums behind a link are refused. A Monte Carlo error above 20 % follows the odds.
Where hardly any draw tells of the value, the odds are a bound: "more than 100 : 1 for a difference". More draws make it closer. A note
says where the factor is no evidence, because a numeric column far from 0 made the prior wide: fit with center(x) then. --json has the
ratio, above 1 where the data speak against the null, and its Monte Carlo error.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Usagef("contrast: needs FIT EXPR…: a folder of likc fit, and what to compute, as in 'v[conf=HC] - v[conf=LC]'")
			}
			return nil
		},
	})
}

// Run computes the contrasts and prints them.
func (f *contrastFlags) Run(cmd *cobra.Command, args []string) error {
	var null *float64
	if x, err := strconv.ParseFloat(string(f.Null), 64); err == nil {
		null = &x
	}
	all, err := interrupt.WhileReading(func() ([]contrastJSON, error) { return contrasts(args[0], args[1:], null) })
	if err != nil {
		return err
	}
	noteContrasts(cmd.ErrOrStderr(), all)
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), all)
	}
	return printContrasts(cmd.OutOrStdout(), all)
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
	// Levels has the figures of the mean over the levels of the first grouping, such as the study's participants. The other figures are those
	// of the typical level, whose offsets are 0. It is nil where nothing in the contrast varies by a grouping.
	Levels *contrastLevels `json:"levels,omitempty"`
	// Columns that are not set: those whose values the parameter is averaged over, and the means of those at their mean.
	Averaged map[string][]string      `json:"averaged,omitempty"`
	At       map[string]finite.Number `json:"at,omitempty"`
	Null     *nullJSON                `json:"null,omitempty"`  // the test of the null value of --null; nil without the flag
	Notes    []string                 `json:"notes,omitempty"` // columns that are set far outside the data, and why a Bayes factor is no evidence

	unset []hierarchy.Unset
}

// contrastLevels is a contrast of means over levels of a grouping.
type contrastLevels struct {
	fit.CellFigures
	Positive finite.Number `json:"positive"`
	Of       []string      `json:"of"`          // the groupings
	N        int           `json:"n,omitempty"` // number of levels in the average, if there is one grouping
	Over     []string      `json:"over"`        // levels of each grouping that are averaged over: "7 of 12 levels of id that have all its cells"
}

// nullJSON compares the contrast with a point null.
type nullJSON struct {
	Value     finite.Number `json:"value"`
	Prior     finite.Number `json:"prior_density"`
	Posterior finite.Number `json:"posterior_density"`
	Ratio     finite.Number `json:"ratio"`           // prior density over posterior density: Bayes factor against the null
	MCSE      finite.Number `json:"mcse"`            // Monte Carlo error of the ratio; null for a guess
	Guess     bool          `json:"guess,omitempty"` // too few draws are near the value: the ratio is a lower bound
	Odds      string        `json:"odds"`            // the Bayes factor in words
	Tested    string        `json:"tested"`          // the null as a statement about coefficients; the densities are those of these coefficients
	Given     string        `json:"given,omitempty"` // the prior where the null holds, if several coefficients are tested
}

func nullOf(n hierarchy.Null) *nullJSON {
	return &nullJSON{finite.Number(n.Value), finite.Number(n.Prior), finite.Number(n.Posterior), finite.Number(n.Ratio()), finite.Number(n.Ratio() * n.Error), n.Guess,
		n.Words(), n.Tested, n.Conditioned()}
}

// contrasts computes the expressions from the draws of a folder.
func contrasts(dir string, texts []string, null *float64) (all []contrastJSON, err error) {
	parsed := make([]*formula.Contrast, len(texts))
	for i, text := range texts {
		if parsed[i], err = formula.ParseContrast(text); err != nil {
			return nil, cli.Usagef("contrast %s: %w", source.Quote(text), err)
		}
	}
	r, err := folder.OpenRegression(dir)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		x, err := r.Contrast(parsed[i], r.Draws)
		if err != nil {
			return nil, cli.Usagef("contrast %s: %w", source.Quote(text), err)
		}
		one := contrastOf(text, x)
		if one.Levels, err = levelsOf(r, parsed[i]); err != nil {
			return nil, cli.Usagef("contrast %s: %w", source.Quote(text), err)
		}
		one.setUnset(r.Unset(parsed[i]))
		one.Notes = r.Extrapolates(parsed[i])
		if null != nil {
			n, err := r.Null(parsed[i], *null, r.Draws, r.Priors)
			if err != nil {
				return nil, cli.Usagef("contrast %s: --null: %w%s", source.Quote(text), err, one.hidden())
			}
			one.Null = nullOf(n)
			if caution := n.Caution(); caution != "" {
				one.Notes = append(one.Notes, fmt.Sprintf("%s: %s", text, caution))
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// levelsOf returns the contrast of means over levels; nil where nothing in it varies by a grouping.
func levelsOf(r *folder.Regression, c *formula.Contrast) (*contrastLevels, error) {
	x, err := r.ContrastOfLevels(c, r.Draws)
	if err != nil || x == nil {
		return nil, err
	}
	all, err := r.LevelsOf(c)
	if err != nil {
		return nil, err
	}
	out := &contrastLevels{CellFigures: fit.FiguresJSON(hierarchy.FiguresOf(x)), Positive: contrastOf("", x).Positive}
	for _, l := range all {
		out.Of, out.Over = append(out.Of, l.By), append(out.Over, l.String())
	}
	if len(all) == 1 {
		out.N = all[0].N
	}
	return out, nil
}

// setUnset records how the contrast treats the columns that it does not set.
func (c *contrastJSON) setUnset(all []hierarchy.Unset) {
	c.unset, c.Averaged, c.At = all, map[string][]string{}, map[string]finite.Number{}
	for _, u := range all {
		if u.Values != nil {
			c.Averaged[u.Column] = u.Values
		} else {
			c.At[u.Column] = finite.Number(u.Mean)
		}
	}
}

// hidden names the columns whose average may cancel the effect that the null is about; "" for none.
func (c *contrastJSON) hidden() (text string) {
	for _, u := range c.unset {
		if u.Numbers {
			text += "; " + u.String()
		}
	}
	return text
}

// contrastOf summarises the draws of a contrast.
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

// noteContrasts prints each note on stderr, once.
func noteContrasts(stderr io.Writer, all []contrastJSON) {
	var said []string
	for _, c := range all {
		for _, note := range c.Notes {
			if !slices.Contains(said, note) {
				fmt.Fprintf(stderr, "likc: note: %s\n", note)
				said = append(said, note)
			}
		}
	}
}

func printContrasts(w io.Writer, all []contrastJSON) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	odds := ""
	if all[0].Null != nil {
		odds = "Bayes factor\t"
	}
	fmt.Fprintf(t, "\tmean\tsd\t5%%\t50%%\t95%%\t> 0\t%s\n", odds)
	var grouped []string // groupings
	for _, c := range all {
		printContrast(t, c.Contrast, fit.CellFigures{Mean: c.Mean, SD: c.SD, Q5: c.Q5, Q50: c.Q50, Q95: c.Q95}, c.Positive)
		if c.Null != nil {
			fmt.Fprintf(t, "%s\t", c.Null.Odds)
		}
		fmt.Fprintln(t)
		if c.Levels != nil {
			grouped = append(grouped, c.Levels.Of...)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if grouped != nil {
		if err := printOfLevels(w, all, groupings(grouped)); err != nil {
			return err
		}
	}
	printUnset(w, all)
	return printTested(w, all)
}

// printUnset prints how the contrasts treat each column that they do not set.
func printUnset(w io.Writer, all []contrastJSON) {
	var said []string
	for _, c := range all {
		for _, u := range c.unset {
			if text := u.String(); !slices.Contains(said, text) {
				said = append(said, text)
			}
		}
	}
	if said != nil {
		fmt.Fprintf(w, "\ncolumns where they are not set, all values with equal weights:\n  %s\n", strings.Join(said, "\n  "))
	}
}

// printTested prints the statement about coefficients that each Bayes factor tests.
func printTested(w io.Writer, all []contrastJSON) error {
	for i, c := range all {
		if c.Null == nil {
			continue
		}
		if i == 0 {
			fmt.Fprintln(w)
		}
		line := fmt.Sprintf("null of %s: %s", c.Contrast, c.Null.Tested)
		if c.Null.Given != "" {
			line += "; " + c.Null.Given
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// printContrast writes the row of a contrast, without its end.
func printContrast(w io.Writer, text string, f fit.CellFigures, positive finite.Number) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.3g %%\t", text, short(float64(f.Mean)), short(float64(f.SD)), short(float64(f.Q5)), short(float64(f.Q50)),
		short(float64(f.Q95)), 100*float64(positive))
}

// printOfLevels writes the contrasts of means over the levels of groupings.
func printOfLevels(w io.Writer, all []contrastJSON, grouped string) error {
	fmt.Fprintf(w, "\nabove: of a typical %s, whose offsets are 0; below: of the mean over %[1]s, with equal weights\n\n", grouped)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tmean\tsd\t5%\t50%\t95%\t> 0\t\n")
	var over, lines []string // the levels that each contrast is averaged over
	for _, c := range all {
		if c.Levels != nil {
			printContrast(t, c.Contrast, c.Levels.CellFigures, c.Levels.Positive)
			fmt.Fprintln(t)
			text := strings.Join(c.Levels.Over, " and over ")
			over, lines = append(over, text), append(lines, fmt.Sprintf("mean of %s over %s", c.Contrast, text))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if over = slices.Compact(over); len(over) == 1 {
		lines = []string{"mean over " + over[0]}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(lines, "\n"))
	return err
}
