package evidence

import (
	"embed"
	"fmt"
	"slices"

	"likc/compiler/emit/passage"
	"likc/compiler/expr"
)

// solver holds the files that compute densities and draw trials. What they use of likc's other packages is little; a printed package
// brings it along.
//
//go:embed arena.go dual.go far.go fluxes.go grid.go joint.go jump.go logarithm.go origin.go own.go path.go reflector.go road.go rows.go rule.go
//go:embed smear.go solution.go solve.go solved.go sources.go stream.go tilt.go
var solver embed.FS

// Printable returns the process as expressions with the source of its solver, as emitters need it. It fails if evidence is reflected.
func (d *Density) Printable() (*passage.Process, error) {
	if slices.ContainsFunc(d.streams, func(s *stream) bool { return s.mirrored }) {
		return nil, fmt.Errorf("%s: a package cannot have a process that is reflected yet", d.Model.Name)
	}
	p := &passage.Process{Symbols: d.symbols, Dim: d.dim, Time: d.time, Columns: d.used, Streams: printedStreams(d.streams), Onset: d.onset.printed(),
		Late: d.late, LateColumn: d.lateColumn}
	if d.tilt != nil {
		drawn, err := newDensity(d.Model, false)
		if err != nil {
			return nil, err
		}
		p.Drawn = printedStreams(drawn.streams)
		p.Tilt = tilts(d.Model.Evidence, d.symbols, d.dim)
	}
	if p.Drawn == nil {
		p.Drawn = p.Streams
	}
	entries, err := solver.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := solver.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		p.Solver = append(p.Solver, passage.Source{Name: e.Name(), Text: text})
	}
	return p, nil
}

func printedStreams(streams []*stream) (all []passage.Stream) {
	for _, s := range streams {
		all = append(all, passage.Stream{Values: s.values.expressions(), Slopes: s.slopes.expressions(), Jumps: s.jumps.expressions(),
			Params: s.params, Slope: s.slope[:], Zero: s.zero[:], Start: s.start.printed(), TwoSided: s.twoSided})
	}
	return all
}

func (l *law) printed() passage.Law {
	return passage.Law{Kind: l.kind, Values: l.n, Roots: l.tape.expressions()}
}

// expressions returns the expressions that the tape evaluates.
func (t *tape) expressions() (all []*expr.Expr) {
	for _, r := range t.roots {
		all = append(all, t.nodes[r])
	}
	return all
}

// Time returns the index of the trial column of response times.
func (d *Density) Time() int { return d.time }

// Used returns the values of a trial in the other columns on which the process depends.
func (d *Density) Used(columns [][]float64, trial int) (values []float64) {
	for _, j := range d.used {
		values = append(values, columns[j][trial])
	}
	return values
}
