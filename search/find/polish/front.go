package polish

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/num/notation"
	"likc/search/find/problem"
)

// origin is the part of a front's line that records where climbs began. A front is a file with one expression on each line; a climb is one
// local search.
type origin struct {
	problem.Origin
	Polished string   `json:"polished"`       // the expression that the climb began at
	Also     []string `json:"also,omitempty"` // expressions at which other climbs to the same expression began
}

// readFrom reads the origin from a line; it returns false if the line has none.
func (o *origin) readFrom(l *front.Line) bool {
	return json.Unmarshal(l.Rest["from"], o) == nil && o.Polished != ""
}

// earlier reads the output of an earlier run with the same settings. It returns its lines by the expression at which the climb
// began. With Force, a file of another run counts as empty.
func (r *Run) earlier() (map[string]*front.Line, error) {
	output := r.settings.Output
	if _, err := os.Stat(output); output == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	kept, err := r.read(output)
	if err != nil && r.settings.Force {
		return nil, nil
	}
	return kept, err
}

// ErrTaken means that the output has results that this run would overwrite or drop. [Settings.Force] allows that.
var ErrTaken = errors.New("not written over")

// read returns the lines of the output by the expression at which the climb began. It refuses an output of other settings.
func (r *Run) read(output string) (map[string]*front.Line, error) {
	lines, err := front.ReadFile(output, catalog.Headers)
	if err != nil {
		return nil, &problem.Error{Setting: "output:", Err: fmt.Errorf("%w: %w", err, ErrTaken)}
	}
	kept := map[string]*front.Line{}
	for i := range lines {
		l := &lines[i]
		var from origin
		if l.Settings != r.hash || !from.readFrom(l) {
			return nil, &problem.Error{Setting: "output", Err: fmt.Errorf("%s: of other settings, or no polished front: %w", l.Where(), ErrTaken)}
		}
		for _, text := range append(from.Also, from.Polished) {
			kept[text] = l
		}
	}
	return kept, nil
}

// fits returns an error if the output has climbs that this run would drop, unless Force is set.
func (r *Run) fits() error {
	beyond := len(r.kept) - r.Done()
	if beyond == 0 || r.settings.Force {
		return nil
	}
	return &problem.Error{Setting: "output", Err: fmt.Errorf("%s: has %s beyond the first %d: %w",
		r.settings.Output, notation.Count(beyond, "climb"), r.settings.Top, ErrTaken)}
}

// Climbed is an expression at which climbs ended, with figures before and after.
type Climbed struct {
	Line          front.Line // the expression's line in the front
	Before, After []float64  // figures of the loss at the start of the first climb, and at its end: joint recovery of each parameter, or divergences

	origin origin
}

// Found returns the expressions at which finished climbs ended, in the order of the ranks of their starts. Equal expressions are
// returned once.
func (r *Run) Found() (list []Climbed, err error) {
	loss := r.problem.Loss
	index := map[string]int{} // index in list of each canonical form
	for _, s := range r.starts[:r.Wanted()] {
		if s.line == nil {
			continue
		}
		t, err := r.problem.Parse(s.line.Expr)
		if err != nil {
			return nil, err
		}
		form := loss.Simplify(t.Expr(loss.Symbols())).String()
		if i, known := index[form]; known {
			list[i].origin.Also = append(list[i].origin.Also, s.text)
			continue
		}
		index[form] = len(list)
		list = append(list, Climbed{Line: *s.line, Before: loss.Figures(s.terms), After: loss.Figures(r.terms(s.line)),
			origin: origin{Origin: *r.problem.Identity.From, Polished: s.text}})
	}
	for i := range list {
		l := &list[i].Line
		l.Rest = r.problem.Remarks()
		if l.Rest["from"], err = json.Marshal(list[i].origin); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// terms returns the terms of a line in the loss's order.
func (r *Run) terms(l *front.Line) []float64 {
	names := r.problem.Loss.Terms()
	values := make([]float64, len(names))
	for i, name := range names {
		values[i] = float64(l.Terms[name])
	}
	return values
}

// Lines returns the lines of the front.
func (r *Run) Lines() ([]front.Line, error) {
	found, err := r.Found()
	var lines []front.Line
	for i := range found {
		lines = append(lines, found[i].Line)
	}
	return lines, err
}

// write writes the front of the finished climbs, if there are any.
func (r *Run) write() error {
	lines, err := r.Lines()
	if err != nil || len(lines) == 0 || r.settings.Output == "" {
		return err
	}
	return front.WriteFile(r.settings.Output, lines)
}
