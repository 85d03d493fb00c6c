// Package text prints the log density of one trial in languages such as Stan, R and Python. Unlike the Go and C emitters it
// prints the model's expression and not a compiled program. The function returns -Inf outside the support, and substitutes
// parameters at the lower boundary. A language is a column of spellings in the operator table, a row of [languages] and a
// template.
package text

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/DataDog/datadog-agent/pkg/template/text"

	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/templates"
)

// Emitter prints a model in one target language.
type Emitter struct{ Target expr.Target }

var _ emit.Emitter = Emitter{}

// Targets lists the targets that this package prints.
func Targets() []expr.Target {
	var list []expr.Target
	for _, t := range expr.Targets() {
		if languages[t] != nil {
			list = append(list, t)
		}
	}
	return list
}

// fileName matches a name that is valid as a file name and as the beginning of a function's name in every target language.
var fileName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// Emit prints one file, named by the configuration's package. It prints the configuration's model; the program is not used.
func (e Emitter) Emit(_ *ir.Program, cfg emit.Config) ([]emit.File, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	lang := languages[e.Target]
	if !fileName.MatchString(cfg.Package) {
		return nil, fmt.Errorf("package %q: not a name of letters A to Z, digits and underscores", cfg.Package)
	}
	p, err := newPage(cfg, e.Target, lang)
	if err != nil {
		return nil, err
	}
	t, err := template.New("").Funcs(functions).Parse(templates.Text("text/" + string(e.Target) + ".txt"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if p.Binding != nil {
		t = t.Lookup("binding")
	}
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	return []emit.File{{Name: cfg.Package + lang.ending, Data: b.Bytes()}}, nil
}

// functions are the functions that templates call. Templates call no methods.
var functions = template.FuncMap{"join": strings.Join, "comment": comment, "each": each, "called": called, "passing": passing, "next": next}

// header returns the lines at the top of the file: the model as its author wrote it, with comments and integrals, where its text is
// known.
func header(cfg emit.Config, m *expr.Model) []string {
	cfg.Simplified = "" // the file has the expression as written
	if cfg.Text == "" {
		return cfg.Header(cfg.Formula(m.Name))
	}
	return cfg.Header(append(strings.Split(strings.TrimSpace(cfg.Text), "\n"), ""))
}

// comment returns lines as comments, each after a mark. They are ASCII, because not every parser of Stan reads more.
func comment(mark string, lines []string) string {
	var list []string
	for _, line := range lines {
		list = append(list, strings.TrimRight(mark+" "+ascii(line), " "))
	}
	return strings.Join(list, "\n")
}

// ascii replaces what is not ASCII: a question mark stands for a character without a spelling.
func ascii(line string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '?'
		}
		return r
	}, spelled.Replace(line))
}

var spelled = strings.NewReplacer("−", "-", "±", "+-", "·", "*", "τ", "tau", "σ", "sigma", "√", "sqrt ", "²", "^2", "–", "-", "…", "...", "ä", "ae",
	"ö", "oe", "ü", "ue", "é", "e", "θ", "theta", "λ", "lambda", "μ", "mu", "ξ", "xi", "π", "pi", "Φ", "Phi", "φ", "phi", "∞", "inf", "≤", "<=", "≥", ">=", "×", "x")

// each puts a prefix before every word.
func each(prefix string, words []string) []string {
	var list []string
	for _, w := range words {
		list = append(list, prefix+w)
	}
	return list
}

// next returns i + 1, for languages that count from 1.
func next(i int) int { return i + 1 }

// called returns a copy of the page in which the density's function has the name.
func called(name string, p *page) *page {
	other := *p
	other.Function = name
	return &other
}

// passing returns a copy of the page for a call of a function for many trials, after whose columns and choice these arguments come.
func passing(name, tail string, p *page) *page {
	other := *called(name, p)
	other.Tail = tail
	return &other
}

// page holds the values that a template uses. All texts are in the target language.
type page struct {
	Name, Model    string
	Header         []string // lines of the comment at the top of the file
	Columns        []string // trial columns
	Choice         string   // "" without one
	Last           int      // the last of numbered choices; 0 for two boundaries
	Params         []string // in the model's order
	Ranges         []string // "v in [-3, 3]"
	Missing        []string // such as "ssd = 1000": the value that stands for an empty cell of a column
	All            []string // columns, choice, parameters
	LogZ           *bound   // the log of the integral of a normalised model, as a function of the parameters; else nil
	Lower          []bound  // values of the parameters that change at the lower boundary
	Lets           []bound
	Support        []string // conditions
	LogLik         string
	Integrals      []integral // functions that LogLik, Lets and gradients call
	Grad, LogZGrad *gradient  // the log density and log Z with their gradients; nil where the target has none
	Bodies         []string   // definitions that the operators need

	Each   *page // the same density of many trials: columns are vectors; nil where the target or an operator has none
	Vector bool  // whether LogLik of Each depends on the trials at all

	Codes    []string     // the codes of the choices
	Function string       // the name of the function that the density's template prints
	Tail     string       // further arguments of a call
	Returns  string       // the value that the function returns, in English
	Binding  *bindingPage // the binding function of a model that has one, else nil; with one, the fields from Lower to LogLik are empty
}

// bound is a name with its value. Param is the parameter that it replaces at the lower boundary, if any, and Slopes the name of its
// derivatives, if they have one.
type bound struct {
	Name, Param, Value, Slopes string
	Vector                     bool // the value is a vector, with an element for each trial
}

