package hierarchy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"likc/runtime/fit/formula"
	"likc/runtime/model/catalog"
)

// Generator draws the true parameters of simulated studies: those of the population from their priors, those of the levels of groups
// from the population. It is safe for concurrent use.
type Generator struct {
	study  *Study
	stated map[int]float64 // values that the user states, by index of the coordinate
	cells  [][]int         // rows of the table that have the same parameters, one slice for each cell

	mu    sync.Mutex // guards prior
	prior *PriorSampler
}

// NewGenerator returns a generator for a table of conditions with a row for each trial. stated holds, by name, values of the
// population's coefficients, spreads, correlations and parameters that are not drawn. It returns an error for a prior from which one
// cannot draw. It also returns one for a logit that ends at the fastest trial, because its coefficients would have another meaning in every
// dataset.
func NewGenerator(m *catalog.Model, spec Spec, table formula.Table, stated map[string]float64) (*Generator, error) {
	study, err := Unbound(m, spec, Data{Table: table})
	if err != nil {
		return nil, err
	}
	for _, l := range study.params {
		if spec.Params[l.Name].Fastest && m.IsBoundByTrials(l.Name) {
			return nil, fmt.Errorf("formula of %s: its logit ends at the fastest trial, which differs from study to study: simulated studies want another link, such as log", l.Name)
		}
	}
	g := &Generator{study: study, stated: map[int]float64{}, cells: study.Rows().Groups()}
	for name, value := range stated {
		if err := g.state(name, value); err != nil {
			return nil, fmt.Errorf("value of %s: %w", name, err)
		}
	}
	g.prior, err = study.PriorSampler()
	return g, err
}

// state sets the value of a coefficient of the population.
func (g *Generator) state(name string, value float64) error {
	s := g.study
	i := slices.Index(s.Names(), name)
	if i < 0 || s.isOffset(i) {
		return fmt.Errorf("no such coefficient; there are %s", list(s.Population()))
	}
	if c := s.coords[i]; !(value >= c.Lower && value <= c.Upper) {
		return fmt.Errorf("%v lies outside its range [%v, %v]", value, c.Lower, c.Upper)
	}
	for _, group := range s.groups {
		n := len(group.effects)
		if group.correlated() && n > 2 && i >= group.partial && i < group.partial+n*(n-1)/2 {
			return fmt.Errorf("the correlations of %d effects cannot be stated one by one: leave them to their prior", n)
		}
	}
	g.stated[i] = value
	return nil
}

// Study returns the simulated study, which has no trials but names and priors.
func (g *Generator) Study() *Study { return g.study }

// Cells returns the rows of the table that always have the same parameters, one slice for each cell.
func (g *Generator) Cells() [][]int { return g.cells }

// Draw draws coefficients, in the order of [Study.Names]. It returns them with the parameters of each row.
func (g *Generator) Draw(rng *rand.Rand) (coefs []float64, rows *Rows) {
	rows = g.study.Rows()
	g.mu.Lock()
	g.prior.Draw(rng, rows.coefs)
	g.mu.Unlock()
	for i, value := range g.stated {
		rows.coefs[i] = value
	}
	for _, group := range g.study.groups {
		group.redraw(rng, rows.coefs)
	}
	rows.evaluate()
	return slices.Clone(rows.coefs), rows
}

// GroupsBy reports whether a formula has a group term that names the column.
func (s *Spec) GroupsBy(column string) bool {
	for _, r := range s.Params {
		for _, g := range r.Formula.Groups {
			if slices.ContainsFunc(g.By, func(by formula.Grouping) bool { return by.Column == column }) {
				return true
			}
		}
	}
	return false
}
