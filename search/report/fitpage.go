package report

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/compiler/formula"
	"likc/runtime/catalog"
	"likc/runtime/chains"
	"likc/runtime/finite"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/hierarchy"
	"likc/runtime/loo"
	"likc/runtime/notation"
)

//go:embed fitpage.html
var fitPageText string

// fitPage is what the template of fits shows.
type fitPage struct {
	Style      template.CSS
	Fits       []*fitted
	Comparison []loo.Row
	Apart      string // why several fits are not compared
	References []string
}

// fitted is one folder of fits.
type fitted struct {
	Name     string // of the folder
	Model    modelCard
	Trials   int
	Subjects []*subjectFit
	Sum      elpd // over all subjects
	Warnings []warning
	Record   record
	Methods  string // a paragraph
	Drawn    int    // of the subjects whose figures are on the page
}

// Many reports whether there are several subjects.
func (f *fitted) Many() bool { return len(f.Subjects) > 1 }

// First is the subject of a fit of one.
func (f *fitted) First() *subjectFit { return f.Subjects[0] }

// subjectFit is the fit of one subject.
type subjectFit struct {
	*fit.Summary
	Findings chains.Diagnosis
	Run      chains.Run
	Known    []picture // what is known of the parameters
	Figures  []picture // what the fit predicts
	Sampler  []picture // how the sampler moved
	Nulls    []null    // of coefficients of a regression
}

// null compares the model with the same model in which a coefficient is 0.
type null struct {
	Name  string
	Ratio float64 // Savage-Dickey: above 1 the data speak against 0
	Guess bool
}

// Worst returns the largest R-hat and the smallest effective sample sizes of all parameters.
func (s *subjectFit) Worst() (w chains.Summary) {
	w = chains.Summary{Rhat: math.Inf(-1), ESSBulk: math.Inf(1), ESSTail: math.Inf(1)}
	for _, p := range s.Params {
		w.Rhat, w.ESSBulk, w.ESSTail = max(w.Rhat, p.Rhat), min(w.ESSBulk, p.ESSBulk), min(w.ESSTail, p.ESSTail)
	}
	return w
}

// warning is what stands in the way of the results, for some subjects; "" is one alone.
type warning struct {
	Text     string
	Subjects []string
}

// elpd is PSIS-LOO over all subjects, and why there is none.
type elpd struct {
	Value, SE, P finite.Number
	Bad          int // trials whose Pareto k̂ is too large
	Missing      string
}

// picture is a figure of the folder.
type picture struct {
	Title, Says string
	URL         template.URL
}

// part is a list of pictures of a subject.
type part func(*subjectFit) *[]picture

func known(s *subjectFit) *[]picture     { return &s.Known }
func predicted(s *subjectFit) *[]picture { return &s.Figures }
func sampler(s *subjectFit) *[]picture   { return &s.Sampler }

// captions say what the figures of a folder show, and in which part of the page they are.
var captions = []struct {
	file, title, says string
	of                part
}{
	{"predictive.svg", "Observed and predicted trials", "Bars: observed response times. Line: what the fitted model predicts. Times at the lower boundary are left of zero. Where the line leaves the bars, the model does not fit.", predicted},
	{"quantiles.svg", "Quantiles by condition", "Each column of points is one response in one condition: its place is how often the response was given, its heights are the 10, 30, 50, 70 and 90 % quantiles of its response times. Crosses: observed. Lines: predicted.", predicted},
	{"conditions.svg", "Observed and predicted trials by condition", "As above, a panel for each condition.", predicted},
	{"newcomers.svg", "Observed trials, and those predicted of new participants", "As above, but the line is what the model expects of participants that the study did not have, with the same trials.", predicted},
	{"effects.svg", "Effects", "Each parameter on its own scale, for the population, against each column of its formula: the median, and intervals that hold 50 % and 90 % of the posterior. Other columns have their means; over other labels the parameter is averaged.", known},
	{"shrinkage.svg", "Shrinkage", "Each point is a participant, or another level of a group: what its own trials say, and what the hierarchy makes of it. Points off the diagonal are drawn towards the mean, the horizontal line, because their trials say little.", known},
	{"marginal.svg", "Posterior distributions", "What the data and the priors together say of each parameter.", known},
	{"pairs.svg", "Pairs of parameters", "Where points lie along a line, the two parameters trade off: the data know a combination of them better than each.", sampler},
	{"trace.svg", "Traces", "Draws in their order. Chains should look alike and have no trend.", sampler},
	{"rank.svg", "Ranks", "Ranks of each chain's draws among all draws. Each should be level.", sampler},
}

