package designs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"likc/runtime/model/catalog"
)

// person is the column of participants. lapseParam is the parameter that --lapse adds to a model.
const (
	person     = "id"
	lapseParam = "lapse"
)

// Cell is a condition in which a parameter has a value: levels of factors and groupings, and values of columns of numbers. If a
// grouping has no level, the value is the population's, with offsets 0.
type Cell struct {
	Labels  map[string]string  // the label in each column of labels
	Numbers map[string]float64 // the number in each column of numbers
}

// Study is a simulated study with its true parameters.
type Study struct {
	Header []string   // names of the data's columns
	Rows   [][]string // the data: a row of fields for each trial

	design *Design
	params map[string]*drawn // the true parameters, by name
}

// drawn is a parameter of one study, on the scale of its link.
type drawn struct {
	*Param
	levels  map[string]float64   // the value for each combination of the levels of By
	slopes  []float64            // a coefficient for each Slope
	offsets []map[string]float64 // for each Offset, its values by level of its grouping; if its field Of is a factor, by level of the grouping and of the factor
}

// Draw draws parameters and simulates the trials. The result depends only on the design and the random numbers.
func (d *Design) Draw(ctx context.Context, rng *rand.Rand) (*Study, error) {
	s := &Study{design: d, params: map[string]*drawn{}}
	for i := range d.Params {
		s.params[d.Params[i].Name] = d.draw(&d.Params[i], rng)
	}
	cells := d.cells(rng)
	s.Header = d.header()
	rt, choice, delay, err := s.trials(ctx, cells, rng)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	for i, c := range cells {
		s.Rows = append(s.Rows, d.row(c, rt[i], choice[i], delay[i]))
	}
	return s, nil
}

// At returns the true value of a parameter in a cell.
func (s *Study) At(param string, c Cell) (float64, error) {
	if param == lapseParam && s.design.Lapses > 0 {
		return s.design.Lapses, nil
	}
	p, ok := s.params[param]
	if !ok {
		return 0, fmt.Errorf("%s: no parameter %s", s.design.Name, param)
	}
	eta, ok := p.levels[key(p.By, c.Labels)]
	if !ok {
		return 0, fmt.Errorf("%s: %s has no value at %v", s.design.Name, param, c.Labels)
	}
	for i, slope := range p.slopes {
		eta += slope * c.Numbers[p.Slopes[i].Column]
	}
	for i, o := range p.Offsets {
		if c.Labels[o.By] == "" {
			continue
		}
		by := []string{o.By}
		x := 1.0
		if s.design.isFactor(o.Of) {
			by = append(by, o.Of)
		} else if o.Of != "" {
			x = c.Numbers[o.Of]
		}
		eta += x * p.offsets[i][key(by, c.Labels)]
	}
	return p.Link.From(eta), nil
}

// Contrast returns the true value of a contrast.
func (s *Study) Contrast(c Contrast) (float64, error) {
	a, err := s.At(c.Param, Cell{Labels: c.A, Numbers: s.design.means()})
	if err != nil {
		return 0, err
	}
	b, err := s.At(c.Param, Cell{Labels: c.B, Numbers: s.design.means()})
	return a - b, err
}

// String returns the contrast in the notation of likc contrast.
func (c Contrast) String() string { return c.at(c.A) + " - " + c.at(c.B) }

// at returns the notation of one cell, such as v[condition=easy].
func (c Contrast) at(levels map[string]string) string {
	text := ""
	for _, name := range slices.Sorted(keys(levels)) {
		if text != "" {
			text += ","
		}
		text += name + "=" + levels[name]
	}
	return c.Param + "[" + text + "]"
}

// keys returns the keys of a map, as a sequence.
func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// key joins the labels of some columns into one text.
func key(columns []string, labels map[string]string) (k string) {
	for _, c := range columns {
		k += labels[c] + "\x00"
	}
	return k
}

// isFactor reports whether the design has a factor of that name.
func (d *Design) isFactor(name string) bool {
	return slices.ContainsFunc(d.Factors, func(f Factor) bool { return f.Name == name })
}

// means returns the mean of each column of numbers.
func (d *Design) means() map[string]float64 {
	m := map[string]float64{}
	for _, n := range d.Numbers {
		m[n.Name] = n.Mean
	}
	return m
}

// draw draws a parameter of one study.
func (d *Design) draw(p *Param, rng *rand.Rand) *drawn {
	out := &drawn{Param: p, levels: map[string]float64{}}
	for _, labels := range d.crossed(p.By) {
		out.levels[key(p.By, labels)] = p.Link.To(p.Low + (p.High-p.Low)*rng.Float64())
	}
	for _, s := range p.Slopes {
		x := s.Fixed
		if x == 0 {
			x = s.Most * (2*rng.Float64() - 1)
		}
		out.slopes = append(out.slopes, x)
	}
	for _, o := range p.Offsets {
		sd, offsets := o.Low+(o.High-o.Low)*rng.Float64(), map[string]float64{}
		by := []string{o.By}
		options := []map[string]string{{}}
		if d.isFactor(o.Of) {
			by, options = append(by, o.Of), d.crossed([]string{o.Of})
		}
		for level := range d.levelsOf(o.By) {
			for _, labels := range options {
				labels[o.By] = label(level)
				offsets[key(by, labels)] = sd * rng.NormFloat64()
			}
		}
		out.offsets = append(out.offsets, offsets)
	}
	return out
}

// levelsOf returns the number of levels of a grouping.
func (d *Design) levelsOf(by string) int {
	for _, g := range d.Groups {
		if g.Name == by {
			return g.Levels
		}
	}
	return d.People
}

