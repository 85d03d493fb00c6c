package find

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/compiler/expr"
	"likc/runtime/catalog"
	"likc/runtime/neural"
	"likc/search/bank"
	"likc/search/evolve"
	"likc/search/objective"
	"likc/search/teacher/gate"
	"runtime"
	"slices"
	"strings"

	postfix "likc/search/tree"
)

// problem is what a search is given.
type problem struct {
	header    *expr.Model
	loss      *objective.Loss
	evolution evolve.Settings
	guesses   []postfix.Tree
	from      []postfix.Tree
	identity  identity
}

// identity is all that a front depends on. The budget is part of it: the share that each epoch gives to an island depends
// on what is left of it.
type identity struct {
	Evolution evolve.Settings    `json:"evolution"`
	Objective objective.Settings `json:"objective"`
	Header    string             `json:"header"`
	Teacher   string             `json:"teacher"` // SHA-256 of its weights
	Gate      string             `json:"gate"`    // passed, or why not
	Rows      bank.Settings      `json:"rows"`
	Both      *bank.Settings     `json:"both,omitempty"`
	Guesses   []string           `json:"guesses,omitempty"`
	From      *origin            `json:"from,omitempty"`
	Climb     *evolve.Climb      `json:"climb,omitempty"` // of polish alone
}