// IsFit reports whether a folder is one of likc fit.
func IsFit(dir string) bool { return exists(filepath.Join(dir, folder.SummaryFile)) }

// mostDrawn is the number of subjects whose figures a page has: each takes some 60 KB.
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
	p.References = listed(cited)
	t, err := template.New("fits").Funcs(functions).Funcs(fitFunctions).Parse(fitPageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// fitFunctions are those that the pages of runs do not need.
var fitFunctions = template.FuncMap{
	"short":   func(x any) string { return general4(toFloat(x)) },
	"count":   notation.Count,
	"ratio":   ratioText,
	"decimal": func(x finite.Number) string { return fixed(float64(x), 1) },
}

// ratioText writes a Savage-Dickey ratio.
func ratioText(n null) string {
	switch {
	case n.Guess && n.Ratio > 1e4:
		return "> 10,000"
	case n.Guess:
		return fmt.Sprintf("≈ %.3g", n.Ratio)
	}
	return fmt.Sprintf("%.3g", n.Ratio)
}

// general4 has four digits, without trailing zeros but for those that say how exact the number is.
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

// readFit reads a folder of fits, and the keys of what it cites.
func readFit(dir string) (*fitted, []string, error) {
	saved, err := folder.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	f := &fitted{Name: filepath.Base(whole), Model: cardOf(saved.Subjects[0])}
	for i, s := range saved.Subjects {
		one, err := readSubject(saved, s, i < mostDrawn)
		if err != nil {
			return nil, nil, err
		}
		if s.Regression != nil && !s.PriorOnly {
			if one.Nulls, err = nullsOf(dir); err != nil {
				return nil, nil, err
			}
		}
		f.Subjects = append(f.Subjects, one)
		f.Trials += s.N
		f.Drawn = min(i+1, mostDrawn)
	}
	if err := f.readRecord(filepath.Join(saved.Path(saved.Subjects[0]), folder.SummaryFile)); err != nil {
		return nil, nil, err
	}
	f.leaveOutLevels()
	f.Model.lapseMeaning(saved.Subjects[0])
	f.sum()
	f.warn()
	var cited []string
	f.Methods, cited = f.methods()
	return f, cited, nil
}

// nullsOf returns the Savage-Dickey ratio at 0 of each common coefficient but intercepts; none of those whose prior has no density.
func nullsOf(dir string) (all []null, err error) {
	r, err := folder.OpenRegression(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range r.Params {
		for _, d := range []*hierarchy.DesignRecord{p.Formula, p.Outside} {
			if d == nil {
				continue
			}
			for _, name := range d.Coefficients {
				c := &formula.Contrast{Op: formula.OpColumn, At: &formula.Condition{Name: name}}
				if n, err := r.Null(c, 0, r.Draws, r.Priors); err == nil && name != p.Name && !strings.HasSuffix(name, "_Intercept") {
					all = append(all, null{name, n.Ratio(), n.Guess})
				}
			}
		}
	}
	return all, nil
}

func readSubject(saved *folder.Saved, s *fit.Summary, drawn bool) (*subjectFit, error) {
	draws, err := saved.Draws(s)
	if err != nil {
		return nil, err
	}
	out := &subjectFit{Summary: s, Run: draws.Run, Findings: draws.Diagnose(s.Params)}
	for _, c := range captions {
		if !drawn {
			break
		}
		svg, err := os.ReadFile(filepath.Join(saved.Path(s), c.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list := c.of(out)
		*list = append(*list, picture{c.title, c.says, template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))})
	}
	return out, nil
}

// sum adds up PSIS-LOO over the subjects, whose trials are independent.
func (f *fitted) sum() {
	square := 0.0
	for _, s := range f.Subjects {
		if s.LOO == nil {
			f.Sum = elpd{Missing: s.Missing}
			if s.Missing == "" {
				f.Sum.Missing = "it was not computed"
			}
			return
		}
		f.Sum.Value, f.Sum.P, f.Sum.Bad = f.Sum.Value+s.LOO.ELPD, f.Sum.P+s.LOO.P, f.Sum.Bad+s.LOO.KBad
		square += float64(s.LOO.SE * s.LOO.SE)
	}
	f.Sum.SE = finite.Number(math.Sqrt(square))
}

// warn collects what is wrong, each text with the subjects that it is true of.
func (f *fitted) warn() {
	say := func(s *subjectFit, text string) {
		i := slices.IndexFunc(f.Warnings, func(w warning) bool { return w.Text == text })
		if i < 0 {
			i = len(f.Warnings)
			f.Warnings = append(f.Warnings, warning{Text: text})
		}
		if f.Many() {
			f.Warnings[i].Subjects = append(f.Warnings[i].Subjects, s.Subject)
		}
	}
	for _, s := range f.Subjects {
		if s.PriorOnly {
			say(s, "The draws are from the priors: the data had no say. Compare what they predict with the data.")
		}
		if s.Partial {
			say(s, "The fit is a part: it was interrupted, or a chain failed. Fit again before you use it.")
		}
		for _, finding := range s.Findings {
			if text := plainFinding(finding); text != "" {
				say(s, text)
			}
		}
		for _, text := range s.Warnings {
			if strings.Contains(text, " leans on the end ") { // the others are said in plain words
				say(s, text+".")
			}
		}
		if s.LOO != nil && s.LOO.KBad > 0 {
			say(s, fmt.Sprintf("Some trials are so unlike what the model expects that their predictive density is uncertain (Pareto k̂ above %.2g). "+
				"Look for them in loo.csv: they may be contaminants, such as lapses of attention or anticipations.", float64(s.LOO.KMax)))
		}
	}
	if f.Model.Loose && f.Model.Kind == catalog.Formula {
		f.Warnings = append(f.Warnings, warning{Text: "The model is an expression that stands in for a density. Estimates rank people; values can be far off, and intervals are usually far too narrow: do not report them as measurements."})
	} else if f.Model.Loose {
		f.Warnings = append(f.Warnings, warning{Text: "The model does not integrate to 1 over response times and choices: it is no density, and its intervals do not say how sure the estimates are."})
	}
}

// plainFinding says for a reader who knows no sampler what a finding means; "" if nothing is wrong.
func plainFinding(f chains.Finding) string {
	if f.OK {
		return ""
	}
	switch f.Check {
	case "divergences":
		return "The sampler could not follow the posterior in places (divergent transitions): the draws may miss a part of it. Fit again with --adapt-delta closer to 1."
	case "treedepth":
		return "Trajectories of the sampler were cut short: the fit is slow, and draws are few. Fit again with a larger --max-depth."
	case "e_bfmi":
		return "The sampler explores the posterior slowly (low E-BFMI): means may be off. Draw more, or look for parameters that the data do not determine."
	case "ess":
		return "There are too few independent draws for the quantiles of some parameters. Draw more (--draws)."
	case "rhat":
		return "The chains disagree (R-hat above 1.01): they have not found the same distribution. Do not use these estimates; draw more (--warmup, --draws), or look for parameters that the data do not determine."
	}
	return f.Text
}

// record is what a fit says of itself in summary.json, as far as it does.
type record struct {
	Version string                     `json:"version"`
	CPU     string                     `json:"cpu"`
	Command []string                   `json:"command"`
	Priors  map[string]string          `json:"priors"`
	Ranges  map[string][]finite.Number `json:"ranges"` // null is an end that is not there
	Fixed   map[string]float64         `json:"fixed"`
	Data    struct {
		File    string         `json:"file"`
		SHA256  string         `json:"sha256"`
		Dropped map[string]int `json:"dropped"` // rows, by the reason
		Omitted int            `json:"omitted"` // trials without response by the deadline
		Go      float64        `json:"go"`      // the only choice that is to respond; 0 for both
	} `json:"data"`
}

// Range is the range that a parameter was fitted in, "" if the record has none.
func (r *record) Range(name string) string {
	ends := r.Ranges[name]
	if len(ends) != 2 {
		return ""
	}
	low, high := general(ends[0]), general(ends[1])
	if math.IsNaN(float64(ends[0])) {
		low = "−∞"
	}
	if math.IsNaN(float64(ends[1])) {
		high = "∞"
	}
	return low + " to " + high
}

// readRecord reads the record. Fields of another form than this version's are left out.
func (f *fitted) readRecord(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, to := range map[string]any{"version": &f.Record.Version, "cpu": &f.Record.CPU, "command": &f.Record.Command,
		"priors": &f.Record.Priors, "ranges": &f.Record.Ranges, "fixed": &f.Record.Fixed, "data": &f.Record.Data} {
		if value, ok := fields[name]; ok {
			json.Unmarshal(value, to) // what cannot be read stays empty
		}
	}
	return nil
}
