package report

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/compiler/facts"
	"likc/compiler/simplify"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/model/timing"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/search/study/judge"
	"likc/search/study/sweep"
	"likc/search/teach/gate"
	"likc/search/work/recipe"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

// page is the data of the template. Parts that the run does not have are nil.
type page struct {
	Name, Code  string
	Style       template.CSS
	Recipe      recipe.Recipe
	Paper       paper
	Done        []string // sentences on the work that was done
	Missing     []string // names of units that are not done
	Gate        *gate.Report
	Sweep       *sweep.Result
	Pairs       []pair          // rows of λ with the paper's
	Ungrouped   *sweep.Row      // the row of the searches on ungrouped rows
	Figures     []template.HTML // the charts of the sweep
	Proxy       template.HTML   // the search's proxy against the judge's result
	ByScreen    []screenRow     // the screen compared with NUTS
	By          string          // folder of the sweep that is shown in place of the run's own; "" for none
	Legend      []legend
	Top         []best           // the best expressions
	Models      []*judge.Verdict // verdicts on further models
	Calibrated  []*judge.Verdict // verdicts on calibrated models
	Honest      int              // number of calibrated models that are honest
	Holdout     []*judge.Verdict // verdicts on subjects that were not used for ranking
	HoldoutPlot []template.HTML  // truth against estimate of the best expression on these subjects
	PairPlots   []template.HTML  // plots that compare the best formula, the teacher and the exact density
	Checks      []check
	Applied     []study
	Compiled    []facts.Facts // the compiler's reports
	Speed       []timing.Row
	Assumed     []string // sentences on the assumptions behind the numbers
	Units       []unit
	Headline    headline
}

// headline holds the counts and the best expression at the top of the page.
type headline struct {
	Searches, Expressions, Recover int
	Compared, Honest, Undecided    int // numbers of expressions: compared with a reference; of these, honest; of these, undecided
	Best                           *sweep.Expression
	HeldOut                        float64        // weakest correlation on held-out subjects; NaN without them
	HeldOutBest                    *judge.Verdict // the formula that has it
}

// Coverage returns the smallest and the largest share of the 90 % intervals of a parameter that contain the truth, for the formula
// that is best on held-out subjects.
func (h *headline) Coverage() string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range h.HeldOutBest.Params {
		least, most = min(least, float64(p.Covered)), max(most, float64(p.Covered))
	}
	if low, high := fixed(100*least, 0), fixed(100*most, 0); low != high {
		return low + "–" + high + " %"
	}
	return fixed(100*least, 0) + " %"
}

// pair is a row of the table of λ, for this run or for the paper.
type pair struct {
	Row       sweep.Row
	Paper     bool
	Ungrouped bool // whether each row of the searches' data had its own parameters
}

// best is one of the best expressions.
type best struct {
	sweep.Expression
	Rank           int
	Formula        template.HTML // the formula, in canonical form
	SimplifiedSize int           // number of nodes; 0 if unknown
	Weakest        finite.Number // correlation on held-out subjects
	KS             finite.Number // median distance between observed and predicted times
}

// OtherRows reports whether the squared error of a formula of the run on other rows is known.
func (p *page) OtherRows() bool {
	return slices.ContainsFunc(p.Top, func(b best) bool { return b.Expression.HeldOut != nil })
}

// Distances reports whether the distance between observed and predicted times is known for a formula of the run.
func (p *page) Distances() bool {
	return slices.ContainsFunc(p.Top, func(b best) bool { return !math.IsNaN(float64(b.KS)) })
}

// ShortChains says what an R-hat above 1.01 means where a density that is no formula has it; "" if none has.
func (p *page) ShortChains() string {
	high := slices.ContainsFunc(p.Models, func(v *judge.Verdict) bool { return v.RhatHigh > 0 })
	if !high || p.Recipe.Judge == nil {
		return ""
	}
	chains, draws := p.Recipe.Judge.Sampled()
	return fmt.Sprintf("R-hat above 1.01 need not be a fault of a model. A fit of this run has %s of %s, and R-hat of so few draws is often above 1.01. "+
		"What counts is how the numbers compare between the models; likc judge --draws makes longer chains.", notation.Count(chains, "chain"), notation.Count(draws, "draw"))
}

// unit is a unit's record for the list at the end.
type unit struct{ Name, Command, Key string }

