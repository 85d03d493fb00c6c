package chains

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Read reads one chain: a Stan CSV file as CmdStan or likc write it, or plain CSV with one column a parameter. Comment
// lines and sampler columns may be absent; a comment with the sum of the lines above it is checked. A column .chain, as R's posterior writes it (chain__ in cmdstanpy), parts the
// rows into chains; .iteration and .draw are passed over. name is the file's, for errors, which give the line ("file:12: ...").
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

// rowReader gives lines that are not blank, and says where it is.
type rowReader struct {
	in     *bufio.Reader
	name   string
	line   int
	sum    hash.Hash // of the lines so far, each with one newline
	summed bool      // the line with their sum has come
}

func newRowReader(r io.Reader, name string) *rowReader {
	return &rowReader{in: bufio.NewReader(r), name: name, sum: sha256.New()}
}

func (r *rowReader) next() (string, error) {
	for {
		text, err := r.in.ReadString('\n')
		if text == "" && err != nil {
			if errors.Is(err, io.EOF) {
				return "", io.EOF
			}
			return "", fmt.Errorf("%s: %w", r.name, err)
		}
		if r.line++; r.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // the byte order mark of some spreadsheets
		}
		if err := r.check(strings.TrimRight(text, "\r\n")); err != nil {
			return "", err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if !isText(text) {
			return "", r.errorf("is not text: want draws as CSV")
		}
		return text, nil
	}
}

// check compares the lines so far with their sum, if this is the line that has it.
func (r *rowReader) check(line string) error {
	if r.summed && strings.TrimSpace(line) != "" {
		return r.errorf("damaged: a line below the SHA-256 sum of the file")
	}
	if want, ok := strings.CutPrefix(line, sumComment); ok {
		r.summed = true
		if got := hex.EncodeToString(r.sum.Sum(nil)); got != strings.TrimSpace(want) {
			return r.errorf("damaged, or changed by hand: the lines above do not have this SHA-256 sum; if you mean the change, remove this line")
		}
	}
	io.WriteString(r.sum, line)
	io.WriteString(r.sum, "\n")
	return nil
}

// isText tells CSV from bytes that no terminal should see. Comments, which are not shown, may be in any encoding.
func isText(line string) bool {
	if strings.HasPrefix(line, "#") {
		return !strings.ContainsRune(line, 0)
	}
	return utf8.ValidString(line) && !strings.ContainsFunc(line, func(c rune) bool { return unicode.IsControl(c) && c != '\t' })
}

func (r *rowReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// fields cuts a row into numbers; names head the columns and may be nil.
func (r *rowReader) fields(line string, columns []string, into []float64) ([]float64, error) {
	into = into[:0]
	for field := range strings.SplitSeq(line, ",") {
		v, err := parseNumber(field)
		if err != nil {
			where := fmt.Sprint(len(into) + 1)
			if len(into) < len(columns) {
				where = columns[len(into)]
			}
			return nil, r.errorf("column %s: %q is not a number", where, strings.TrimSpace(field))
		}
		into = append(into, v)
	}
	if len(into) != len(columns) {
		return nil, r.errorf("%d values where the header has %d columns", len(into), len(columns))
	}
	return into, nil
}

// parseNumber reads a decimal, or a missing or infinite value as R, Python and Stan spell them.
func parseNumber(field string) (float64, error) {
	field = strings.Trim(strings.TrimSpace(field), `"`)
	if field == "NA" {
		field = "NaN"
	}
	v, err := strconv.ParseFloat(field, 64)
	if errors.Is(err, strconv.ErrRange) { // 1e-400 is 0 and 1e400 is +Inf, which ParseFloat returns
		return v, nil
	}
	return v, err
}

// maxColumns and maxChains bound what is read: files with more hold something else than draws.
const (
	maxColumns = 100_000
	maxChains  = 10_000
)

// header cuts the first row into column names and refuses rows that cannot be one.
func (r *rowReader) header(line string) ([]string, error) {
	quoted := csv.NewReader(strings.NewReader(line)) // R quotes names, which may hold commas: "theta[1,2]"
	quoted.LazyQuotes = true
	columns, err := quoted.Read()
	if err != nil {
		return nil, r.errorf("the header is not CSV: %v", err)
	}
	if len(columns) > maxColumns {
		return nil, r.errorf("%d columns: want at most %d", len(columns), maxColumns)
	}
	seen := map[string]bool{}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
		switch _, err := strconv.ParseFloat(columns[i], 64); {
		case columns[i] == "":
			return nil, r.errorf("column %d has no name: write draws without row names (row.names = FALSE, index=False)", i+1)
		case err == nil:
			return nil, r.errorf("column %d is headed by the number %q: the first row must name the columns", i+1, columns[i])
		case seen[columns[i]]:
			return nil, r.errorf("column %q is there twice", columns[i])
		}
		seen[columns[i]] = true
	}
	return columns, nil
}

// stanReader sorts the lines of a file into settings, header, warm-up, adaptation and draws.
type stanReader struct {
	rows     *rowReader
	draws    *Draws
	columns  []string
	params   []int // positions of the parameters among the columns
	values   []float64
	trace    Trace
	chainOf  []int // the chain of each row, where a column says it
	ids      map[int]bool
	adapted  bool // the adaptation comment has come
	inMetric bool // the last comment was a row of the metric, or its title
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

// finish gives the rows to warm-up and draws. A file without adaptation comment counts its warm-up by the header.
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

// cut splits a trace before draw n.
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
