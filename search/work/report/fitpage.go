package report

import (
	_ "embed"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/fit/loo"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
)

//go:embed fitpage.html
var fitPageText string

// fitPage is the data for the page of fits.
type fitPage struct {
	Style      template.CSS
	Fits       []*fitted
	Comparison []loo.Row
	Apart      string // the reason why several fits are not compared; "" if they are
	References []string
}

// fitted is one folder of fits.
type fitted struct {
	Name     string // the name of the folder
	Prefix   string // what stands before the headings of a page with several fits; "" for the only fit
	Model    modelCard
	Trials   int
	Subjects []*subjectFit
	Sum      elpd // PSIS-LOO over all subjects
	Warnings []warning
	Record   record
	Methods  string // a paragraph
	Drawn    int    // number of subjects whose figures are on the page
}

// Many reports whether there are several subjects.
func (f *fitted) Many() bool { return len(f.Subjects) > 1 }

// First returns the only subject of a fit.
func (f *fitted) First() *subjectFit { return f.Subjects[0] }

// subjectFit is the fit of one subject.
type subjectFit struct {
	*fit.Summary
	Findings chains.Diagnosis
	Run      chains.Run
	Known    []picture // pictures of the parameters' posteriors
	Figures  []picture // pictures of the fit's predictions
	Sampler  []picture // pictures of the sampler's moves
	Nulls    []null    // comparisons with effects of 0

	Differences []difference // differences between cells of a design, on the parameters' own scale
}

// null compares the model with a model that is the same, except that one slope or one difference of two levels is 0.
type null struct {
	Name     string
	Odds     string // the Bayes factor in words
	Strength string // how strong the evidence is, after Jeffreys; "" if that is not known
}

// Worst returns the largest R-hat and the smallest effective sample sizes of all parameters.
func (s *subjectFit) Worst() (w chains.Summary) {
	w = chains.Summary{Rhat: math.Inf(-1), ESSBulk: math.Inf(1), ESSTail: math.Inf(1)}
	for _, p := range s.Params {
		w.Rhat, w.ESSBulk, w.ESSTail = max(w.Rhat, p.Rhat), min(w.ESSBulk, p.ESSBulk), min(w.ESSTail, p.ESSTail)
	}
	return w
}

// mostCells is the largest number of a design's cells on the page.
const mostCells = 100

// ShownCells returns the cells of a regression's design that the page shows.
func (s *subjectFit) ShownCells() []fit.CellSummary { return s.Cells[:min(len(s.Cells), mostCells)] }

// LevelsDiffer reports whether the means of different cells are over different numbers of levels.
func (s *subjectFit) LevelsDiffer() bool { return fit.LevelsDiffer(s.Cells) }

// MeansOfColumns says, in a sentence for each mean, at which values numeric columns are held.
func (s *subjectFit) MeansOfColumns() []string { return fit.MeansText(s.ShownCells()) }

// MoreCells returns the number of cells that the page does not show.
func (s *subjectFit) MoreCells() int { return len(s.Cells) - len(s.ShownCells()) }

// Groupings names the groupings over whose levels cells are averaged; "" if there is none.
func (s *subjectFit) Groupings() string {
	var names []string
	for _, c := range s.Cells {
		if c.Levels != nil && !slices.Contains(names, c.LevelsOf) {
			names = append(names, c.LevelsOf)
		}
	}
	return strings.Join(names, ", ")
}

// warning is a reason not to trust the results of some subjects; the only subject has the name "".
type warning struct {
	Text     string
	Subjects []string
	Misfit   bool // whether the model does not fit the data; the sampler has worked
	Minor    bool // whether it matters so little that the results can be used all the same
}

// elpd is PSIS-LOO over all subjects, or the reason why there is none.
type elpd struct {
	Value, SE, P finite.Number
	Bad          int    // number of trials whose Pareto k̂ is too large
	Missing      string // the reason why there is no PSIS-LOO; "" if there is
}

// picture is a figure in the fit's folder.
type picture struct {
	Title, Says string
	URL         template.URL
	Wide        bool // whether it needs the whole width of the page
}

// part selects one of the lists of pictures of a subject.
type part func(*subjectFit) *[]picture

func known(s *subjectFit) *[]picture     { return &s.Known }
func predicted(s *subjectFit) *[]picture { return &s.Figures }
func sampler(s *subjectFit) *[]picture   { return &s.Sampler }

