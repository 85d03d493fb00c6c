// Package problem prepares the input of a search or a polish: rows of trials with a teacher's log densities, the model's header, the
// loss over the rows, the rules of the evolution, and the expressions to start from.
package problem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/find/tree"
	"likc/search/study/bank"
	"likc/search/teach/gate"
)

// These are the values of Settings.Objective.
const (
	Paper    = "paper"
	Improved = "improved"
	Polish   = "polish"
	KL       = "kl"
)

// Settings determine a problem.
type Settings struct {
	Teacher string `flag:"teacher" default:"spline" value:"DIR" help:"DIR of a teacher, or the name of one that comes with likc"`
	Rows    string `flag:"rows" default:"search-rows" value:"BANK" help:"BANK of upper-boundary trials to score: a folder, or the name of one that comes with likc"`
	Header  string `flag:"header" value:"MODEL" help:"MODEL that the expressions are of: its parameters, ranges, support and reflection (default: the teacher's)"`
	Ungated bool   `flag:"ungated" help:"take a teacher that has not passed its gate; the front says so"`

	Objective string  `flag:"objective" default:"improved" one:"paper,improved,kl" help:"improved: robust distance up to a constant, recovery from both boundaries and of all parameters at once; paper; or kl: divergence from the teacher, for densities"`
	Lambda    float64 `flag:"lambda" default:"1" in:"[0,1e+06]" help:"weight of recovery in the loss"`
	Subjects  int     `flag:"subjects" default:"300" in:"[2,5000]" help:"subjects that recovery is measured on"`
	NonFinite string  `flag:"nonfinite" default:"role" help:"role: a value that is not finite rejects the formula on a row of the data, but only the grid point in the proxy of recovery; reject: it rejects the formula everywhere, as in PySR"`
	Single    bool    `flag:"single" help:"evaluate in single precision: faster, with losses that differ by about 1e-6 of themselves"`

	Preset      string   `flag:"preset" default:"likc" help:"likc or pysr: settings of the evolution"`
	Operators   []string `flag:"operators" list:"comma" help:"operators, as add,sub,mul,div,exp (default: + - * / exp log sqrt square)"`
	MaxSize     int      `flag:"max-size" in:"[1,1000000]" want:"1 or more" help:"most nodes of an expression (default: the preset's, 50)"`
	Seed        uint64   `flag:"seed" default:"1" help:"seed: with --evals, the same one gives the same bytes"`
	Evaluations int64    `flag:"evals" in:"[1,1000000000000]" want:"1 or more, at most 1000000000000" help:"full evaluations to spend (default 1000000 without --time)"`
	Guesses     []string `flag:"guess" value:"EXPR" help:"EXPR among the first members of every population; the front says so"`
	Constants   bool     `flag:"constants" help:"draw numbers too and fit them, with --objective kl"`
}

// MostLambda is the largest allowed weight of recovery.
const MostLambda = 1e6

// Problem is the input of a search or a polish.
type Problem struct {
	Header    *expr.Model // the model without its log density
	Loss      Loss
	Evolution evolve.Settings
	Guesses   []tree.Tree
	From      []tree.Tree // expressions found by earlier searches
	Identity  Identity
	Settings  Settings

	process *ssm.Model // the process whose density the expressions approximate
}

// Loss is the quantity that a search minimises: an [objective.Loss] or a [likc/search/find/divergence.Loss].
type Loss interface {
	evolve.Objective
	evolve.Strict
	Columns() (heads []string, verb string)     // headings of the figures that listings show of an expression, and the figures' format
	Figures(terms []float64) (values []float64) // the figures, computed from the terms of a score
}

// Find returns the folder of a teacher or a bank by its name.
type Find func(name string) (folder string, err error)

// Open reads the teacher and the rows, scores the rows and prepares the loss. An error caused by one setting is an [*Error].
func Open(ctx context.Context, s Settings, find Find) (*Problem, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p := &Problem{Settings: s, Identity: Identity{Guesses: s.Guesses}}
	t, err := p.openTeacher(find)
	if err != nil {
		return nil, err
	}
	b, err := p.openRows(find, t)
	if err != nil {
		return nil, err
	}
	if p.Identity.Header = s.Header; s.Header == "" {
		p.Identity.Header = t.Record.Model
	}
	if p.process = t.Simulator; p.Identity.Header != t.Record.Model {
		p.process, err = ssm.Lookup(p.Identity.Header)
	}
	if err == nil {
		p.Header, err = catalog.Headers(p.process.Name, p.process.Text)
	}
	if err != nil {
		return nil, &Error{"header", true, err}
	}
	p.Header.LogLik = expr.Num(0) // headers have no log density
	if s.Objective == KL {
		err = p.newDivergence(t, b)
	} else {
		err = p.newLoss(ctx, score(t, b))
	}
	if err != nil {
		return nil, err
	}
	if err := p.evolve(); err != nil {
		return nil, err
	}
	return p, p.guess()
}

