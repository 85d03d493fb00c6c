package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"likc/runtime/model/front"
	"likc/runtime/sys/store"
	"likc/search/study/judge"
)

// Read reads verdicts on the fronts of one or more searches, as the judge writes them. Searches come in the order of their first
// lines. It refuses verdicts on models that no search found.
func Read(path string) ([]Search, error) {
	verdicts, err := Verdicts(path)
	if err != nil {
		return nil, err
	}
	type front struct {
		file   string
		lambda float64
		seed   uint64
	}
	indices := map[front]int{}
	var searches []Search
	for i, v := range verdicts {
		if v.Expr == "" || v.Lambda != v.Lambda {
			return nil, fmt.Errorf("%s:%d: %s is of no search: want verdicts on a front that likc search wrote", path, i+1, v.Model)
		}
		key := front{v.File, float64(v.Lambda), v.Seed}
		at, known := indices[key]
		if !known {
			at = len(searches)
			indices[key] = at
			searches = append(searches, Search{Lambda: key.lambda, Seed: key.seed, Judge: judgeOf(v)})
		}
		s := &searches[at]
		if s.Judge != judgeOf(v) {
			return nil, fmt.Errorf("%s:%d: judged by %s, and the same search's expressions before by %s", path, i+1, judgeOf(v), s.Judge)
		}
		s.verdicts = append(s.verdicts, v)
	}
	for i := range searches {
		searches[i].Expressions = expressions(searches[i].verdicts)
	}
	return searches, nil
}

// ReadAll reads files of verdicts as [Read] does. If two of them have the same search, it returns an error.
func ReadAll(paths []string) ([]Search, error) {
	type id struct {
		lambda float64
		seed   uint64
	}
	known := map[id]string{}
	var all []Search
	for _, path := range paths {
		searches, err := Read(path)
		if err != nil {
			return nil, err
		}
		for _, s := range searches {
			if other, twice := known[id{s.Lambda, s.Seed}]; twice {
				return nil, fmt.Errorf("%s: λ %v, seed %d: a search of %s too; want each once", path, s.Lambda, s.Seed, other)
			}
			known[id{s.Lambda, s.Seed}] = path
		}
		all = append(all, searches...)
	}
	return all, nil
}

// ErrNone means that a file has no verdict.
var ErrNone = errors.New("no verdict")

// Verdicts reads a file of verdicts. If it is empty, the error wraps ErrNone.
func Verdicts(path string) ([]*judge.Verdict, error) {
	text, err := store.ReadChecked(path)
	if err != nil {
		return nil, err
	}
	var out []*judge.Verdict
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, len(text)+1)
	for line := 1; scan.Scan(); line++ {
		v := &judge.Verdict{}
		if err := json.Unmarshal(scan.Bytes(), v); err != nil {
			return nil, fmt.Errorf("%s:%d: not a verdict: %w", path, line, err)
		}
		if v.Method == "" || len(v.Params) == 0 && v.Reason == "" {
			return nil, fmt.Errorf("%s:%d: not a verdict: says nothing of any parameter's recovery; likc judge writes verdicts", path, line)
		}
		out = append(out, v)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNone)
	}
	return out, nil
}

func judgeOf(v *judge.Verdict) Judge {
	return Judge{Bank: v.Bank, Method: v.Method, Settings: v.Settings}
}

// String describes the judge in words.
func (j Judge) String() string {
	return fmt.Sprintf("%s on %s with settings %s", j.Method, j.Bank, j.Settings)
}

// expressions returns the expressions of verdicts, equal ones once.
func expressions(verdicts []*judge.Verdict) []Expression {
	var list []Expression
	for _, v := range verdicts {
		list = append(list, expression(v))
	}
	return distinct(list)
}

func expression(v *judge.Verdict) Expression {
	e := Expression{Canonical: v.Simplified, Text: v.Expr, Lambda: v.Lambda, Seed: v.Seed, Size: v.Size, Tier: v.Tier, Pass: v.Pass, Honest: v.Honest,
		WeakestR: v.WeakestR, Divergences: v.Divergences, RhatShare: v.RhatShare, Fits: v.Fitted, Limited: v.Limited, Gradients: v.Gradients, Search: v.Search}
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

// line returns the expression as a line of a front, without its search's remarks.
func (e *Expression) line() front.Line {
	l := front.Line{}
	if e.Search != nil {
		l = e.Search.Line
	}
	l.Expr, l.Size, l.Lambda, l.Seed, l.Tier, l.Rest = e.Text, e.Size, e.Lambda, e.Seed, e.Tier, nil
	return l
}
