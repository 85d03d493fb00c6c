// Package problem sets up what a search and a polish work on: rows of trials that a teacher has scored, the header that
// expressions are completed by, the loss over the rows, the rules of the evolution, and the expressions to start from.
package problem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/neural"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/find/tree"
	"likc/search/study/bank"
	"likc/search/teach/gate"
)

// Values of Settings.Objective.
const (
	Paper    = "paper"
	Improved = "improved"
	Polish   = "polish"
	KL       = "kl"
)

// Settings choose a problem.
type Settings struct {
	Teacher string // a folder, or a name that find knows
	Rows    string // a bank of upper-boundary trials, likewise
	Header  string // process that expressions are of: parameters, ranges, support, reflection; "": the teacher's
	Ungated bool   // take a teacher that has not passed its gate

	Objective string  // Paper, Improved, Polish or KL
	Lambda    float64 // weight of recovery in the loss; 0 with KL
	Subjects  int     // that recovery is measured on, with Polish
	NonFinite string  // as in objective.Settings
	Single    bool    // as in objective.Settings

	Preset      string   // of the evolution
	Operators   []string // nil: the preset's
	MaxSize     int      // most nodes of an expression; 0: the preset's
	Seed        uint64
	Evaluations int64    // budget; 0: none
	Guesses     []string // expressions among the first members of every population
	Constants   bool     // draw constants and fit them, with KL
}

// MostLambda is the largest weight of recovery that is accepted.
const MostLambda = 1e6

// Problem is what a search or a polish works on.
type Problem struct {
	Header    *expr.Model // without a log density
	Loss      Loss
	Evolution evolve.Settings
	Guesses   []tree.Tree
	From      []tree.Tree // expressions of earlier searches
	Identity  Identity
	Settings  Settings
}

// Loss is what a search minimises: an [objective.Loss] or a [likc/search/find/divergence.Loss].
type Loss interface {
	evolve.Objective
	evolve.Strict
	Columns() (heads []string, verb string)     // of the figures that listings show of an expression, and how they are written
	Figures(terms []float64) (values []float64) // from the terms of a score
}

// Find returns the folder of a teacher or a bank by its name.
type Find func(name string) (folder string, err error)

// Open reads the teacher and the rows, scores the rows and sets up the loss. An error that is due to one setting is an
// [*Error].
func Open(s Settings, find Find) (*Problem, error) {
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
	if p.Header, err = catalog.Header(p.Identity.Header); err != nil {
		return nil, &Error{"header", true, err}
	}
	p.Header.LogLik = expr.Num(0) // headers have none
	if s.Objective == KL {
		err = p.newDivergence(t, b)
	} else {
		err = p.newLoss(score(t, b))
	}
	if err != nil {
		return nil, err
	}
	if err := p.evolve(); err != nil {
		return nil, err
	}
	return p, p.guess()
}

// check refuses settings that make no problem.
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

// openTeacher opens the teacher. It refuses one that has not passed its gate with these weights, unless that is allowed.
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

// openRows opens the bank of rows, which must be for searches and of the teacher's process.
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
	if t.Record.Model != b.Settings.Model {
		return nil, &Error{"rows", false, fmt.Errorf("%s: of the model %s, but the teacher is of %s", name, b.Settings.Model, t.Record.Model)}
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

// Parse returns an expression over the problem's symbols.
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

// StartFrom takes the expressions of earlier searches to start from.
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
