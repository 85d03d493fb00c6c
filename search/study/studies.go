package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/num/stream"
)

// StudySettings determine the simulated experiments and how they are fitted. Each experiment has Subjects participants with
// Trials trials each.
type StudySettings struct {
	Settings        // Priors are for coefficients, spreads and parameters
	Studies  int    `json:"studies"`
	Design   Design `json:"design"`
}

// Design is a regression and the columns that it is simulated with, as a user writes them.
type Design struct {
	Formulas []string `json:"formulas,omitempty" flag:"formula" value:"FORMULA" help:"FORMULA of one parameter, such as 'v ~ 1 + cond + (1 + cond | subj_idx)' (repeatable)"`
	Links    []string `json:"links,omitempty" flag:"link" value:"NAME=LINK" only:"formula preset" help:"NAME=LINK of a parameter with a formula: identity, log or logit (repeatable)"`
	Preset   string   `json:"preset,omitempty" flag:"preset" value:"NAME" help:"NAME of a study, one of those of likc fit"`
	Within   []string `json:"columns,omitempty" flag:"column" value:"NAME=VALUE,VALUE,…" only:"formula preset" help:"NAME=VALUE,VALUE,… or NAME=DISTRIBUTION of a column that changes from trial to trial (repeatable)"`
	Between  []string `json:"between,omitempty" flag:"between" only:"formula preset" help:"the same of a column that changes from participant to participant (repeatable)"`
	Truths   []string `json:"theta,omitempty" flag:"theta" value:"NAME=VALUE" only:"formula preset" help:"NAME=VALUE: the true value of a population coefficient in all studies (repeatable; default: drawn)"`

	Given formula.Table `json:"-"` // columns with given values, for programs: see [Layout]
}

// Asked reports whether the design has a regression.
func (d *Design) Asked() bool { return len(d.Formulas) > 0 || d.Preset != "" }

// Studies are simulated experiments with many participants. Their true coefficients are drawn from the priors, unless a value is stated, and
// each experiment is fitted as a whole. Studies are a source and a fitter.
type Studies struct {
	StudySettings
	bare       *catalog.Model // the model without the wrappers of its task
	model      *catalog.Model // the model with the wrappers of its task, such as lapses and deadlines
	binder     *bound.Prepared
	spec       *fit.Spec
	generator  *hierarchy.Generator
	stated     map[string]float64 // stated true values, by name
	conditions hierarchy.Data     // the table of conditions, without trials
	simulate   fit.Simulate
	sequence   *sequence // nil if the model's trials depend only on parameters
}

// NewStudies parses the design of a model's experiments. An error says which setting is wrong. Open must be called next.
func NewStudies(m *catalog.Model, s StudySettings) (*Studies, error) {
	p := &Studies{StudySettings: s, bare: m}
	sampler := s.NUTS(s.Seed)
	err := sampler.Validate()
	if err == nil {
		p.model, err = s.Task.model(m)
	}
	if err != nil {
		return nil, err
	}
	return p, p.parse()
}

// Open prepares the simulator and the likelihood of the model. It returns an error for a model that cannot be simulated. Close
// releases them.
func (p *Studies) Open() (err error) {
	if p.binder, err = p.open(p.bare); err != nil {
		return err
	}
	if p.sequence, err = newSequence(p.bare, p.binder, p.Columns, &p.Task); p.sequence == nil && err == nil {
		p.simulate, err = simulateOf(p.model, p.binder)
	}
	if err != nil {
		p.binder.Close()
	}
	return err
}

// Close releases what Open loaded.
func (p *Studies) Close() error { return p.binder.Close() }

// N returns the number of experiments.
func (p *Studies) N() int { return p.StudySettings.Studies }

// Names returns the names of the population's coefficients, spreads, correlations and parameters, which are compared with the truth.
func (p *Studies) Names() []string { return p.generator.Study().Population() }

// IsStated reports whether a true value is stated instead of drawn.
func (p *Studies) IsStated(name string) bool { _, stated := p.stated[name]; return stated }

// HasZero reports whether 0 means no effect for a coefficient.
func (p *Studies) HasZero(name string) bool { return p.generator.Study().ZeroMeans(name) }

// parse reads the design.
func (p *Studies) parse() (err error) {
	p.spec, err = fit.NewSpec(p.model, fit.Wishes{Priors: p.Priors, Ranges: p.Ranges, Fixed: p.Fixed, Formulas: p.Design.Formulas, Links: p.Design.Links,
		Preset: p.Design.Preset, Group: usualGroup})
	if err != nil {
		return err
	}
	if p.stated, err = parseTruths(p.Design.Truths); err != nil {
		return err
	}
	if p.conditions.Table, err = p.table(); err != nil {
		return err
	}
	if _, err := p.deadlines(&p.conditions.Table, p.conditions.Table.Rows); err != nil {
		return err
	}
	if p.generator, err = p.spec.Generator(p.conditions.Table, p.stated); err != nil {
		return err
	}
	p.spec.TakePriors(p.generator.Study()) // priors that are not given depend on ranges, which depend on the trials
	return nil
}

