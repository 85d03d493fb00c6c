package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// readFit reads a folder of fits. It also returns the keys of the works that its text cites.
func readFit(dir string) (*fitted, []string, error) {
	saved, err := folder.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	f := &fitted{Name: filepath.Base(absolute), Model: cardOf(saved.Subjects[0])}
	for i, s := range saved.Subjects {
		one, err := readSubject(saved, s, i < mostDrawn)
		if err != nil {
			return nil, nil, err
		}
		if s.Regression != nil && !s.PriorOnly {
			r, err := folder.OpenRegression(saved.Path(s))
			if err != nil {
				return nil, nil, err
			}
			if one.Nulls, err = nullsOf(r); err != nil {
				return nil, nil, err
			}
			one.Differences = differencesOf(r, s.Cells)
		}
		f.Subjects = append(f.Subjects, one)
		f.Trials += s.N
		f.Drawn = min(i+1, mostDrawn)
	}
	if err := f.readRecord(filepath.Join(saved.Path(saved.Subjects[0]), folder.SummaryFile)); err != nil {
		return nil, nil, err
	}
	f.leaveOutLevels()
	if f.First().Regression != nil {
		f.Model.meaningsOfCoefficients()
	}
	f.Model.lapseMeaning(saved.Subjects[0])
	f.sum()
	f.warn()
	var cited []string
	f.Methods, cited = f.methods()
	return f, cited, nil
}

// nullsOf returns Bayes factors for slopes and for differences between levels. It skips coefficients whose prior has no density.
func nullsOf(r *folder.Regression) (all []null, err error) {
	questions, err := r.Questions()
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		if n, err := r.Null(q.Contrast, 0, r.Draws, r.Priors); err == nil {
			n.Equal = q.Difference
			odds, strength := n.Words(), n.Strength()
			if n.Widened != "" {
				strength, odds = "", "none: the prior is wide, because a numeric column is far from 0: fit with center(x) in place of x"
			}
			all = append(all, null{q.Name, odds, strength})
		}
	}
	return all, nil
}

// readSubject reads the fit of one subject, with its figures if drawn is set.
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
		*list = append(*list, picture{c.title, c.says, dataURL(svg), isWide(svg)})
	}
	return out, nil
}

// sum sets the sum of PSIS-LOO over the subjects, whose trials are independent. It has no value if a subject has none.
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

// warn sets the warnings, each with the subjects to which it applies.
func (f *fitted) warn() {
	say := func(s *subjectFit, text string) *warning {
		i := slices.IndexFunc(f.Warnings, func(w warning) bool { return w.Text == text })
		if i < 0 {
			i = len(f.Warnings)
			f.Warnings = append(f.Warnings, warning{Text: text})
		}
		if f.Many() {
			f.Warnings[i].Subjects = append(f.Warnings[i].Subjects, s.Subject)
		}
		return &f.Warnings[i]
	}
	f.warnOfMisfit()
	for _, s := range f.Subjects {
		if s.PriorOnly {
			say(s, "The draws are from the priors: the data had no say. Compare what they predict with the data.")
		}
		if s.Partial {
			say(s, "The fit is a part: it was interrupted, or a chain failed. Fit again before you use it.")
		}
		for _, finding := range s.Findings {
			if text := s.plainFinding(finding); text != "" {
				say(s, text)
			}
		}
		if advice := s.advice(); advice != "" {
			say(s, advice+".")
		}
		for _, text := range s.Warnings {
			if strings.Contains(text, " leans on the end ") { // the other findings are explained in plain words
				say(s, text+".")
			}
		}
		if s.Record != nil && !s.PriorOnly {
			for _, text := range fit.CutWarnings(s.Data) {
				say(s, text+".")
			}
		}
		if s.LOO != nil && s.LOO.KBad > 0 {
			f.warnOfLOO(s, say)
		}
	}
	if f.Model.Loose && f.Model.Kind == catalog.Formula {
		f.Warnings = append(f.Warnings, warning{Text: "The model is an expression that stands in for a density. Estimates rank people; values can be far off, and intervals are usually far too narrow: do not report them as measurements."})
	} else if f.Model.Loose {
		f.Warnings = append(f.Warnings, warning{Text: "The model does not integrate to 1 over response times and choices: it is no density, and its intervals do not say how sure the estimates are."})
	}
}

// advice returns what to do about warnings of the sampler; "" for nothing. Fits of older versions have no advice of their own.
func (s *subjectFit) advice() string {
	return cmp.Or(s.Advice, fit.Advice(s.Summary, s.Findings, "", 0))
}

// warnOfLOO adds a warning of trials for which PSIS-LOO is uncertain. It is minor where they are few and the model predicts the data.
func (f *fitted) warnOfLOO(s *subjectFit, say func(*subjectFit, string) *warning) {
	const next = " loo.csv names them. They may be contaminants, such as lapses of attention or anticipations: docs/how-to/warnings.md shows how to fit without them and compare the estimates."
	limit := float64(s.LOO.KMax)
	if c := s.PredictiveCheck; s.LOO.Few(s.N) && (c == nil || !c.Misfit) {
		say(s, fmt.Sprintf("For a few trials, at most 1 of 100, the predictive density is uncertain (Pareto k̂ above %.2g). "+
			"So few matter only where a comparison of models is close.", limit)+next).Minor = true
		return
	}
	say(s, fmt.Sprintf("Some trials are so unlike what the model expects that their predictive density is uncertain (Pareto k̂ above %.2g).", limit)+next)
}

// misfitMeans explains the consequence of predictions that are far from the data.
const misfitMeans = "Estimates of a model that does not fit may be far off, and their intervals are too narrow: look at the figures of what it predicts, and try another model, or look for trials of another kind."

