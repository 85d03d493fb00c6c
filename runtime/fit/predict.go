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

	inOrder *Simulator // simulates all rows of a subject at once, if trials depend on columns or on earlier trials; else nil
	of      *Subject
}

// Predictor returns a predictor for the trials of a result. simulator simulates the result's model. It is not used for models
// of a session, whose responses depend on other columns of their rows.
func (r *Result) Predictor(simulator *Simulator, seed uint64) *Predictor {
	p := &Predictor{Study: r.Study, Seed: seed, Label: r.Label}
	if _, session := r.Study.Model().Session(); session {
		p.Simulate = RowsOfSession(r.Study.Model(), r.Columns)
	} else if simulator.InOrder() {
		p.inOrder, p.of = simulator, &r.Subject
	} else {
		p.Simulate = simulator.Trials.Rows()
	}
	return p
}

// byRow reports whether a predicted trial belongs to a certain row of the data, because rows differ in parameters or columns.
func (p *Predictor) byRow() bool { return p.Study.Varies() || p.inOrder != nil }

// Numbers of simulated trials for a figure: of draws, evenly spaced over all chains, and of trials for each draw. If each draw
// simulates all trials of a study, a large study gets fewer draws, so that at most mostSimulated trials are simulated.
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

// EachOf does what Each does for some rows of the data. The function of returns the rows for a draw, in which a row may occur
// several times.
func (p *Predictor) EachOf(ctx context.Context, d *chains.Draws, draws int, of func(draw int, rng *rand.Rand) []int,
	use func(draw int, rows []int, rt, choice []float64) error) error {
	s, err := p.start()
	if err != nil {
		return err
	}
	total := len(d.Chains) * d.Len()
	var rt, choice []float64
	for k := range draws {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		at := k * total / draws
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

// SpreadRows fills rows with indexes of n rows, in steps of the golden ratio, so that any part of the sequence covers all parts
// of the data evenly. first is the number of steps before the first one.
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
	group      []int // for each row, the index of its group of rows with the same parameters
	members    []members
	theta      []float64

	study         SimulateStudy // simulates all rows together; nil if rows are simulated independently
	allRT         []float64     // simulated response times of all rows
	allChoice     []float64
	round         []int // for each row, the last simulation from which its response was used
	places, again []int // positions of the wanted rows that have no response yet
}

// members holds rows of one group, with their positions in the list of wanted rows.
type members struct {
	rows, places []int
	rt, choice   []float64
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
		s.study, err = p.inOrder.OfStudy(p.of)
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
	s.places = s.places[:0]
	for place := range rows {
		s.places = append(s.places, place)
	}
	theta := s.parameters.All()
	for round := 1; len(s.places) > 0; round++ {
		if err := s.study(ctx, s.rng, theta, s.allRT, s.allChoice); err != nil {
			return err
		}
		s.again = s.again[:0]
		for _, place := range s.places {
			row := rows[place]
			if s.round[row] == round {
				s.again = append(s.again, place)
				continue
			}
			s.round[row] = round
			if rt[place] = s.allRT[row]; choice != nil {
				choice[place] = s.allChoice[row]
			}
		}
		s.places, s.again = s.again, s.places
	}
	return nil
}

// simulate simulates a trial for each of some rows. Rows with the same parameters are simulated together.
func (s *simulation) simulate(ctx context.Context, rows []int, rt, choice []float64) error {
	for g := range s.members {
		s.members[g].rows, s.members[g].places = s.members[g].rows[:0], s.members[g].places[:0]
	}
	for place, row := range rows {
		g := &s.members[s.group[row]]
		g.rows, g.places = append(g.rows, row), append(g.places, place)
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
		for i, place := range m.places {
			if rt[place] = m.rt[i]; choice != nil {
				choice[place] = m.choice[i]
			}
		}
	}
	return nil
}
