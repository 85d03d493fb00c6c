package chains

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Read reads draws from a Stan CSV file that CmdStan or likc wrote, or from plain CSV with one column for each parameter.
// Comment lines and sampler columns may be absent; a comment with the sum of the lines above it is checked. All rows are one
// chain, unless a column .chain (R's posterior) or chain__ (cmdstanpy) gives each row's chain. Columns .iteration and .draw
// are ignored. name is the file's name, for errors, which give the line ("file:12: ...").
func Read(r io.Reader, name string) (*Draws, error) {
	p := &stanReader{rows: newRowReader(r, name), draws: &Draws{File: name, Chains: []Chain{{ID: 1}}}, ids: map[int]bool{}}
	for {
		line, err := p.rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := p.accept(line); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

// maxColumns and maxChains are limits on files of draws: a file with more columns or chains is not a file of draws.
const (
	maxColumns = 100_000
	maxChains  = 10_000
)

// stanReader reads a Stan CSV file: its settings, header, warm-up, adaptation and draws.
type stanReader struct {
	rows     *rowReader
	draws    *Draws
	columns  []string
	params   []int // positions of the parameters among the columns
	values   []float64
	trace    Trace
	chainOf  []int // the chain of each row, if a column gives it
	ids      map[int]bool
	adapted  bool // whether the comment that ends adaptation was read
	inMetric bool // whether the last comment was a row of the metric, or its title
}

func (p *stanReader) accept(line string) error {
	switch {
	case strings.HasPrefix(line, "#"):
		return p.comment(strings.TrimSpace(strings.TrimPrefix(line, "#")))
	case p.columns == nil:
		return p.header(line)
	}
	p.inMetric = false
	values, err := p.rows.fields(line, p.columns, p.values)
	if err != nil {
		return err
	}
	p.values = values
	return p.row(values)
}

func (p *stanReader) header(line string) error {
	columns, err := p.rows.header(line)
	if err != nil {
		return err
	}
	for i, column := range columns {
		if !isNoParameter(column) {
			p.params = append(p.params, i)
			p.draws.Names = append(p.draws.Names, bracketed(column))
		}
	}
	if len(p.params) == 0 {
		return p.rows.errorf("no column holds a parameter")
	}
	p.columns = columns
	p.trace.Params = make([][]float64, len(p.params))
	return nil
}

func (p *stanReader) row(values []float64) error {
	t := &p.trace
	for j, i := range p.params {
		t.Params[j] = append(t.Params[j], values[i])
	}
	for i, column := range p.columns {
		v := values[i]
		switch column {
		case "lp__":
			t.LogDensity = append(t.LogDensity, v)
		case "accept_stat__":
			t.AcceptStat = append(t.AcceptStat, v)
		case "stepsize__":
			t.StepSize = append(t.StepSize, v)
		case "energy__":
			t.Energy = append(t.Energy, v)
		case "treedepth__", "n_leapfrog__", "divergent__":
			if v != float64(int(v)) || v < 0 {
				return p.rows.errorf("column %s: %v is not a count", column, v)
			}
			t.appendCount(column, int(v))
		case ".chain", "chain__":
			if v != float64(int(v)) || v < 0 {
				return p.rows.errorf("column %s: %v is not the number of a chain", column, v)
			}
			if p.ids[int(v)] = true; len(p.ids) > maxChains {
				return p.rows.errorf("column %s: more than %d chains", column, maxChains)
			}
			p.chainOf = append(p.chainOf, int(v))
		}
	}
	return nil
}

func (t *Trace) appendCount(column string, count int) {
	switch column {
	case "treedepth__":
		t.TreeDepth = append(t.TreeDepth, count)
	case "n_leapfrog__":
		t.Leapfrogs = append(t.Leapfrogs, count)
	case "divergent__":
		t.Divergent = append(t.Divergent, count != 0)
	}
}

// finish divides the rows into warm-up and draws. In a file without the comment that ends adaptation, the header gives the number of
// warm-up draws.
func (p *stanReader) finish() (*Draws, error) {
	if p.columns == nil {
		return nil, fmt.Errorf("%s: no header row", p.rows.name)
	}
	c, run := &p.draws.Chains[0], &p.draws.Run
	if !p.adapted && run.SaveWarmup {
		thin := max(run.Thin, 1)
		c.Warmup, p.trace = p.trace.cut(min((run.NumWarmup+thin-1)/thin, p.trace.Len()))
	}
	c.Trace = p.trace
	if c.Len() == 0 {
		return nil, fmt.Errorf("%s: no draw", p.rows.name)
	}
	if len(p.chainOf) > 0 {
		p.draws.Chains = c.byChain(p.chainOf[len(p.chainOf)-c.Len():])
	}
	return p.draws, nil
}

// cut returns the first n draws of a trace, and all later ones. Columns are not copied.
func (t *Trace) cut(n int) (before, after Trace) {
	before.Params, after.Params = make([][]float64, len(t.Params)), make([][]float64, len(t.Params))
	for j, column := range t.Params {
		before.Params[j], after.Params[j] = column[:n], column[n:]
	}
	before.LogDensity, after.LogDensity = cutColumn(t.LogDensity, n)
	before.AcceptStat, after.AcceptStat = cutColumn(t.AcceptStat, n)
	before.StepSize, after.StepSize = cutColumn(t.StepSize, n)
	before.TreeDepth, after.TreeDepth = cutColumn(t.TreeDepth, n)
	before.Leapfrogs, after.Leapfrogs = cutColumn(t.Leapfrogs, n)
	before.Divergent, after.Divergent = cutColumn(t.Divergent, n)
	before.Energy, after.Energy = cutColumn(t.Energy, n)
	return before, after
}

func cutColumn[T any](column []T, n int) (before, after []T) {
	n = min(n, len(column)) // a sampler column may be absent
	return column[:n], column[n:]
}
