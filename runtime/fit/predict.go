package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// Predictor simulates new trials for the rows of a subject's data, with parameters from draws of the posterior. The simulated
// trials depend only on the draws, the seed and the subject's label.
type Predictor struct {
	Study     *hierarchy.Study
	Simulate  SimulateRows
	Seed      uint64
	Label     string // label of the subject; "" for all trials of a file
	NewLevels bool   // whether each level of a grouping, such as a participant, is replaced by a new level drawn from the population

	inOrder *Simulator // simulates all rows of a subject together, if trials depend on columns or on earlier trials; else nil
	subject *Subject
}

// Predictor returns a predictor for the trials of a result. simulator simulates the result's model. It is not used for models
// of a session, whose responses depend on other columns of their rows.
func (r *Result) Predictor(simulator *Simulator, seed uint64) *Predictor {
	p := &Predictor{Study: r.Study, Seed: seed, Label: r.Label}
	if _, session := r.Study.Model().Session(); session {
		p.Simulate = RowsOfSession(r.Study.Model(), r.Columns)
	} else if simulator.InOrder() {
		p.inOrder, p.subject = simulator, &r.Subject
	} else {
		p.Simulate = simulator.Trials.Rows()
	}
	return p
}

// byRow reports whether a predicted trial belongs to one row of the data, because rows differ in parameters or columns.
func (p *Predictor) byRow() bool { return p.Study.Varies() || p.inOrder != nil }

// These are the numbers of simulated trials for a figure: predictiveDraws draws, evenly spaced over all chains, with
// predictiveTrials trials each. If each draw must simulate all trials of a study, a large study gets fewer draws, so that at most
// mostSimulated trials are simulated.
const (
	predictiveDraws  = 100
	predictiveTrials = 200
	fewestDraws      = 20
	mostSimulated    = 2_000_000
)

// Each simulates one trial for each row of the data, in order, for each of several draws, which are evenly spaced over all
// chains. It calls use with the trials of each draw. use must not keep the slices. choice is nil for a model without choice.
func (p *Predictor) Each(ctx context.Context, d *chains.Draws, draws int, use func(draw int, rt, choice []float64) error) error {
	rows := make([]int, p.Study.Trials())
	for i := range rows {
		rows[i] = i
	}
	all := func(int, *rand.Rand) []int { return rows }
	return p.EachOf(ctx, d, draws, all, func(k int, _ []int, rt, choice []float64) error { return use(k, rt, choice) })
}

// EachOf does what Each does, but for some rows of the data. The function `of` returns the rows for a draw; it may return a row
// several times.
func (p *Predictor) EachOf(ctx context.Context, d *chains.Draws, draws int, of func(draw int, rng *rand.Rand) []int,
	use func(draw int, rows []int, rt, choice []float64) error) error {
	s, err := p.start()
	if err != nil {
		return err
	}
	var rt, choice []float64
	for k := range draws {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		at := drawOf(d, k, draws)
		if s.NewLevels {
			s.parameters.DrawNew(s.rng, d, at/d.Len(), at%d.Len())
		} else {
			s.parameters.Draw(d, at/d.Len(), at%d.Len())
		}
		rows := of(k, s.rng)
		if rt = slices.Grow(rt[:0], len(rows))[:len(rows)]; p.Study.Model().Choice != "" {
			choice = slices.Grow(choice[:0], len(rows))[:len(rows)]
		}
		if s.study != nil {
			err = s.simulateInOrder(ctx, rows, rt, choice)
		} else {
			err = s.simulate(ctx, rows, rt, choice)
		}
		if err != nil {
			return fmt.Errorf("predicted trials: %w", err)
		}
		if err := use(k, rows, rt, choice); err != nil {
			return err
		}
	}
	return nil
}

// Predict simulates trials for a figure. rows holds the row of the data for each trial, drawn at random; it is nil if all rows
// have the same parameters.
func (p *Predictor) Predict(ctx context.Context, d *chains.Draws) (rt, choice []float64, rows []int, err error) {
	n, draws := p.Study.Trials(), predictiveDraws
	if p.inOrder != nil {
		draws = min(max(fewestDraws, mostSimulated/n), draws)
	}
	some := make([]int, predictiveDraws*predictiveTrials/draws)
	of := func(_ int, rng *rand.Rand) []int {
		if p.byRow() {
			for i := range some {
				some[i] = rng.IntN(n)
			}
		}
		return some
	}
	err = p.EachOf(ctx, d, draws, of, func(_ int, of []int, someRT, someChoice []float64) error {
		rt, choice = append(rt, someRT...), append(choice, someChoice...)
		if p.byRow() {
			rows = append(rows, of...)
		}
		return nil
	})
	return rt, choice, rows, err
}

