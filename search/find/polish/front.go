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

// origin is what a line says of its climb.
type origin struct {
	problem.Origin
	Polished string   `json:"polished"`       // the expression that the climb began at
	Also     []string `json:"also,omitempty"` // expressions at which other climbs to the same expression began
}

// of reads the origin of a line; false where it has none.
func (o *origin) of(l *front.Line) bool {
	return json.Unmarshal(l.Rest["from"], o) == nil && o.Polished != ""
}

// earlier reads what a run of the same settings left in the output, by the expressions that climbs began at. With Force, a file
// that no such run wrote holds nothing.
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

// ErrTaken means that the output holds what is lost if this run writes there; with [Settings.Force] it does.
var ErrTaken = errors.New("not written over")

func (r *Run) read(output string) (map[string]*front.Line, error) {
	lines, err := front.ReadFile(output, catalog.Header)
	if err != nil {
		return nil, &problem.Error{Setting: "output:", Err: fmt.Errorf("%w: %w", err, ErrTaken)}
	}
	kept := map[string]*front.Line{}
	for i := range lines {
		l := &lines[i]
		var from origin
		if l.Settings != r.hash || !from.of(l) {
			return nil, &problem.Error{Setting: "output", Err: fmt.Errorf("%s: of other settings, or no polished front: %w", l.Where(), ErrTaken)}
		}
		for _, text := range append(from.Also, from.Polished) {
			kept[text] = l
		}
	}
	return kept, nil
}

// fits reports climbs in the output that this run has no place for.
func (r *Run) fits() error {
	beyond := len(r.kept) - r.Done()
	if beyond == 0 || r.settings.Force {
		return nil
	}
	return &problem.Error{Setting: "output", Err: fmt.Errorf("%s: has %s beyond the first %d: %w",
		r.settings.Output, notation.Count(beyond, "climb"), r.settings.Top, ErrTaken)}
}

// Climbed is an expression that climbs ended at, with the figures of the loss.
type Climbed struct {
	Line          front.Line
	Before, After []float64 // the figures where the first of the climbs began, and at its end: joint recovery of each parameter, or divergences

	origin origin
}

// Found returns what the climbs that are done ended at, by the rank of where they began. Equal expressions come once.
func (r *Run) Found() (list []Climbed, err error) {
	loss := r.problem.Loss
	place := map[string]int{} // in list, by canonical form
	for _, s := range r.starts[:r.Wanted()] {
		if s.line == nil {
			continue
		}
		t, err := r.problem.Parse(s.line.Expr)
		if err != nil {
			return nil, err
		}
		form := loss.Simplify(t.Expr(loss.Symbols())).String()
		if i, known := place[form]; known {
			list[i].origin.Also = append(list[i].origin.Also, s.text)
			continue
		}
		place[form] = len(list)
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

// terms returns a line's terms in the order of the loss.
func (r *Run) terms(l *front.Line) []float64 {
	names := r.problem.Loss.Terms()
	values := make([]float64, len(names))
	for i, name := range names {
		values[i] = float64(l.Terms[name])
	}
	return values
}

// Lines returns the front.
func (r *Run) Lines() ([]front.Line, error) {
	found, err := r.Found()
	var lines []front.Line
	for i := range found {
		lines = append(lines, found[i].Line)
	}
	return lines, err
}

// write writes the front of what is done, if anything is.
func (r *Run) write() error {
	lines, err := r.Lines()
	if err != nil || len(lines) == 0 || r.settings.Output == "" {
		return err
	}
	return front.WriteFile(r.settings.Output, lines)
}