// label returns the name of a level of a grouping. It is a word, as in most data.
func label(i int) string { return "s" + strconv.Itoa(i+1) }

// crossed returns all combinations of the levels of some factors.
func (d *Design) crossed(names []string) []map[string]string {
	all := []map[string]string{{}}
	for _, f := range d.Factors {
		if !slices.Contains(names, f.Name) {
			continue
		}
		var next []map[string]string
		for _, labels := range all {
			for _, level := range f.Levels {
				with := map[string]string{f.Name: level}
				for k, v := range labels {
					with[k] = v
				}
				next = append(next, with)
			}
		}
		all = next
	}
	return all
}

// cells returns the cell of each trial, participant by participant.
func (d *Design) cells(rng *rand.Rand) (all []Cell) {
	var within []string
	for _, f := range d.Factors {
		if !f.Between {
			within = append(within, f.Name)
		}
	}
	for p := range d.People {
		for range d.Trials {
			for _, labels := range d.crossed(within) {
				c := Cell{Labels: map[string]string{person: label(p)}, Numbers: map[string]float64{}}
				for name, level := range labels {
					c.Labels[name] = level
				}
				for _, f := range d.Factors {
					if f.Between {
						c.Labels[f.Name] = f.Levels[p%len(f.Levels)]
					}
				}
				for _, g := range d.Groups {
					at := len(all) % g.Levels
					if g.OfPeople {
						at = p % g.Levels
					}
					c.Labels[g.Name] = label(at)
				}
				for _, n := range d.Numbers {
					c.Numbers[n.Name] = n.Mean + n.SD*rng.NormFloat64()
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// trials simulates a trial for each cell. Response times are in seconds, and NaN in trials without response. Delays of stop signals are
// NaN in trials without signal.
func (s *Study) trials(ctx context.Context, cells []Cell, rng *rand.Rand) (rt, choice, delay []float64, err error) {
	d := s.design
	name := d.From
	if name == "" {
		name = d.Model
	}
	m, err := catalog.Open(name)
	if err != nil {
		return nil, nil, nil, err
	}
	n := len(cells)
	rt, choice, delay = make([]float64, n), make([]float64, n), make([]float64, n)
	respond, err := d.process(ctx, m, delay, rng)
	if err != nil {
		return nil, nil, nil, err
	}
	theta := make([]float64, len(m.Params))
	for i, c := range cells {
		for j, p := range m.Params {
			if theta[j], err = s.At(p.Name, c); err != nil {
				return nil, nil, nil, err
			}
		}
		if err := respond(theta, i, rt[i:i+1], choice[i:i+1]); err != nil {
			return nil, nil, nil, err
		}
		d.spoil(rng, &rt[i], &choice[i], m)
	}
	return rt, choice, delay, nil
}

// process returns a function that simulates the trial of a row at parameters theta. In a design with stop signals, it also draws the
// delays.
func (d *Design) process(ctx context.Context, m *catalog.Model, delay []float64, rng *rand.Rand) (func(theta []float64, row int, rt, choice []float64) error, error) {
	if d.Signalled {
		for i := range delay {
			if delay[i] = m.Missing["ssd"]; rng.IntN(4) == 0 {
				delay[i] = 0.05 + 0.05*float64(rng.IntN(9))
			}
		}
		respond := m.Respond([][]float64{make([]float64, len(delay)), delay})
		for i, x := range delay { // respond has its own copy; the delays in the data are NaN where there is no signal
			if x == m.Missing["ssd"] {
				delay[i] = math.NaN()
			}
		}
		return func(theta []float64, row int, rt, choice []float64) error {
			return respond(rng, theta, []int{row}, rt, choice)
		}, nil
	}
	simulator, ok := m.Simulator()
	if !ok {
		return nil, fmt.Errorf("%s has no simulator", m.Name)
	}
	scheme, _, err := simulator.Process.Scheme("")
	return func(theta []float64, _ int, rt, choice []float64) error {
		return simulator.Process.SimulateDecided(ctx, rng, simulator.At(theta), scheme, rt, choice)
	}, err
}

// spoil makes a trial a lapse, or removes its response, as the design requires.
func (d *Design) spoil(rng *rand.Rand, rt, choice *float64, m *catalog.Model) {
	if d.Lapses > 0 && rng.Float64() < d.Lapses {
		*rt = LapseEnd * rng.Float64()
		*choice = 2*float64(rng.IntN(2)) - 1
	}
	if d.Deadline > 0 && *rt > d.Deadline || d.Withheld != 0 && *choice == d.Withheld {
		*rt, *choice = math.NaN(), math.NaN()
	}
}

// header returns the names of the data's columns.
func (d *Design) header() (names []string) {
	if d.People > 1 {
		names = append(names, person)
	}
	for _, f := range d.Factors {
		names = append(names, f.Name)
	}
	for _, g := range d.Groups {
		names = append(names, g.Name)
	}
	for _, n := range d.Numbers {
		names = append(names, n.Name)
	}
	if d.Signalled {
		names = append(names, "ssd")
	}
	return append(names, "rt", "choice")
}

// row returns the fields of a trial's row in the data.
func (d *Design) row(c Cell, rt, choice, delay float64) (cells []string) {
	for _, name := range d.header() {
		switch x, isNumber := c.Numbers[name]; {
		case name == "rt":
			cells = append(cells, number(rt))
		case name == "choice":
			cells = append(cells, number(choice))
		case name == "ssd":
			cells = append(cells, number(delay))
		case isNumber:
			cells = append(cells, number(x))
		default:
			cells = append(cells, c.Labels[name])
		}
	}
	return cells
}

// number writes a number with all digits, and NaN as an empty cell.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
