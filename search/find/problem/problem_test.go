package problem_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/search/find/objective"
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

// paper returns the settings of the paper's searches.
func paper() problem.Settings {
	return problem.Settings{Teacher: "spline", Rows: "search-rows", Objective: problem.Paper, Lambda: 1, NonFinite: objective.Role,
		Single: true, Preset: "likc", Seed: 3, Evaluations: 1_800_000}
}

// The hash of the paper's problem equals that in the committed fronts, which earlier versions wrote.
func TestHashIsTheCommittedOne(t *testing.T) {
	p, err := problem.Open(context.Background(), paper(), find)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := front.ReadFile("../../../testdata/fronts/paper-l1/paper-l1-s3.jsonl", catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Identity.Hash(), lines[0].Settings; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// The hash of the improved problem equals that in the committed fronts.
func TestHashOfImproved(t *testing.T) {
	s := paper()
	s.Objective, s.Evaluations = problem.Improved, 190_000
	p, err := problem.Open(context.Background(), s, find)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := front.ReadFile("../../../testdata/fronts/improved/improved-l1-s3.jsonl", catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Identity.Hash(), lines[0].Settings; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// Committed densities that were found with the present loss have the losses that are in their fronts.
func TestCommittedDensities(t *testing.T) {
	p, err := problem.Open(context.Background(), problem.Settings{Teacher: "spline", Rows: "search-rows", Objective: problem.KL, Constants: true, MaxSize: 60,
		NonFinite: objective.Role, Preset: "likc", Seed: 1, Evaluations: 1}, find)
	if err != nil {
		t.Fatal(err)
	}
	scorer, terms := p.Loss.NewScorer(), make([]float64, len(p.Loss.Terms()))
	for _, name := range []string{"guessed", "again"} { // the other fronts have an earlier loss, which did not ignore rare times
		lines, err := front.ReadFile("../../../testdata/fronts/density/"+name+".jsonl", catalog.Headers)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Parse(lines[0].Expr)
		if err != nil {
			t.Fatal(err)
		}
		loss := scorer.Score(f, math.Inf(1), terms)
		if want := float64(lines[0].Loss); !(math.Abs(loss-want) <= 1e-6*want) || !lines[0].Parsed.Normalise {
			t.Errorf("%s: loss %v, want %v", name, loss, want)
		}
	}
}

// An error names the setting, and says whether the setting itself is invalid, or the file or teacher that it names could not be
// used.
func TestErrorsNameTheSetting(t *testing.T) {
	for _, c := range []struct {
		change  func(s *problem.Settings)
		want    string
		refused bool
	}{
		{func(s *problem.Settings) { s.Teacher = "none" }, `^teacher none: no such folder$`, false},
		{func(s *problem.Settings) { s.Rows = "none" }, `^rows none: no such folder$`, false},
		{func(s *problem.Settings) { s.Rows = "test-60" }, `^rows test-60: a bank of the role test-60`, true},
		{func(s *problem.Settings) { s.Lambda = 2e6 }, `^lambda 2e\+06: want`, true},
		{func(s *problem.Settings) { s.Objective = "none" }, `^objective none: want`, true},
		{func(s *problem.Settings) { s.Objective = problem.KL }, `^lambda 1: the objective kl has no weight of recovery`, true},
		{func(s *problem.Settings) { s.Constants = true }, `^constants true: the objective paper fits no constants`, true},
		{func(s *problem.Settings) { s.NonFinite = "none" }, `^nonfinite none: want`, true},
		{func(s *problem.Settings) { s.Preset = "none" }, `^preset none: want likc or pysr$`, true},
		{func(s *problem.Settings) { s.Header = "none" }, `^header `, true},
		{func(s *problem.Settings) { s.MaxSize = 8 }, `^max-size 8: .*has at least 9 nodes$`, true},
		{func(s *problem.Settings) { s.MaxSize = 201 }, `^max-size 201: want 9 to 200$`, true},
		{func(s *problem.Settings) { s.Guesses = []string{"v +"} }, `^guess v \+: `, true},
	} {
		s := paper()
		c.change(&s)
		_, err := problem.Open(context.Background(), s, find)
		var wrong *problem.Error
		if !errors.As(err, &wrong) || wrong.Refused != c.refused || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%v, want %s, refused %v", err, c.want, c.refused)
		}
	}
}

// TestDiffering: Differing returns the first setting in which two problems differ.
func TestDiffering(t *testing.T) {
	id := problem.Identity{Header: "ddm"}
	id.Evolution.Seed, id.Evolution.Budget = 1, 100
	for _, c := range []struct {
		change func(other *problem.Identity)
		want   string
	}{
		{func(other *problem.Identity) { other.Evolution.Seed = 2 }, "seed 2, now 1"},
		{func(other *problem.Identity) { other.Evolution.Budget = 7 }, "evaluations 7, now 100"},
		{func(other *problem.Identity) { other.Objective.Lambda, other.Evolution.Seed = 3, 2 }, "lambda 3, now 0"},
		{func(other *problem.Identity) { other.Header = "angle" }, "header"},
		{func(other *problem.Identity) { other.Guesses = []string{"v"} }, "guesses"},
	} {
		other := id
		c.change(&other)
		if got := id.Differing(other.JSON()); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if id.Hash() == other.Hash() {
			t.Errorf("%s: the hashes are equal", c.want)
		}
	}
	if got := id.Differing([]byte("no JSON")); got != "it cannot be read" {
		t.Error(got)
	}
}

// The identity contains the number and the texts of the expressions to start from. An error in one names its file and line.
func TestStartFrom(t *testing.T) {
	p, err := problem.Open(context.Background(), paper(), find)
	if err != nil {
		t.Fatal(err)
	}
	before := p.Identity.Hash()
	if err := p.StartFrom([]front.Line{{Expr: "v*a - z*(rt - t)"}, {Expr: "exp(v)"}}); err != nil {
		t.Fatal(err)
	}
	if len(p.From) != 2 || p.Identity.From.Expressions != 2 || p.Identity.Hash() == before {
		t.Errorf("%d expressions, %+v", len(p.From), p.Identity.From)
	}
	if p.Text(p.From[1]) != "exp(v)" {
		t.Error(p.Text(p.From[1]))
	}
	err = p.StartFrom([]front.Line{{Expr: "q", File: "F.jsonl", At: 7}})
	if err == nil || !strings.HasPrefix(err.Error(), "F.jsonl:7: q: ") {
		t.Error(err)
	}
}