// Write writes the page of a run, or of the folder of a sweep. If sweepDir is not "", the page shows that sweep's folder instead of
// the run's own sweep; it must have the same verdicts, with further comparisons.
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
	t, err := template.New("page").Funcs(functions).Funcs(pageFunctions).Parse(pageText)
	if err != nil {
		return err
	}
	return writePage(w, t, p)
}

// functions are template functions that format numbers.
var functions = template.FuncMap{
	"percent": func(x float64) string { return fixed(100*x, 1) + " %" },
	"within": func(x float64, interval [2]float64) string {
		return fmt.Sprintf("%s [%s, %s] %%", fixed(100*x, 1), fixed(100*interval[0], 1), fixed(100*interval[1], 1))
	},
	"share":     share,
	"whole":     func(x float64) string { return fixed(x, 0) },
	"r":         func(x any) string { return correlation(x) },
	"number":    func(x any) string { return general(x) },
	"short":     func(x any) string { return significant(x, 2) }, // which fits a card
	"fixed":     func(digits int, x any) string { return fixed(toFloat(x), digits) },
	"lambda":    func(x any) string { return general(x) },
	"gateTitle": gateTitle,
	"value": func(x *float64) string {
		if x == nil {
			return "–"
		}
		return general(*x)
	},
	"small": func(x *float64) string {
		switch {
		case x == nil:
			return "–"
		case *x > 0 && *x < 1e-4:
			return "below 0.0001"
		}
		return significant(*x, 4)
	},
	"ranked":       ranked,
	"microseconds": func(ns float64) float64 { return ns / 1000 },
	"signed":       signed,
	"limits":       honesty.Limits,
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

// pageFunctions are template functions that only pages of runs need.
var pageFunctions = template.FuncMap{
	"thousandfold":  func(x float64) float64 { return 1000 * x },
	"mse":           func(b best) float64 { return b.MSE() },
	"coverage":      (*headline).Coverage,
	"sameSubjects":  (*page).SameSubjects,
	"otherRows":     (*page).OtherRows,
	"distances":     (*page).Distances,
	"fewSearches":   (*page).FewSearches,
	"manyJudges":    (*page).ManyJudges,
	"bestPredictor": (*page).BestPredictor,
	"refits":        (*page).Refits,
	"gain":          (*page).Gain,
	"disagreements": (*page).Disagreements,
	"shortChains":   (*page).ShortChains,
	"screenAlone":   screenRow.ScreenAlone,
	"nutsAlone":     screenRow.NUTSAlone,
	"agreement":     study.Of,
}

// share writes a share in percent, and a dash for an undefined one.
func share(x finite.Number) string {
	if math.IsNaN(float64(x)) {
		return "–"
	}
	return fixed(100*float64(x), 1) + " %"
}

// plain matches an argument that a shell does not change.
var plain = regexp.MustCompile(`^[\w./:=,@%+-]+$`)

// quoted writes an argument of a command, quoted for a shell if needed.
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

// fixed writes a number with a fixed number of decimals; a dash if it is not finite.
func fixed(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	unit := math.Pow(10, float64(digits))
	if math.Abs(x*unit) < 0.5 { // rounds to 0, which has no sign
		x = 0
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

// ranked names a formula of this run by its rank, as the page's list does. Other models keep their names.
func ranked(model string) string {
	if rank, of := strings.CutPrefix(model, "TOP:"); of {
		return "formula " + rank
	}
	return model
}

// correlation writes a correlation with two digits.
func correlation(x any) string {
	return fixed(toFloat(x), 2)
}

// general writes a number with four significant digits; a dash for NaN.
func general(x any) string { return significant(x, 4) }

// significant writes a number with some significant digits; a dash for NaN.
func significant(x any, digits int) string {
	v := toFloat(x)
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', digits, 64), "-", "−", 1)
}

// signed writes a number with its sign, even if it is positive.
func signed(digits int, x any) string {
	text := fixed(toFloat(x), digits)
	if toFloat(x) > 0 && strings.Trim(text, "0.") != "" {
		text = "+" + text
	}
	return text
}

// canonical typesets the canonical form of an expression over a model's header, and counts that form's nodes. If it cannot parse the
// expression, it returns the text and 0.
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

// provenance lists the units and their records.
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