// hash names the settings.
func (id identity) hash() string {
	text, err := json.Marshal(id)
	if err != nil {
		panic(fmt.Sprintf("search: settings have no JSON: %v", err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// problem reads teacher and rows and lays out the loss.
func (f *searchFlags) problem() (*problem, error) {
	t, err := openTeacher(f.teacher)
	if err != nil {
		return nil, err
	}
	p := &problem{identity: identity{Teacher: t.Sum, Guesses: f.guesses}}
	if p.identity.Gate, err = f.admit(t); err != nil {
		return nil, err
	}
	rows, err := openBank(f.rows)
	if err != nil {
		return nil, err
	}
	if err := searchable(rows); err != nil {
		return nil, fmt.Errorf("--rows %s: %w", f.rows, err)
	}
	name := f.header
	if name == "" {
		name = t.Record.Model
	}
	if p.header, err = catalog.Header(name); err != nil {
		return nil, cli.Usagef("--header: %w", err)
	}
	p.header.LogLik = expr.Num(0) // headers have none
	if t.Record.Model != rows.Settings.Model {
		return nil, fmt.Errorf("--rows %s: of the model %s, but the teacher is of %s", f.rows, rows.Settings.Model, t.Record.Model)
	}
	scored := score(t, rows)
	settings, err := f.objectiveSettings(&scored, p)
	if err != nil {
		return nil, err
	}
	if p.loss, err = objective.New(scored, p.header, settings); err != nil {
		return nil, err
	}
	p.identity.Objective, p.identity.Header, p.identity.Rows = settings, name, rows.Settings
	return p, f.evolve(p)
}

// evolve settles how the search goes, and reads guesses.
func (f *searchFlags) evolve(p *problem) (err error) {
	if p.evolution, err = evolve.Preset(f.preset); err != nil {
		return cli.Usagef("--%w", err)
	}
	p.evolution.Seed, p.evolution.Operators = f.seed, f.operators
	if f.maxSize != 0 {
		symbols := p.loss.Symbols()
		if least := 2*len(symbols) - 1; f.maxSize < least {
			return cli.Usagef("--max-size %d: an expression with all of %s has at least %d nodes", f.maxSize, strings.Join(symbols, ", "), least)
		}
		p.evolution.MaxSize, p.evolution.StartSize = f.maxSize, min(f.maxSize, p.evolution.StartSize)
	}
	p.evolution.Budget = f.evals
	p.identity.Evolution = p.evolution
	if err := p.evolution.Check(); err != nil {
		return cli.Usage(err)
	}
	if err := f.guess(p); err != nil {
		return err
	}
	lines, err := readFronts(f.from)
	if err == nil {
		err = p.goOn(lines)
	}
	if err != nil {
		return fmt.Errorf("--from %w", err)
	}
	return nil
}

// admit refuses a teacher that has not passed its gate with these weights, and says what the gate found.
func (f *searchFlags) admit(t *neural.Teacher) (string, error) {
	r, err := gate.Admitted(f.teacher, t)
	switch {
	case err == nil:
		return r.Verdict(), nil
	case !f.ungated:
		return "", fmt.Errorf("--teacher %w (a search would learn its errors; --ungated takes it as it is)", err)
	case t.Gate == nil:
		return "ungated: not examined", nil
	}
	return "ungated: does not pass", nil
}

// openTeacher opens a teacher's folder, or one that comes with the program.
func openTeacher(name string) (*neural.Teacher, error) {
	dir, err := cli.FolderOrCommitted(name)
	if err != nil {
		return nil, fmt.Errorf("--teacher %s: %w", name, err)
	}
	return neural.Open(dir)
}

// openBank opens a bank's folder, or one that comes with the program.
func openBank(name string) (*bank.Bank, error) {
	dir, err := cli.FolderOrCommitted(name)
	if err != nil {
		return nil, fmt.Errorf("--rows %s: %w", name, err)
	}
	return bank.Open(dir)
}

// searchable refuses a bank that is not for searches, or with a trial of the lower boundary.
func searchable(b *bank.Bank) error {
	if b.Settings.Role != bank.SearchRows {
		return cli.Usagef("a bank of the role %s; a search learns from %s alone", b.Settings.Role, bank.SearchRows)
	}
	for _, s := range b.Subjects {
		if k := slices.IndexFunc(s.Choice, func(c float64) bool { return c != 1 }); !b.Settings.UpperOnly || k >= 0 {
			return fmt.Errorf("subject %d has trials of the lower boundary; a search scores upper ones", s.ID)
		}
	}
	return nil
}

// score gives a bank's upper-boundary trials with the teacher's log densities.
func score(t *neural.Teacher, b *bank.Bank) objective.Rows {
	rows := objective.Rows{}
	for _, p := range b.Settings.Params {
		rows.Params = append(rows.Params, p.Name)
	}
	for _, s := range b.Subjects {
		theta := slices.Repeat([][]float64{s.Theta}, len(s.RT))
		target := make([]float64, len(s.RT))
		t.LogDensity(target, theta, s.RT, s.Choice)
		rows.Theta, rows.RT, rows.Target = append(rows.Theta, s.Theta), append(rows.RT, s.RT), append(rows.Target, target)
	}
	return rows
}

// bothSeed is the seed of the subjects with both choices: of the role that trains teachers, so that no judge sees them, and
// of another seed than any teacher's bank that comes with likc. Polishing has one of its own, so that what searches fitted to
// their subjects gains it nothing.
const (
	bothSeed   = 1_000_003
	polishSeed = 1_000_033
	bothTrials = 1100
)

// objectiveSettings are the loss's. All but the paper's also look at trials of both boundaries, which are simulated here.
func (f *searchFlags) objectiveSettings(rows *objective.Rows, p *problem) (objective.Settings, error) {
	s, err := objective.Paper(), error(nil)
	switch f.objective {
	case "improved":
		s = objective.Improved()
		err = p.simulateBoth(rows, s, bothSeed)
	case "polish":
		s = objective.Polish()
		s.JointGroups = f.subjects
		err = p.simulateBoth(rows, s, polishSeed)
	}
	if err != nil {
		return s, err
	}
	s.Lambda, s.NonFinite, s.Single = f.lambda, f.nonFinite, f.single
	if f.lambda == 0 && rows.Both == nil { // recovery is reported but weighs nothing: fewer trials a group will do
		s.ProxyTrials = min(s.ProxyTrials, len(rows.RT[0]))
	}
	if f.nonFinite != objective.Role && f.nonFinite != objective.Reject {
		return s, cli.Usagef("--nonfinite %s: want %s or %s", f.nonFinite, objective.Role, objective.Reject)
	}
	return s, nil
}

// simulateBoth simulates the subjects with both choices, with some to spare: those that have too few trials left are passed
// over.
func (p *problem) simulateBoth(rows *objective.Rows, s objective.Settings, seed uint64) error {
	settings, err := bank.NewSettings("teacher-train", p.header.Name, "", seed)
	if err != nil {
		return err
	}
	groups := max(s.JointGroups, s.ProxyGroups)
	settings.Subjects = groups + max(10, groups/10)
	settings.SetTrials(bothTrials)
	b, err := bank.Make(context.Background(), settings, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	rows.Both, p.identity.Both = bothChoices(b), &settings
	return nil
}

func bothChoices(b *bank.Bank) *objective.Subjects {
	s := &objective.Subjects{}
	for _, subject := range b.Subjects {
		s.Theta, s.RT, s.Choice = append(s.Theta, subject.Theta), append(s.RT, subject.RT), append(s.Choice, subject.Choice)
	}
	return s
}
