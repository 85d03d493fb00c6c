package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"likc/search/front"
	"likc/search/judge"
)

// Read reads the verdicts on one search's front, as the judge writes them. It refuses verdicts on several searches, and
// those on models that no search found.
func Read(path string) (Search, error) {
	verdicts, err := Verdicts(path)
	if err != nil {
		return Search{}, err
	}
	s := Search{Lambda: float64(verdicts[0].Lambda), Seed: verdicts[0].Seed}
	for i, v := range verdicts {
		at := fmt.Sprintf("%s:%d", path, i+1)
		switch {
		case v.Expr == "" || v.Lambda != v.Lambda:
			return s, fmt.Errorf("%s: %s is of no search: want verdicts on a front that likc search wrote", at, v.Model)
		case float64(v.Lambda) != s.Lambda || v.Seed != s.Seed:
			return s, fmt.Errorf("%s: λ %v, seed %d: want the verdicts of one search a file, and the first line's is λ %v, seed %d",
				at, v.Lambda, v.Seed, s.Lambda, s.Seed)
		}
		s.Expressions = append(s.Expressions, expression(v))
	}
	return s, nil
}

// Verdicts reads a file of verdicts, at least one.
func Verdicts(path string) ([]*judge.Verdict, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		var where *os.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []*judge.Verdict
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, len(text)+1)
	for line := 1; scan.Scan(); line++ {
		v := &judge.Verdict{}
		if err := json.Unmarshal(scan.Bytes(), v); err != nil {
			return nil, fmt.Errorf("%s:%d: not a verdict: %w", path, line, err)
		}
		if v.Method == "" || len(v.Params) == 0 {
			return nil, fmt.Errorf("%s:%d: not a verdict: says nothing of any parameter's recovery; likc judge writes verdicts", path, line)
		}
		out = append(out, v)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no verdict", path)
	}
	return out, nil
}

func expression(v *judge.Verdict) Expression {
	e := Expression{Canonical: v.Simplified, Text: v.Expr, Lambda: v.Lambda, Seed: v.Seed, Size: v.Size, Tier: v.Tier, Pass: v.Pass,
		WeakestR: v.WeakestR, Divergences: v.Divergences, Search: v.Search}
	if e.Canonical == "" {
		e.Canonical = v.Expr
	}
	e.Params = []Recovery{}
	for i := range v.Params {
		p := &v.Params[i]
		e.Params = append(e.Params, Recovery{Name: p.Name, R: p.R, Edge: p.Edge, Pass: p.Pass()})
	}
	return e
}

// line is the expression as a line of a front.
func (e *Expression) line() (front.Line, error) {
	l := front.Line{}
	if len(e.Search) > 0 {
		if err := json.Unmarshal(e.Search, &l); err != nil {
			return l, err
		}
	}
	l.Expr, l.Size, l.Lambda, l.Seed, l.Tier = e.Text, e.Size, e.Lambda, e.Seed, e.Tier
	return l, nil
}
