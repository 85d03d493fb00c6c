package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"likc/compiler/syntax"
	"likc/search/front"
	"likc/search/judge"
	"likc/search/recipe"
	"likc/search/sweep"
	"likc/search/teacher/gate"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

//go:embed paper.json
var paperText []byte

// page is what the template shows. Parts that the run does not have are nil.
type page struct {
	Name, Code  string
	Style       template.CSS
	Recipe      recipe.Recipe
	Paper       paper
	Done        []string // what was done, in sentences
	Missing     []string // units that are not done
	Gate        *gate.Report
	Sweep       *sweep.Result
	Pairs       []pair // rows of λ beside the paper's
	Figures     []template.HTML
	Legend      []legend
	Top         []best
	Models      []*judge.Verdict // judged beside the fronts
	Holdout     []*judge.Verdict
	HoldoutPlot []template.HTML
	Checks      []check
	Compiled    []compiled
	Speed       []speed
	Assumed     []string
	Units       []unit
	Headline    headline
}

// headline is what one wants to know first.
type headline struct {
	Searches, Expressions, Recover int
	Best                           *sweep.Expression
	HeldOut                        float64 // NaN without
}

// pair is a row of λ, ours or the paper's.
type pair struct {
	Row   sweep.Row
	Paper bool
}

// paper are the paper's figures.
type paper struct {
	Lambda []sweep.Row `json:"lambda"`
	Top    []struct {
		Name    string             `json:"name"`
		Lambda  float64            `json:"lambda"`
		Size    int                `json:"size"`
		MSE     float64            `json:"mse"`
		R       map[string]float64 `json:"r"`
		HeldOut float64            `json:"held_out"`
	} `json:"top"`
	HeldOut []struct {
		Name        string             `json:"name"`
		R           map[string]float64 `json:"r"`
		Rhat        int                `json:"rhat"`
		Divergences int                `json:"divergences"`
	} `json:"held_out"`
	Gate []struct {
		Name      string   `json:"name"`
		Value     float64  `json:"value"`
		Threshold *float64 `json:"threshold"`
	} `json:"gate"`
	Speed []paperSpeed `json:"speed"`
}

// paperSpeed is a row of the paper's times, in milliseconds.
type paperSpeed struct {
	N        int     `json:"n"`
	Value    float64 `json:"value"`
	Gradient float64 `json:"gradient"`
}

// Microseconds is the time of value and gradient.
func (s paperSpeed) Microseconds() float64 { return 1000 * s.Gradient }

// best is one of the best expressions.
type best struct {
	sweep.Expression
	Rank    int
	Formula template.HTML
	HeldOut front.Number
}

// unit is a unit's record for the list at the end.
type unit struct{ Name, Command, Key string }

// Write writes the page of a run.
func Write(w io.Writer, dir string) error {
	r, err := open(dir)
	if err != nil {
		return err
	}
	p := &page{Name: r.listing.Pipeline, Recipe: r.recipe, Style: template.CSS(style), Headline: headline{HeldOut: math.NaN()}}
	if err := json.Unmarshal(paperText, &p.Paper); err != nil {
		return err
	}
	for _, part := range []func(*run) error{p.gate, p.sweep, p.judged, p.holdout, p.best, p.checks, p.compiler, p.provenance} {
		if err := part(r); err != nil {
			return err
		}
	}
	p.done(r)
	p.assumed()
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// functions of the template: numbers as they are read in a table.
var functions = template.FuncMap{
	"percent": func(x float64) string { return fixed(100*x, 1) + " %" },
	"whole":   func(x float64) string { return fixed(100*x, 0) + " %" },
	"r":       func(x any) string { return correlation(x) },
	"number":  func(x any) string { return general(x) },
	"fixed":   func(digits int, x float64) string { return fixed(x, digits) },
	"lambda":  func(x any) string { return general(x) },
	"value": func(x *float64) string {
		if x == nil {
			return "–"
		}
		return general(*x)
	},
	"formula": typesetText,
	"join":    strings.Join,
}

func toFloat(x any) float64 {
	switch v := x.(type) {
	case float64:
		return v
	case front.Number:
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

// typesetText typesets an expression of a model's header; as text where it cannot be parsed.
func typesetText(text, model string) template.HTML {
	header, err := front.Header(model)
	if err == nil {
		if m, err := syntax.ParseExpr(text, header); err == nil {
			return Formula(m.LogLik)
		}
	}
	return template.HTML("<code>" + template.HTMLEscapeString(text) + "</code>")
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

// done says in sentences what the run did, with its settings.
func (p *page) done(r *run) {
	add := func(format string, args ...any) { p.Done = append(p.Done, fmt.Sprintf(format, args...)) }
	if t := p.Recipe.Teacher; t != nil && t.Path != "" {
		add("A neural likelihood of the %s model, trained earlier (%s), was the teacher.", p.Recipe.Model, t.Path)
	} else if t != nil {
		add("A neural likelihood of the %s model (%s) was trained on simulated trials; it is the teacher.", p.Recipe.Model, t.Kind)
	}
	if s := p.Recipe.Search; s != nil {
		budget := "of " + s.Time + " each"
		if s.Evals > 0 {
			budget = fmt.Sprintf("of %s evaluations each", thousands(s.Evals))
		}
		add("Symbolic regression looked for short formulas close to the teacher: %d independent searches for each of %d weights λ of the recovery term, %s.",
			s.Seeds, len(s.Lambda), budget)
	}
	if j := p.Recipe.Judge; j != nil && p.Sweep != nil {
		add("Every formula that a search ended with was used as the likelihood in Bayesian fits (NUTS) of simulated subjects with known parameters. It recovers a parameter if the posterior means correlate with the truth above %g and fewer than %g %% of them lie at a bound.",
			judge.LeastR, 100*judge.MostEdge)
	}
	if h := p.Recipe.Holdout; p.Holdout != nil && h.Bank != p.Recipe.Judge.Bank {
		add("The best formulas were then fitted once to %d further subjects that no other step had seen.", p.Holdout[0].Subjects)
	} else if p.Holdout != nil {
		add("The best formulas were then fitted again to the %d subjects that had ranked them: this run has no others.", p.Holdout[0].Subjects)
	}
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