// table returns the conditions of an experiment: the rows of the data on which trials depend or, without such data, the rows that
// the design's columns define.
func (p *Studies) table() (t formula.Table, err error) {
	if p.Columns != nil {
		return hierarchy.DataOf(p.Columns.Table).Table, nil
	}
	layout := Layout{p.Subjects, p.Trials, p.Design.Within, p.Design.Between, p.Design.Given}
	group, err := layout.participants(p.spec)
	if err != nil {
		return t, err
	}
	if t, err = layout.table(group, ssm.NewRand(p.Seed, stream.Of("columns of recovery"))); err != nil {
		return t, fmt.Errorf("column %w", err)
	}
	return t, nil
}

// usualGroup is the name of the participants' column if no formula names one.
const usualGroup = "subj_idx"

// participants returns the name of the column that identifies participants: the column that formulas use as a group and that the
// layout does not define.
func (l *Layout) participants(s *fit.Spec) (string, error) {
	group := ""
	for _, name := range s.Columns() {
		switch {
		case l.has(name):
		case !s.GroupsBy(name):
			return "", fmt.Errorf("column %s: a formula names it: say what it holds, as in %[1]s=low,high or %[1]s=normal(0,1)", name)
		case group != "":
			return "", fmt.Errorf("column %s: a formula groups by it and by %s: only one of them can tell participants apart; say what the other holds, as in %[1]s=1,2,3", name, group)
		default:
			group = name
		}
	}
	if group == "" {
		group = usualGroup
	}
	return group, nil
}

// parseTruths parses texts such as v_Intercept=0.5. A name may contain equality signs: the last one ends it.
func parseTruths(texts []string) (map[string]float64, error) {
	all := map[string]float64{}
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		if at < 1 {
			return nil, fmt.Errorf("theta %s: want NAME=VALUE, as in v_Intercept=0.5", text)
		}
		name := strings.TrimSpace(text[:at])
		x, err := strconv.ParseFloat(strings.TrimSpace(text[at+1:]), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("theta %s: %s is not a number", name, text[at+1:])
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("theta %s: given twice", name)
		}
		all[name] = x
	}
	return all, nil
}

// Case draws the coefficients of an experiment, and simulates all its trials.
func (p *Studies) Case(ctx context.Context, i int) (Case, error) {
	rng := ssm.NewRand(p.Seed, stream.Of(fmt.Sprintf("study %d of recovery", i)))
	coefs, rows := p.generator.Draw(rng)
	names := p.generator.Study().Names()
	c := Case{ID: i, Label: fmt.Sprintf("fit %d of recovery", i), Names: p.Names(), Data: p.conditions}
	for _, name := range c.Names {
		c.Truth = append(c.Truth, coefs[slices.Index(names, name)])
	}
	if p.sequence != nil {
		if err := p.sequence.draw(ctx, rng, rows.All(), p.Columns.Table, &c.Data); err != nil {
			return c, err
		}
		return c, p.omit(p.model, &c)
	}
	err := p.trials(ctx, &c.Data, func(rt, choice []float64, row int) error {
		theta := make([]float64, len(p.model.Params))
		rows.Theta(row, theta)
		return p.simulate(ctx, rng, theta, rt, choice)
	})
	if err != nil {
		return c, err
	}
	return c, p.omit(p.model, &c)
}

// trials computes response times and choices. It calls simulate for each cell, whose rows share the parameters of its first row.
func (p *Studies) trials(ctx context.Context, d *hierarchy.Data, simulate func(rt, choice []float64, row int) error) error {
	d.Columns = [][]float64{make([]float64, d.Table.Rows)}
	if p.model.Choice != "" {
		d.Choice = make([]float64, d.Table.Rows)
	}
	for _, cell := range p.generator.Cells() {
		rt, choice := make([]float64, len(cell)), []float64(nil)
		if d.Choice != nil {
			choice = make([]float64, len(cell))
		}
		if err := errors.Join(ctx.Err(), simulate(rt, choice, cell[0])); err != nil {
			return err
		}
		for k, row := range cell {
			d.Columns[0][row] = rt[k]
			if choice != nil {
				d.Choice[row] = choice[k]
			}
		}
	}
	return nil
}

// Fit draws from the posterior of an experiment's coefficients.
func (p *Studies) Fit(ctx context.Context, c *Case) (*Fitted, error) {
	study, err := p.spec.Study(p.binder, &fit.Subject{Columns: c.Columns, Choice: c.Choice, Person: c.Person, Table: c.Table})
	if err != nil {
		return nil, err
	}
	prepared, err := study.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	s := p.NUTS(p.Seed)
	s.Stream = stream.Of(c.Label)
	drawn, err := prepared.Sample(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Fitted{Draws: drawn.Draws}, nil
}