// check returns an error for settings that do not determine a problem.
func (s *Settings) check() error {
	switch {
	case !(s.Lambda >= 0 && s.Lambda <= MostLambda):
		return &Error{"lambda", true, fmt.Errorf("%v: want a weight from 0 to %g", s.Lambda, MostLambda)}
	case s.Objective != Paper && s.Objective != Improved && s.Objective != Polish && s.Objective != KL:
		return &Error{"objective", true, fmt.Errorf("%s: want %s, %s or %s", s.Objective, Paper, Improved, KL)}
	case s.Objective == KL && s.Lambda != 0:
		return &Error{"lambda", true, fmt.Errorf("%v: the objective %s has no weight of recovery: want 0", s.Lambda, KL)}
	case s.Constants && s.Objective != KL:
		return &Error{"constants", true, fmt.Errorf("true: the objective %s fits no constants: want the objective %s", s.Objective, KL)}
	case s.NonFinite != objective.Role && s.NonFinite != objective.Reject:
		return &Error{"nonfinite", true, fmt.Errorf("%s: want %s or %s", s.NonFinite, objective.Role, objective.Reject)}
	}
	return nil
}

// openTeacher opens the teacher. Unless Ungated is set, it refuses a teacher that has not passed its gate with these weights.
func (p *Problem) openTeacher(find Find) (*neural.Teacher, error) {
	name := p.Settings.Teacher
	folder, err := find(name)
	if err != nil {
		return nil, &Error{"teacher", false, fmt.Errorf("%s: %w", name, err)}
	}
	t, err := neural.Open(folder)
	if err != nil {
		return nil, err
	}
	p.Identity.Teacher = t.Sum
	report, err := gate.Admitted(name, t)
	switch {
	case err == nil:
		p.Identity.Gate = report.Verdict()
	case !p.Settings.Ungated:
		return nil, &Error{"teacher", false, fmt.Errorf("%w: %w", err, ErrNotAdmitted)}
	case t.Gate == nil:
		p.Identity.Gate = "ungated: not examined"
	default:
		p.Identity.Gate = "ungated: does not pass"
	}
	return t, nil
}

// openRows opens the bank of rows. The bank must be for searches, and of the teacher's process.
func (p *Problem) openRows(find Find, t *neural.Teacher) (*bank.Bank, error) {
	name := p.Settings.Rows
	folder, err := find(name)
	if err != nil {
		return nil, &Error{"rows", false, fmt.Errorf("%s: %w", name, err)}
	}
	b, err := bank.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := searchable(b); err != nil {
		return nil, &Error{"rows", b.Settings.Role != bank.SearchRows, fmt.Errorf("%s: %w", name, err)}
	}
	if err := b.Settings.CheckModel(name, t.Record.Model, t.Record.Text); err != nil {
		return nil, &Error{"rows", false, err}
	}
	p.Identity.Rows = b.Settings
	return b, nil
}

// evolve sets the rules of the evolution.
func (p *Problem) evolve() error {
	s := &p.Settings
	e, err := evolve.Preset(s.Preset)
	if err != nil {
		return &Error{"preset", true, fmt.Errorf("%s: want %s", s.Preset, strings.Join(evolve.Presets, " or "))}
	}
	e.Seed, e.Operators, e.Budget = s.Seed, s.Operators, s.Evaluations
	if s.Objective == KL {
		p.evolveDensities(&e)
	}
	if s.MaxSize != 0 {
		symbols := p.Loss.Symbols()
		least := 2*len(symbols) - 1
		if s.MaxSize < least {
			return &Error{"max-size", true, fmt.Errorf("%d: an expression with all of %s has at least %d nodes", s.MaxSize, strings.Join(symbols, ", "), least)}
		}
		if s.MaxSize > evolve.MostNodes {
			return &Error{"max-size", true, fmt.Errorf("%d: want %d to %d", s.MaxSize, least, evolve.MostNodes)}
		}
		e.MaxSize, e.StartSize = s.MaxSize, min(s.MaxSize, e.StartSize)
	}
	p.Evolution, p.Identity.Evolution = e, e
	if err := e.Check(); err != nil {
		return &Error{"", true, err}
	}
	return nil
}

// Parse returns an expression with the problem's symbols.
func (p *Problem) Parse(text string) (tree.Tree, error) {
	m, err := syntax.ParseExpr(text, p.Header)
	if err != nil {
		return tree.Tree{}, err
	}
	return tree.FromExpr(m.LogLik, p.Loss.Symbols())
}

// guess parses the guesses.
func (p *Problem) guess() error {
	for _, text := range p.Settings.Guesses {
		t, err := p.Parse(text)
		if err != nil {
			return &Error{"guess", true, fmt.Errorf("%s: %w", text, err)}
		}
		p.Guesses = append(p.Guesses, t)
	}
	return nil
}

// StartFrom sets the expressions of earlier searches from which the search starts.
func (p *Problem) StartFrom(lines []front.Line) error {
	sum := sha256.New()
	for i := range lines {
		l := &lines[i]
		t, err := p.Parse(l.Expr)
		if err != nil {
			return &Error{"", true, fmt.Errorf("%s: %s: %w", l.Where(), l.Expr, err)}
		}
		p.From = append(p.From, t)
		fmt.Fprintln(sum, l.Expr)
	}
	if len(p.From) > 0 {
		p.Identity.From = &Origin{len(p.From), hex.EncodeToString(sum.Sum(nil))}
	}
	return nil
}
