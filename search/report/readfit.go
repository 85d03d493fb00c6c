package report

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
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
)

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
		if s.Record != nil && !s.PriorOnly {
			for _, text := range fit.CutWarnings(s.Data) {
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

// record is the part of summary.json that says how a fit was made; older fits lack some of it.
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
			json.Unmarshal(value, to) // what cannot be read stays empty
		}
	}
	return nil
}
