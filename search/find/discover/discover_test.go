package discover_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/search/find/discover"
	"likc/search/find/evolve"
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

func opened(t *testing.T, evaluations int64) *problem.Problem {
	t.Helper()
	p, err := problem.Open(context.Background(), problem.Settings{Teacher: "spline", Rows: "search-rows", Objective: problem.Paper, Lambda: 1,
		NonFinite: objective.Role, Single: true, Preset: "likc", Seed: 3, Evaluations: evaluations}, find)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func files(dir string) discover.Files {
	path := filepath.Join(dir, "F.jsonl")
	return discover.Files{Front: path, Table: discover.TablePath(path), State: path + ".state", Archive: filepath.Join(dir, "A.jsonl")}
}

func run(t *testing.T, ctx context.Context, p *problem.Problem, s discover.Settings, show func(evolve.Snapshot)) (*discover.Search, evolve.Reason) {
	t.Helper()
	search, err := discover.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	defer search.Close()
	reason, err := search.Run(ctx, show)
	if err != nil {
		t.Fatal(err)
	}
	return search, reason
}

// An interrupted search leaves a checkpoint. Resumed from it, the search finds the same front as an uninterrupted search. A
// search that has spent its budget leaves no checkpoint. A checkpoint of other settings cannot be resumed.
func TestInterruptedSearchResumes(t *testing.T) {
	p := opened(t, 3000)
	whole, parts := files(t.TempDir()), files(t.TempDir())
	nothing := func(evolve.Snapshot) {}
	if _, reason := run(t, context.Background(), p, discover.Settings{Files: whole, Checkpoint: time.Hour}, nothing); reason == evolve.Interrupted {
		t.Fatal(reason)
	}
	ctx, stop := context.WithCancel(context.Background())
	if _, reason := run(t, ctx, p, discover.Settings{Files: parts, Checkpoint: time.Hour}, func(evolve.Snapshot) { stop() }); reason != evolve.Interrupted {
		t.Fatal(reason)
	}
	if _, err := os.Stat(parts.State); err != nil {
		t.Fatal(err)
	}
	other := opened(t, 4000)
	if _, err := discover.New(other, discover.Settings{Files: parts, Checkpoint: time.Hour, Resume: true}); err == nil || !strings.Contains(err.Error(), "evaluations 3000, now 4000") {
		t.Errorf("resumed with another budget: %v", err)
	}
	search, _ := run(t, context.Background(), p, discover.Settings{Files: parts, Checkpoint: time.Hour, Resume: true, Threads: 1}, nothing)
	if !search.Resumed() {
		t.Error("the search began anew")
	}
	for k, pair := range [][2]string{{whole.Front, parts.Front}, {whole.Table, parts.Table}, {whole.Archive, parts.Archive}} {
		a, err := os.ReadFile(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(pair[1]); string(a) != string(b) {
			t.Errorf("file %d differs", k+1)
		}
	}
	if _, err := os.Stat(parts.State); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint is left: %v", err)
	}
	lines, err := front.ReadFile(whole.Front, catalog.Headers)
	if err != nil || lines[0].Tier == "" || lines[0].Settings != p.Identity.Hash() {
		t.Errorf("%v, first line %+v", err, lines)
	}
}

// A search without a budget ends at its time limit with that reason. Whether it has found anything by then depends on the
// machine.
func TestDeadline(t *testing.T) {
	search, err := discover.New(opened(t, 0), discover.Settings{Limit: 200 * time.Millisecond, Checkpoint: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer search.Close()
	if reason, err := search.Run(context.Background(), func(evolve.Snapshot) {}); reason != evolve.Deadline {
		t.Error(reason, err)
	}
}

// The front is locked while a search runs.
func TestFrontIsLocked(t *testing.T) {
	p, s := opened(t, 100), discover.Settings{Files: files(t.TempDir()), Checkpoint: time.Hour}
	search, err := discover.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := discover.New(p, s); err == nil {
		t.Error("two searches write one front")
	}
	search.Close()
	again, err := discover.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// densities returns the problem of a small search for densities with constants.
func densities(t *testing.T, evaluations int64) *problem.Problem {
	t.Helper()
	p, err := problem.Open(context.Background(), problem.Settings{Teacher: "spline", Rows: "search-rows", Objective: problem.KL, Constants: true,
		NonFinite: objective.Role, Preset: "likc", Seed: 1, Evaluations: evaluations}, find)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDensities: each loss in the front is that of the expression as it is printed, and the models are normalised. An interrupted
// search finds the same front.
func TestDensities(t *testing.T) {
	p := densities(t, 400)
	whole, parts := files(t.TempDir()), files(t.TempDir())
	nothing := func(evolve.Snapshot) {}
	run(t, context.Background(), p, discover.Settings{Files: whole, Checkpoint: time.Hour}, nothing)
	ctx, stop := context.WithCancel(context.Background())
	run(t, ctx, p, discover.Settings{Files: parts, Checkpoint: time.Hour}, func(evolve.Snapshot) { stop() })
	run(t, context.Background(), p, discover.Settings{Files: parts, Checkpoint: time.Hour, Resume: true, Threads: 1}, nothing)
	a, err := os.ReadFile(whole.Front)
	if b, _ := os.ReadFile(parts.Front); err != nil || string(a) != string(b) {
		t.Errorf("the front of an interrupted search differs: %v", err)
	}
	lines, err := front.ReadFile(whole.Front, catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	scorer, terms := p.Loss.NewScorer(), make([]float64, len(p.Loss.Terms()))
	for _, l := range lines {
		f, err := p.Parse(l.Expr)
		if err != nil || !l.Parsed.Normalise {
			t.Fatalf("%s: %v, normalised %v", l.Expr, err, l.Parsed.Normalise)
		}
		if loss := scorer.Score(f, math.Inf(1), terms); !(math.Abs(loss-float64(l.Loss)) <= 1e-9*loss) {
			t.Errorf("%s: loss %v, written %v", l.Expr, loss, l.Loss)
		}
	}
}

// TestCommittedFront: a search with an older objective still finds the committed front.
func TestCommittedFront(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("a search of a minute: LIKC_LONG=1")
	}
	p, err := problem.Open(context.Background(), problem.Settings{Teacher: "spline", Rows: "search-rows", Objective: problem.Improved, Lambda: 1,
		NonFinite: objective.Role, Single: true, Preset: "likc", Seed: 3, Evaluations: 190_000}, find)
	if err != nil {
		t.Fatal(err)
	}
	f := files(t.TempDir())
	run(t, context.Background(), p, discover.Settings{Files: f, Checkpoint: time.Hour}, func(evolve.Snapshot) {})
	got, err := os.ReadFile(f.Front)
	want, other := os.ReadFile("../../../testdata/fronts/improved/improved-l1-s3.jsonl")
	if err != nil || other != nil || string(got) != string(want) {
		t.Errorf("the front differs from the committed one: %v, %v", err, other)
	}
}
