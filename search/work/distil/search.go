package distil

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/timing"
	"likc/runtime/num/finite"
	"likc/runtime/sys/store"
	"likc/runtime/sys/version"
	"likc/search/find/dictionary"
)

// record stores the input of a front's search.
type record struct {
	Hash    string  `json:"hash"`        // hash of the model, the settings and the searches' versions
	Seconds float64 `json:"cpu_seconds"` // processor time of the search
	Late    bool    `json:"late"`        // whether the time limit ended the search
}

// These are the names of figures in a front's lines.
const (
	meanTerm       = "kl"          // mean divergence in nats a trial, over fresh parameter vectors
	medianTerm     = "kl_median"   // median of the same divergences
	worstTerm      = "kl_95"       // 95 % quantile of the same divergences
	differenceTerm = "ks"          // largest difference of a choice's probability before a time, median over fresh parameter vectors
	termsTerm      = "terms"       // number of terms of the sum
	sharedTerm     = "size_shared" // number of nodes, where equal parts count once
)

// search searches for the front, or reads the front of the same search.
func (r *run) search(ctx context.Context) error {
	settings := r.settings()
	hash, err := r.hash(settings)
	if err != nil {
		return err
	}
	if r.readFront(hash) {
		return nil
	}
	started := timing.ProcessSeconds()
	all, err := dictionary.Find(ctx, r.target.header, r.target.Density, r.libraries, settings)
	late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !late {
		return err
	}
	r.lines = r.linesOf(all, hash)
	if len(r.lines) == 0 {
		return fmt.Errorf("no expression of up to %d nodes was found: give a larger --max-size", r.MaxSize)
	}
	r.record = record{hash, timing.ProcessSeconds() - started, late}
	if err := front.WriteFile(r.path(FrontFile), r.lines); err != nil {
		return err
	}
	if late { // a repeated search may get further
		return nil
	}
	return writeJSON(r.path(recordFile), r.record)
}

// settings returns the settings of the search.
func (r *run) settings() dictionary.Settings {
	s := r.Search
	s.Vectors, s.Terms = r.Vectors, r.Terms
	s.Seed, s.Threads, s.Limit, s.Progress = r.Seed, r.Threads, r.Limit, r.progress("search")
	return s
}

// hash returns the hash that identifies a search: of the version of likc, the settings, and the declarations of the model.
func (r *run) hash(s dictionary.Settings) (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %s %d %v %s\n", version.Get().Version, text, r.target.kind, r.MaxSize, r.libraries[0].Shared, r.Source)
	if err := catalog.WriteModel(sum, r.formula(expr.Num(0), r.target.header.Name)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// readFront reads the front of an earlier run. It returns false if there is none with the same hash.
func (r *run) readFront(hash string) bool {
	text, err := os.ReadFile(r.path(recordFile))
	if err != nil || json.Unmarshal(text, &r.record) != nil || r.record.Hash != hash {
		return false
	}
	lines, err := front.ReadFile(r.path(FrontFile), func(_, _ string) (*expr.Model, error) { return r.target.header, nil })
	if err != nil {
		return false
	}
	for i := range lines {
		lines[i].Parsed = r.formula(lines[i].Parsed.LogLik, r.target.header.Name)
	}
	r.lines = lines
	return true
}

// linesOf returns expressions as lines of a front.
func (r *run) linesOf(all []dictionary.Expression, hash string) (lines []front.Line) {
	for _, e := range all {
		if e.Size() > r.MaxSize {
			continue
		}
		lines = append(lines, front.Line{Expr: e.Expr.String(), Size: e.Expr.Size(), Loss: finite.Number(e.Score.Mean),
			Terms: map[string]finite.Number{meanTerm: finite.Number(e.Score.Mean), medianTerm: finite.Number(e.Score.Median), worstTerm: finite.Number(e.Score.Worst), differenceTerm: finite.Number(e.Difference()),
				sharedTerm: finite.Number(len(expr.Order(e.Expr))), termsTerm: finite.Number(e.Terms)},
			Seed: r.Seed, Model: r.target.header.Name, Normalise: true, Settings: hash, Parsed: r.formula(e.Expr, r.target.header.Name)})
	}
	return lines
}

// formula returns the normalised density of an expression as a model.
func (r *run) formula(e *expr.Expr, name string) *expr.Model {
	m := *r.target.header
	m.Name, m.Normalise = name, true
	m.LogLik, m.Lets = dictionary.Named(e, r.libraries[0].Lets)
	return &m
}

// limits are mean divergences, in nats a trial. For each limit, the smallest expression within it is judged.
var limits = []float64{0.003, 0.0012, 0.0006, 0.0003}

// candidate is an expression to judge.
type candidate struct {
	line  int // index of the front's line, from 0
	model *expr.Model
}

// candidates chooses expressions to judge, the shortest first. It skips those that have no integral somewhere in the ranges.
func (r *run) candidates(ctx context.Context) (all []candidate) {
	known := map[int]bool{} // whether the expression of a line has an integral everywhere
	proper := func(i int) bool {
		if _, checked := known[i]; !checked && ctx.Err() == nil {
			_, err := normal.Of(r.lines[i].Parsed)
			if known[i] = err == nil; err != nil {
				r.improper = err
			}
		}
		return known[i]
	}
	for _, limit := range limits {
		for i, l := range r.lines {
			if float64(l.Loss) <= limit && proper(i) {
				all = r.addCandidate(all, i)
				break
			}
		}
	}
	for i := len(r.lines) - 1; i >= 0 && len(all) == 0; i-- {
		if proper(i) {
			all = r.addCandidate(all, i)
		}
	}
	return all
}

// addCandidate appends the expression of line i to the candidates, unless it is the last of them already.
func (r *run) addCandidate(all []candidate, i int) []candidate {
	if len(all) > 0 && all[len(all)-1].line == i {
		return all
	}
	m := *r.lines[i].Parsed
	m.Name = fmt.Sprintf("%s_%d", r.target.header.Name, r.lines[i].Size)
	return append(all, candidate{i, &m})
}

// writeJSON writes a value as a file.
func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