// captions lists the captions of a folder's figures, and the part of the page in which each belongs.
var captions = []struct {
	file, title, says string
	of                part
}{
	{"predictive.svg", "Observed and predicted trials", "Bars: observed response times. Line: what the fitted model predicts. Band: if the prediction is right, chance leaves nine of ten bars inside. Times at the lower boundary, or of choice 0 where there are two numbered ones, are left of zero. Where many neighbouring bars leave the band, the model does not fit.", predicted},
	{"signals.svg", "Observed and predicted responses", "Crosses: observed. Circles, with intervals that contain 90 % of the predictions: what the fitted model predicts at the same delays of the stop signal. The share of signals with a response (the inhibition function), the median of their times, and quantiles of response times without a signal. A delay with fewer than 10 signals is left out.", predicted},
	{"course.svg", "Choices in the course of the trials", "Crosses: how often a choice was made, from the first trial of a participant, or since states started afresh, to the last. Circles, with intervals that contain 90 % of the draws: what the fitted model predicts, by simulation of all trials in order.", predicted},
	{"quantiles.svg", "Quantiles by condition", "Each column of points is one response in one condition: its place is how often the response was given, its heights are the 10, 30, 50, 70 and 90 % quantiles of its response times. Crosses: observed. Lines: predicted.", predicted},
	{"conditions.svg", "Observed and predicted trials by condition", "As above, a panel for each condition.", predicted},
	{"newcomers.svg", "Observed trials, and those predicted of new participants", "As above, but the line is what the model expects of participants that the study did not have, with the same trials. Participants differ by more than chance, so there is no band.", predicted},
	{"effects.svg", "Effects", "Each parameter on its own scale, for the population, against each column of its formula: the median, and intervals that contain 50 % and 90 % of the posterior. Other columns have their means; over other labels the parameter is averaged.", known},
	{"shrinkage.svg", "Shrinkage", "Each point is a participant, or another level of a group, in one cell of the design: its estimate from its own trials, and in the hierarchy. Points off the diagonal are drawn towards the mean, the horizontal line, because their trials contain little information.", known},
	{"marginal.svg", "Posterior distributions", "What is known of each parameter from the data and the priors together. Above each panel and as a line: the mean. In brackets and as a bar: the interval from the 5 % to the 95 % quantile. Of many coefficients, the first 12 are shown.", known},
	{"pairs.svg", "Pairs of parameters", "Where points lie along a line, the two parameters trade off: the data determine a combination of them better than each.", sampler},
	{"trace.svg", "Traces", "Draws in their order. Chains should look alike and have no trend.", sampler},
	{"rank.svg", "Ranks", "Ranks of each chain's draws among all draws. Each should be level.", sampler},
}

// IsFit reports whether a folder is one of likc fit.
func IsFit(dir string) bool { return exists(filepath.Join(dir, folder.SummaryFile)) }

// mostDrawn is the largest number of subjects whose figures are on a page: the figures of one need about 60 KB.
const mostDrawn = 12

// WriteFits writes the page of one or several folders of fits.
func WriteFits(w io.Writer, dirs []string) error {
	p := &fitPage{Style: template.CSS(style)}
	var cited []string
	for _, dir := range dirs {
		f, keys, err := readFit(dir)
		if err != nil {
			return err
		}
		p.Fits, cited = append(p.Fits, f), append(cited, keys...)
	}
	if len(dirs) > 1 {
		var err error
		if p.Comparison, err = folder.Compare(dirs); err != nil {
			p.Apart = err.Error()
		} else {
			cited = append(cited, "yao2018")
		}
	}
	p.inOrder()
	p.References = listed(cited)
	t, err := template.New("fits").Funcs(functions).Funcs(fitFunctions).Parse(fitPageText)
	if err != nil {
		return err
	}
	return writePage(w, t, p)
}

// inOrder puts several fits into the order of their comparison, and their names before the headings of their sections.
func (p *fitPage) inOrder() {
	if len(p.Fits) == 1 {
		return
	}
	for _, f := range p.Fits {
		f.Prefix = f.Name + ": "
	}
	rank := func(f *fitted) int {
		return slices.IndexFunc(p.Comparison, func(row loo.Row) bool { return row.Name == f.Name })
	}
	slices.SortStableFunc(p.Fits, func(a, b *fitted) int { return rank(a) - rank(b) })
}

// fitFunctions are template functions that only pages of fits need.
var fitFunctions = template.FuncMap{
	"threeDigits": threeDigits,
	"short":       func(x any) string { return general4(toFloat(x)) },
	"error":       func(x float64) string { return significant(x, 2) },
	"count":       notation.Count,
	"decimal":     func(x finite.Number) string { return fixed(float64(x), 1) },

	"many":        (*fitted).Many,
	"first":       (*fitted).First,
	"fails":       (*fitted).Fails,
	"predicts":    (*fitted).Predicts,
	"checked":     (*fitted).Checked,
	"cards":       (*fitted).Cards,
	"choices":     (*fitted).Choices,
	"formulas":    (*fitted).Formulas,
	"lapses":      (*fitted).Lapses,
	"grouped":     (*fitted).Grouped,
	"population":  (*fitted).Population,
	"levels":      (*fitted).Levels,
	"enoughDraws": (*fitted).EnoughDraws,

	"allDraws":       (*subjectFit).AllDraws,
	"worst":          (*subjectFit).Worst,
	"shownCells":     (*subjectFit).ShownCells,
	"moreCells":      (*subjectFit).MoreCells,
	"groupings":      (*subjectFit).Groupings,
	"levelsDiffer":   (*subjectFit).LevelsDiffer,
	"meansOfColumns": (*subjectFit).MeansOfColumns,

	"explained": modelCard.Explained,
	"sign":      paramCard.Sign,
	"rangeOf":   (*record).Range,
}

// general4 writes a number with three decimals, and from 10 on with four significant digits.
func general4(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case size >= 1000:
		return fixed(x, 0)
	case size >= 100:
		return fixed(x, 1)
	case size >= 10:
		return fixed(x, 2)
	}
	return fixed(x, 3)
}
