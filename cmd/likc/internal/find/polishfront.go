package find

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/finite"
	"likc/runtime/front"
	"likc/search/evolve"
	"os"
	"slices"
)

// polished is what a line says of the climb that it is from.
type polished struct {
	origin
	Polished string   `json:"polished"`       // the expression that the climb began at
	Also     []string `json:"also,omitempty"` // those that other climbs to the same form began at
}

// of reads it from a line; false where there is nothing of the kind.
func (p *polished) of(l *front.Line) bool {
	return json.Unmarshal(l.Rest["from"], p) == nil && p.Polished != ""
}

// earlier reads what a run of the same settings left in -o, by the expressions that climbs began at. With --force, a file that
// no such run wrote holds nothing.
func (f *polishFlags) earlier(settings string) (map[string]*front.Line, error) {
	if _, err := os.Stat(f.place); f.place == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	lines, err := front.ReadFile(f.place, catalog.Header)
	if err != nil {
		err = fmt.Errorf("--output: %w (--force writes over it)", err)
	}
	kept := map[string]*front.Line{}
	for i := range lines {
		var from polished
		if l := &lines[i]; l.Settings != settings || !from.of(l) {
			err = fmt.Errorf("--output %s: of other arguments, or no polished front; give another name, or --force to write over it", l.Where())
			break
		}
		for _, text := range append(from.Also, from.Polished) {
			kept[text] = &lines[i]
		}
	}
	switch {
	case err == nil:
		return kept, nil
	case f.force:
		return nil, nil
	}
	return nil, err
}

// holds reports climbs in -o that this run has no place for.
func (r *polishRun) holds() error {
	beyond := len(r.kept) - r.done()
	if beyond == 0 || r.flags.force {
		return nil
	}
	return fmt.Errorf("--output %s: has %s beyond --top %d; raise it, give another name, or --force to drop them",
		r.flags.search.out, cli.Count(beyond, "climb"), r.flags.top)
}

// line is the result of a climb, but for "from".
func (r *polishRun) line(e evolve.Entry) *front.Line {
	l := r.problem.line(e)
	l.Lambda, l.Seed, l.Settings = finite.Number(r.flags.search.lambda), r.flags.search.seed, r.settings
	l.Tier = r.problem.tier(e.Tree)
	return &l
}

// found are the wanted starts whose climbs are done, the first of each form by rank; its line names the others.
func (r *polishRun) found() (list []polishStart, err error) {
	place := map[string]int{} // in list, by form
	var from []polished
	for _, s := range r.starts[:r.wanted()] {
		if s.line == nil {
			continue
		}
		t, err := r.problem.tree(s.line.Expr)
		if err != nil {
			return nil, err
		}
		form := r.problem.loss.Simplify(t.Expr(r.problem.loss.Symbols())).String()
		if i, known := place[form]; known {
			from[i].Also = append(from[i].Also, s.text)
			continue
		}
		place[form] = len(list)
		line := *s.line
		s.line = &line
		list, from = append(list, s), append(from, polished{origin: *r.problem.identity.From, Polished: s.text})
	}
	for i := range list {
		list[i].line.Rest = r.problem.remarks()
		if list[i].line.Rest["from"], err = json.Marshal(from[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// lines are the front.
func (r *polishRun) lines() ([]front.Line, error) {
	found, err := r.found()
	var lines []front.Line
	for _, s := range found {
		lines = append(lines, *s.line)
	}
	return lines, err
}

// write writes the front as it is, once there is something.
func (r *polishRun) write() error {
	lines, err := r.lines()
	if err != nil || len(lines) == 0 || r.flags.place == "" {
		return err
	}
	return front.WriteFile(r.flags.place, lines)
}

// print prints a line a form: what it is, and how well the weakest parameter was recovered where the climb began.
func (r *polishRun) print(w io.Writer) error {
	if r.flags.search.asJSON {
		lines, err := r.lines()
		if err != nil {
			return err
		}
		return front.Write(w, lines)
	}
	found, err := r.found()
	if err != nil {
		return err
	}
	head := fmt.Sprintf("%4s %9s %14s", "size", "loss", "weakest")
	for _, p := range r.problem.header.ParamNames() {
		head += fmt.Sprintf(" %5s", "J "+p)
	}
	fmt.Fprintln(w, head+"  expression")
	var evaluations int64
	ended := 0
	for _, s := range found {
		fmt.Fprintln(w, r.row(s))
		evaluations += s.line.Evaluations
		if s.line.Evaluations >= r.flags.search.evals {
			ended++
		}
	}
	_, err = fmt.Fprintf(w, "\n%s, %s; %d evaluations; %s ended by --evals\n",
		cli.Count(r.done(), "climb"), cli.Count(len(found), "form"), evaluations, cli.Count(ended, "climb"))
	return err
}

// row is a climb's line of the table.
func (r *polishRun) row(s polishStart) string {
	params, terms := r.problem.header.ParamNames(), r.problem.loss.Terms()
	values := make([]float64, len(terms))
	for i, name := range terms {
		values[i] = float64(s.line.Terms[name])
	}
	before, after := jointly(s.terms, terms, params), jointly(values, terms, params)
	row := fmt.Sprintf("%4d %9.4g %5s -> %5s", s.line.Size, float64(s.line.Loss), before[0], after[0])
	for _, x := range after[1:] {
		row += fmt.Sprintf(" %5s", x)
	}
	return row + "  " + s.line.Expr
}

// jointly is the joint recovery of the weakest parameter, then of each.
func jointly(values []float64, terms, params []string) (list []string) {
	all := recovered(values, terms, params)
	for _, x := range append([]float64{slices.Min(all)}, all...) {
		list = append(list, fmt.Sprintf("%.2f", x))
	}
	return list
}
