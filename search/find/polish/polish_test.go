package polish_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/search/find/objective"
	"likc/search/find/polish"
	"likc/search/find/problem"
)

// find returns the path of a folder of the repository's test data.
func find(name string) (string, error) {
	for _, place := range []string{"teacher", "banks"} {
		dir := filepath.Join("..", "..", "..", "testdata", place, name)
		if _, err := os.Stat(dir); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("no such folder")
}

// some returns some expressions of a front of the repository that recover all parameters.
func some(t *testing.T) []front.Line {
	t.Helper()
	lines, err := front.ReadFile("../../../testdata/fronts/improved/improved-l1-s3.jsonl", catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	return lines[len(lines)-3:]
}

func open(t *testing.T, s polish.Settings) (*polish.Run, error) {
	t.Helper()
	const lambda, evaluations = 50, 5
	p, err := problem.Open(context.Background(), problem.Settings{Teacher: "spline", Rows: "search-rows", Objective: problem.Polish, Lambda: lambda, Subjects: 20,
		NonFinite: objective.Role, Single: true, Preset: "likc", Seed: 1, Evaluations: evaluations}, find)
	if err != nil {
		t.Fatal(err)
	}
	s.Climb = polish.Climb(1, evaluations, polish.DefaultPrice, lambda)
	r, err := polish.Open(p, some(t), s)
	if err != nil {
		return nil, err
	}
	if err := r.Rank(context.Background()); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func climb(t *testing.T, s polish.Settings) *polish.Run {
	t.Helper()
	r, err := open(t, s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Climb(context.Background(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	return r
}

// A run that adds climbs to those of an earlier run gives the same front as one run with all climbs. A run with fewer climbs is
// refused, unless Force is set.
func TestRunContinues(t *testing.T) {
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole.jsonl"), filepath.Join(dir, "parts.jsonl")
	all := climb(t, polish.Settings{Output: whole})
	climb(t, polish.Settings{Output: parts, Top: 1, Threads: 1})
	one, _ := os.ReadFile(parts)
	climb(t, polish.Settings{Output: parts})
	a, _ := os.ReadFile(whole)
	b, _ := os.ReadFile(parts)
	if len(a) == 0 || string(a) != string(b) || len(one) >= len(a) {
		t.Errorf("%d bytes in one run, %d in two, %d of the first climb", len(a), len(b), len(one))
	}
	if _, err := open(t, polish.Settings{Output: parts, Top: 1}); err == nil || !strings.Contains(err.Error(), "has 2 climbs beyond the first 1: not written over") {
		t.Errorf("fewer climbs: %v", err)
	}
	climb(t, polish.Settings{Output: parts, Top: 1, Force: true})
	if again, _ := os.ReadFile(parts); string(again) != string(one) {
		t.Error("with force, the front is not that of one climb")
	}
	found, err := all.Found()
	if err != nil || all.Done() != all.Wanted() {
		t.Fatal(err, all.Done())
	}
	for _, c := range found {
		if len(c.Before) != 4 || len(c.After) != 4 || slices.Min(c.After) < -1 || slices.Max(c.After) > 1 {
			t.Errorf("recovery %v, then %v", c.Before, c.After)
		}
	}
}

// A front that a run with other settings wrote is not overwritten.
func TestForeignFront(t *testing.T) {
	path := filepath.Join(t.TempDir(), "F.jsonl")
	if err := front.WriteFile(path, some(t)); err != nil {
		t.Fatal(err)
	}
	var wrong *problem.Error
	if _, err := open(t, polish.Settings{Output: path}); !errors.As(err, &wrong) || wrong.Setting != "output" || !strings.Contains(err.Error(), "F.jsonl:1: of other settings") {
		t.Error(err)
	}
}