// maxNodes is the largest number of nodes that are printed. A graph of a few shared nodes can be a text of astronomical length.
const maxNodes = 20_000

// newPage returns the values that the template of a language uses. It fails if the language cannot express the model.
func newPage(cfg emit.Config, target expr.Target, lang *language) (*page, error) {
	p, err := printPage(cfg, target, lang, false)
	if err != nil || !lang.vectors || cfg.Binding != nil || len(p.Columns) == 0 {
		return p, err
	}
	each, err := printPage(cfg, target, lang, true)
	if errors.Is(err, errElementwise) {
		return p, nil
	}
	p.Each = each
	return p, err
}

// printPage returns the values for functions of one trial or, with vectors, of many.
func printPage(cfg emit.Config, target expr.Target, lang *language, vectors bool) (*page, error) {
	m, names := cfg.Model, plan.NewNames(lang.style(target, lang.function(cfg.Package)))
	var tables []expr.Table
	if cfg.Looped != nil {
		m, tables = cfg.Looped, cfg.Looped.Looped.Tables
	}
	p := &page{Name: lang.function(cfg.Package), Model: m.Name, Header: header(cfg, m), Returns: "the log density of a trial"}
	w := &writer{target: target, lang: lang, most: maxNodes, symbols: map[string]string{}, named: map[*expr.Expr]string{}, inner: map[*expr.Expr]string{},
		integrals: &integrals{stem: p.Name, tables: tables, names: names, calls: map[*expr.Expr]integral{}, known: map[string]string{}}}
	if vectors {
		w.vectors = &elementwise{m.Trials, map[*expr.Expr]bool{}}
	}
	p.declare(m, names, w)
	if cfg.Binding != nil {
		return p, p.bind(cfg, target, lang, w)
	}
	if m.LogZ != nil && !lang.substitutes && !lang.vectors { // the integral of a language with vectors comes with a binding function
		value := w.text(m.LogZ)
		p.LogZ = &bound{Name: names.Declare("log_z"), Value: value}
		w.named[m.LogZ] = p.LogZ.Name
	}
	arguments, given := names.Inner(), maps.Clone(w.symbols)
	reflected := map[string]string{}
	for _, a := range m.Lower {
		b := bound{Name: names.Declare(a.Param), Param: w.symbols[a.Param], Value: w.text(a.Value)}
		p.Lower, reflected[a.Param] = append(p.Lower, b), b.Name
	}
	if lang.substitutes {
		reflected = nil
	}
	maps.Copy(w.symbols, reflected)
	for _, s := range m.Support { // conditions come before lets, because lets may be undefined outside the support
		p.Support = append(p.Support, w.outside(s))
	}
	always, under := outsideBranches(m.LogLik), guards(m.LogLik)
	for _, l := range m.Lets {
		if w.named[l.Value] != "" || len(l.Value.Args) == 0 {
			continue
		}
		if lang.arrays && !always[l.Value] {
			w.inner[l.Value] = names.Declare(l.Name)
			continue
		}
		value := w.guarded(l.Value, under[l.Value])
		w.named[l.Value] = names.Declare(l.Name)
		p.Lets = append(p.Lets, bound{Name: w.named[l.Value], Value: value, Vector: w.vectors.isVector(l.Value)})
	}
	if p.Vector = w.vectors.isVector(m.LogLik); vectors {
		p.Lets = append(p.Lets, w.shareOutsideBranches(m.LogLik)...)
	}
	p.LogLik = w.text(m.LogLik)
	p.Bodies, p.Integrals = w.bodies, w.integrals.all
	if w.err != nil || lang.index == nil {
		return p, w.err
	}
	w.symbols = given
	return p, p.differentiate(m, arguments, w)
}

// outsideBranches returns the nodes of an expression that are evaluated whatever the conditions of its ifs are. A let of another node is
// written within the branches that use it, because its derivative may be undefined where these branches are not taken.
func outsideBranches(e *expr.Expr) map[*expr.Expr]bool {
	seen := map[*expr.Expr]bool{}
	var visit func(e *expr.Expr)
	visit = func(e *expr.Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		args := e.Args
		if e.Op == expr.If {
			args = args[:1]
		}
		for _, a := range args {
			visit(a)
		}
	}
	visit(e)
	return seen
}

// declare chooses identifiers for the trial columns, the choice and the parameters.
func (p *page) declare(m *expr.Model, names *plan.Names, w *writer) {
	take := func(name string) string {
		w.symbols[name] = names.Declare(name)
		p.All = append(p.All, w.symbols[name])
		return w.symbols[name]
	}
	for _, name := range m.Trials {
		p.Columns = append(p.Columns, take(name))
	}
	if m.Choice != "" {
		p.Choice, p.Last = take(m.Choice), max(0, m.Choices-1)
		p.Codes = w.lang.numbers(m.Codes())
	}
	for _, name := range append(slices.Clone(m.Trials), m.Choice) {
		if x, ok := m.Missing[name]; ok {
			p.Missing = append(p.Missing, fmt.Sprintf("%s = %v", w.symbols[name], x))
		}
	}
	for _, q := range m.Params {
		p.Params = append(p.Params, take(q.Name))
		p.Ranges = append(p.Ranges, fmt.Sprintf("%s in [%v, %v]", w.symbols[q.Name], q.Lower, q.Upper))
	}
}