// warnOfMisfit puts a warning first that names the subjects whose trials the model does not predict, with the size of the misfit.
func (f *fitted) warnOfMisfit() {
	var named []string // the subjects with a misfit, each with its size
	for _, s := range f.Subjects {
		if c := s.PredictiveCheck; c == nil || !c.Misfit {
			continue
		} else if !f.Many() {
			f.Warnings = append(f.Warnings, warning{Text: "The model does not predict the data: " + c.String() + ". " + misfitMeans, Misfit: true})
		} else {
			named = append(named, fmt.Sprintf("%s (%s)", s.Subject, c.Short()))
		}
	}
	if named != nil {
		f.Warnings = append(f.Warnings, warning{Text: fmt.Sprintf("The model does not predict the data of %d of %d participants: in brackets what differs, and how many of their trials lie elsewhere than predicted. %s",
			len(named), len(f.Subjects), misfitMeans), Subjects: named, Misfit: true})
	}
}

// Predicts describes the result of a check of predictions that found no misfit, or why there was no check.
func (f *fitted) Predicts() string {
	checked, misfits := 0, 0
	for _, s := range f.Subjects {
		if c := s.PredictiveCheck; c != nil {
			checked++
			if c.Misfit {
				misfits++
			}
		}
	}
	const falseAlarms = "A model that is right fails this check in fewer than 1 of 100 datasets."
	switch c := f.First().PredictiveCheck; {
	case misfits > 0:
		return ""
	case checked == 0:
		return "Whether the model predicts the data was not checked: " + f.whyUnchecked() + "."
	case f.Many() && checked < len(f.Subjects):
		return fmt.Sprintf("The model predicts the data of %d participants within what chance explains; of the other %d it was not checked. %s", checked, len(f.Subjects)-checked, falseAlarms)
	case f.Many():
		return "The model predicts the data of every participant within what chance explains. " + falseAlarms
	default:
		return fmt.Sprintf("The model predicts the data within what chance explains: %s. %s", c, falseAlarms)
	}
}

// Fails reports whether a warning is more than minor.
func (f *fitted) Fails() bool {
	return slices.ContainsFunc(f.Warnings, func(w warning) bool { return !w.Minor })
}

// Checked reports whether the predictions of all subjects were checked.
func (f *fitted) Checked() bool {
	return !slices.ContainsFunc(f.Subjects, func(s *subjectFit) bool { return s.PredictiveCheck == nil })
}

// whyUnchecked says why no predictions were compared with the data.
func (f *fitted) whyUnchecked() string {
	switch of := f.First(); {
	case of.PriorOnly:
		return "the draws are from the priors"
	case slices.ContainsFunc(f.Record.Command, func(arg string) bool { return arg == "--no-figures" || arg == "--no-figures=true" }):
		return "it was fitted with --no-figures, and nothing was predicted"
	case of.Partial:
		return "the fit is a part"
	}
	return "nothing simulates the model's responses one by one, there are too few trials, or an older likc made the fit"
}

// plainFinding explains a finding to a reader who does not know samplers; "" if nothing is wrong.
func (s *subjectFit) plainFinding(f chains.Finding) string {
	if f.OK {
		return ""
	}
	switch f.Check {
	case "divergences":
		if chains.FewDivergences(s.Divergences, s.Chains*s.Draws) {
			return "A few transitions diverged, less than 1 of 1,000: the sampler could not follow the posterior there. So few matter little (docs/how-to/warnings.md)."
		}
		return "The sampler could not follow the posterior in places (divergent transitions): the draws may miss a part of it."
	case "treedepth":
		return "Trajectories of the sampler were cut short: the fit is slow, and draws are few. Fit again with a larger --max-depth."
	case "e_bfmi":
		return "The sampler explores the posterior slowly (low E-BFMI): means and quantiles may be off."
	case "ess":
		return fmt.Sprintf("There are too few independent draws of some parameters, fewer than %d per chain. Too few in bulk make means unreliable, too few in the tail the 5 %% and 95 %% quantiles.", chains.MinESSPerChain)
	case "rhat":
		return "The chains disagree (R-hat above 1.01): they have not found the same distribution. Do not use these estimates."
	}
	return f.Text
}

// record is the part of summary.json that describes how a fit was made. Older fits do not have all fields.
type record struct {
	Version string                     `json:"version"`
	CPU     string                     `json:"cpu"`
	Command []string                   `json:"command"`
	Priors  map[string]string          `json:"priors"`
	Ranges  map[string][]finite.Number `json:"ranges"` // null means no bound
	Fixed   map[string]float64         `json:"fixed"`
	Data    struct {
		File    string             `json:"file"`
		SHA256  string             `json:"sha256"`
		Dropped map[string]int     `json:"dropped"` // number of dropped rows, by reason
		Omitted int                `json:"omitted"` // trials without response by the deadline
		Go      float64            `json:"go"`      // the only choice with a response; 0 for both
		Coding  map[string]float64 `json:"coding"`  // choices by the texts in the column of choices
	} `json:"data"`
}

// Range returns the range that a parameter was fitted in, "" if the record has none.
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

// readRecord reads the record. It ignores fields whose form differs from this version's.
func (f *fitted) readRecord(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := fit.CheckSum(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, to := range map[string]any{"version": &f.Record.Version, "cpu": &f.Record.CPU, "command": &f.Record.Command,
		"priors": &f.Record.Priors, "ranges": &f.Record.Ranges, "fixed": &f.Record.Fixed, "data": &f.Record.Data} {
		if value, ok := fields[name]; ok {
			json.Unmarshal(value, to) // values that cannot be read stay empty
		}
	}
	return nil
}