// SpreadRows fills rows with indices from 0 to n-1, in steps of the golden ratio, so that any part of the sequence covers all
// parts of the data evenly. first is the position of rows[0] in the sequence.
func SpreadRows(rows []int, first, n int) {
	for i := range rows {
		_, part := math.Modf(float64(first+i) * (math.Phi - 1))
		rows[i] = int(part * float64(n))
	}
}

// simulation is the working memory of a Predictor.
type simulation struct {
	*Predictor
	rng        *rand.Rand
	parameters *hierarchy.Rows
	group      []int     // for each row, the index of its group of rows with the same parameters
	members    []members // wanted rows of each group
	theta      []float64

	study               SimulateStudy // simulates all rows together; nil if rows are simulated independently
	allRT               []float64     // simulated response times of all rows
	allChoice           []float64     // simulated choices of all rows
	round               []int         // for each row, the last simulation from which its response was used
	positions, repeated []int         // positions in the list of wanted rows: those without a response yet, and those that need another simulation
}

// members holds rows of one group, with their positions in the list of wanted rows.
type members struct {
	rows, positions []int
	rt, choice      []float64
}

func (p *Predictor) start() (s *simulation, err error) {
	name := p.Label
	if name == "" && p.Study.Varies() {
		name = "a study"
	}
	if p.NewLevels {
		name += " with new levels"
	}
	s = &simulation{Predictor: p, rng: ssm.NewRand(p.Seed, stream.Of("predictive trials of "+name)), // not the stream of likc simulate
		parameters: p.Study.Rows(), group: make([]int, p.Study.Trials()), theta: make([]float64, len(p.Study.Model().Params))}
	if p.inOrder != nil {
		n := p.Study.Trials()
		s.allRT, s.allChoice, s.round = make([]float64, n), make([]float64, n), make([]int, n)
		s.study, err = p.inOrder.OfStudy(p.subject)
		return s, err
	}
	groups := s.parameters.Groups()
	s.members = make([]members, len(groups))
	for g, rows := range groups {
		for _, row := range rows {
			s.group[row] = g
		}
	}
	return s, nil
}

// simulateInOrder simulates all rows of the data together, and copies the responses of the wanted rows. If a row is wanted
// several times, it simulates the data several times.
func (s *simulation) simulateInOrder(ctx context.Context, rows []int, rt, choice []float64) error {
	clear(s.round)
	s.positions = s.positions[:0]
	for position := range rows {
		s.positions = append(s.positions, position)
	}
	theta := s.parameters.All()
	for round := 1; len(s.positions) > 0; round++ {
		if err := s.study(ctx, s.rng, theta, s.allRT, s.allChoice); err != nil {
			return err
		}
		s.repeated = s.repeated[:0]
		for _, position := range s.positions {
			row := rows[position]
			if s.round[row] == round {
				s.repeated = append(s.repeated, position)
				continue
			}
			s.round[row] = round
			if rt[position] = s.allRT[row]; choice != nil {
				choice[position] = s.allChoice[row]
			}
		}
		s.positions, s.repeated = s.repeated, s.positions
	}
	return nil
}

// simulate simulates one trial for each wanted row. Rows with the same parameters are simulated together.
func (s *simulation) simulate(ctx context.Context, rows []int, rt, choice []float64) error {
	for g := range s.members {
		s.members[g].rows, s.members[g].positions = s.members[g].rows[:0], s.members[g].positions[:0]
	}
	for position, row := range rows {
		g := &s.members[s.group[row]]
		g.rows, g.positions = append(g.rows, row), append(g.positions, position)
	}
	for g := range s.members {
		m := &s.members[g]
		n := len(m.rows)
		if n == 0 {
			continue
		}
		s.parameters.Theta(m.rows[0], s.theta)
		if m.rt = slices.Grow(m.rt[:0], n)[:n]; choice != nil {
			m.choice = slices.Grow(m.choice[:0], n)[:n]
		}
		if err := s.Simulate(ctx, s.rng, s.theta, m.rows, m.rt, m.choice); err != nil {
			return err
		}
		for i, position := range m.positions {
			if rt[position] = m.rt[i]; choice != nil {
				choice[position] = m.choice[i]
			}
		}
	}
	return nil
}
