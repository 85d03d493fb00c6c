package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"likc/compiler/facts"
	"likc/compiler/simplify"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/model/timing"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
	"likc/search/study/sweep"
	"likc/search/teach/gate"
	"likc/search/work/recipe"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

// page is what the template shows. Parts that the run does not have are nil.
type page struct {
	Name, Code  string
	Style       template.CSS
	Recipe      recipe.Recipe
	Paper       paper
	Done        []string // sentences on the work that was done
	Missing     []string // units that are not done
	Gate        *gate.Report
	Sweep       *sweep.Result
	Pairs       []pair // rows of λ beside the paper's
	Ungrouped   *sweep.Row
	Figures     []template.HTML
	Proxy       template.HTML // the search's proxy against the judge's findings
	ByScreen    []screenRow
	By          string // the folder of the sweep that stands for the run's own; "" for none
	Legend      []legend
	Top         []best
	Models      []*judge.Verdict // judged beside the fronts
	Calibrated  []*judge.Verdict
	Honest      int // calibrated models that are honest
	Holdout     []*judge.Verdict
	HoldoutPlot []template.HTML
	PairPlots   []template.HTML // plots of the best formula, the teacher and the exact density against each other
	Checks      []check
	Applied     []study
	Compiled    []facts.Facts
	Speed       []timing.Row
	Assumed     []string
	Units       []unit
	Headline    headline
}

// headline has the counts and the best expression at the top of the page.
type headline struct {
	Searches, Expressions, Recover int
	Compared, Honest, Undecided    int // expressions compared with a reference; the honest ones among them; those that more subjects would decide on
	Best                           *sweep.Expression
	HeldOut                        float64 // weakest correlation on held-out subjects; NaN without them
}

// pair is a row of λ, ours or the paper's.
type pair struct {
	Row       sweep.Row
	Paper     bool
	Ungrouped bool // whether searches learnt from rows of which each has parameters of its own
}

// best is one of the best expressions.
type best struct {
	sweep.Expression
	Rank           int
	Formula        template.HTML // in canonical form
	SimplifiedSize int           // nodes; 0 if it cannot be told
	Weakest        finite.Number // correlation on held-out subjects
	KS             finite.Number // median distance between observed and predicted times
}

// unit is a unit's record for the list at the end.
type unit struct{ Name, Command, Key string }

// Write writes the page of a run, or of the folder of a sweep. Unless it is "", sweepDir is the folder of a sweep to show in place of the
// run's own: it has the same verdicts and further comparisons.
func Write(w io.Writer, dir, sweepDir string) error {
	r, err := open(dir)
	if err != nil {
		return err
	}
	r.sweepAt = sweepDir
	return write(w, r)
}

// WriteSweep writes the page of the folder of a sweep.
func WriteSweep(w io.Writer, dir string) error {
	r, err := openSweep(dir)
	if err != nil {
		return err
	}
	return write(w, r)
}

func write(w io.Writer, r *run) (err error) {
	p := &page{Name: r.listing.Pipeline, Recipe: r.recipe, Style: template.CSS(style), Headline: headline{HeldOut: math.NaN()}}
	if p.Paper, err = readPaper(); err != nil {
		return err
	}
	for _, part := range []func(*run) error{p.gate, p.judged, p.calibrated, p.sweep, p.holdout, p.best, p.checks, p.applied, p.compiler, p.provenance} {
		if err := part(r); err != nil {
			return err
		}
	}
	p.done()
	p.assumed()
	p.Paper = p.Paper.on(p.Recipe.Model)
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// functions of the template: numbers as they are read in a table.
var functions = template.FuncMap{
	"percent": func(x float64) string { return fixed(100*x, 1) + " %" },
	"share":   share,
	"whole":   func(x float64) string { return fixed(x, 0) },
	"r":       func(x any) string { return correlation(x) },
	"number":  func(x any) string { return general(x) },
	"fixed":   func(digits int, x any) string { return fixed(toFloat(x), digits) },
	"lambda":  func(x any) string { return general(x) },
	"value": func(x *float64) string {
		if x == nil {
			return "–"
		}
		return general(*x)
	},
	"microseconds": func(ns float64) float64 { return ns / 1000 },
	"signed":       signed,
	"honest": func(v honesty.Verdict, subjects int) string {
		switch {
		case v == "":
			return "–"
		case subjects > 0:
			return fmt.Sprintf("%s: %d subjects would decide", v, subjects)
		}
		return string(v)
	},
	"canonical":  func(text, model string) template.HTML { formula, _ := canonical(text, model); return formula },
	"simplified": func(text, model string) int { _, size := canonical(text, model); return size },
	"join":       strings.Join,
	"quoted":     quoted,
}

// share is a share in percent, a dash for one that is not defined.
func share(x finite.Number) string {
	if math.IsNaN(float64(x)) {
		return "–"
	}
	return fixed(100*float64(x), 1) + " %"
}

// plain is an argument that a shell leaves as it is.
var plain = regexp.MustCompile(`^[\w./:=,@%+-]+$`)

// quoted writes an argument of a command as a shell takes it.
func quoted(arg string) string {
	if plain.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func toFloat(x any) float64 {
	switch v := x.(type) {
	case float64:
		return v
	case finite.Number:
		return float64(v)
	case int:
		return float64(v)
	}
	return math.NaN()
}

func fixed(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

// correlation has no leading zero, as psychologists write it.
func correlation(x any) string {
	return strings.Replace(fixed(toFloat(x), 2), "0.", ".", 1)
}

func general(x any) string {
	v := toFloat(x)
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", "−", 1)
}

// signed has its sign even above 0.
func signed(digits int, x any) string {
	text := fixed(toFloat(x), digits)
	if toFloat(x) > 0 {
		text = "+" + text
	}
	return text
}

// canonical typesets an expression of a model's header in canonical form, and counts that form's nodes; it gives the text
// and 0 where it cannot be parsed.
func canonical(text, model string) (template.HTML, int) {
	header, err := catalog.Header(model)
	if err == nil {
		if m, err := syntax.ParseExpr(text, header); err == nil {
			m, _ = simplify.Model(m, simplify.Options{})
			return Formula(m.LogLik), m.LogLik.Size()
		}
	}
	return template.HTML("<code>" + template.HTMLEscapeString(text) + "</code>"), 0
}

// provenance lists the units.
func (p *page) provenance(r *run) error {
	for _, u := range r.listing.Units {
		record := r.records[u.Name]
		switch {
		case record != nil:
			var lines []string
			for _, s := range record.Steps {
				lines = append(lines, "likc "+strings.Join(s.Args, " "))
			}
			p.Units = append(p.Units, unit{u.Name, strings.Join(lines, "; "), record.Key[:12]})
			p.Code = record.Code
		case u.Stage != "report":
			p.Missing = append(p.Missing, u.Name)
		}
	}
	if len(p.Code) > 20 {
		p.Code = p.Code[:20]
	}
	return nil
}
