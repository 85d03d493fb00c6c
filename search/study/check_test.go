package study_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
	"likc/search/study"
)

func open(t *testing.T, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func twice(_ context.Context, i int) (int, error) { return 2 * i, nil }

// TestUnitsAreKept: units that are stored are not run again. A run with other settings or another model is refused.
func TestUnitsAreKept(t *testing.T) {
	s := study.Where{Folder: t.TempDir()}
	m := open(t, "expr2")
	if _, err := study.Units(context.Background(), study.NewCheck(s, "double", "numbers", m, nil, 1), 5, twice); err != nil {
		t.Fatal(err)
	}
	got, err := study.Units(context.Background(), study.NewCheck(s, "double", "numbers", m, nil, 1), 5, func(context.Context, int) (int, error) {
		return 0, errors.New("run again")
	})
	if err != nil || got[4] != 8 {
		t.Errorf("%v, %v", got, err)
	}
	for _, other := range []*study.Check{study.NewCheck(s, "double", "numbers", m, nil, 2), study.NewCheck(s, "treble", "numbers", m, nil, 1), study.NewCheck(s, "double", "numbers", m, "bank", 1)} {
		if _, err := study.Units(context.Background(), other, 5, twice); err == nil || !strings.Contains(err.Error(), "other settings") {
			t.Errorf("another run: %v", err)
		}
	}
}

// A teacher that was trained again under the same name counts as another model.
func TestTeachersDifferByTheirWeights(t *testing.T) {
	s := study.Where{Folder: t.TempDir()}
	of := open(t, "ddm")
	density, _ := of.Density()
	simulator, _ := of.Simulator()
	for k, sum := range []string{"aa", "bb"} {
		m := catalog.OfTeacher("mine", simulator.Process, density, sum)
		if _, err := study.Units(context.Background(), study.NewCheck(s, "double", "numbers", m, nil, 1), 2, twice); (err == nil) != (k == 0) {
			t.Errorf("weights %s: %v", sum, err)
		}
	}
}

// The error of an interrupted run states how many units are stored, and where.
func TestInterrupted(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		ctx, stop := context.WithCancel(context.Background())
		_, err := study.Units(ctx, study.NewCheck(study.Where{Folder: folder, Threads: 1}, "double", "numbers", open(t, "expr2"), nil, 1), 5,
			func(ctx context.Context, i int) (int, error) {
				if i == 2 {
					stop()
				}
				return i, ctx.Err()
			})
		want := map[bool]string{true: "interrupted: expr2: 2 of 5 numbers were done, and nothing is kept", false: "2 of 5 numbers are kept in "}[folder == ""]
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The result and its figure are written if there is a folder. Without a folder, the figure is not drawn.
func TestWrite(t *testing.T) {
	draw := func() (study.Drawing, error) {
		return figure.Recovery([]figure.Recovered{{Name: "v", Truth: []float64{1, 2, 3}, Estimate: []float64{1, 2, 3}}})
	}
	dir, m := t.TempDir(), open(t, "expr2")
	if err := study.NewCheck(study.Where{Folder: dir}, "double", "numbers", m, nil, 1).Write(map[string]int{"r": 1}, draw); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "expr2.json")); err != nil || string(text) != "{\"r\":1}\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "expr2.svg")); err != nil || !strings.Contains(string(text), "<svg") {
		t.Error(err)
	}
	fails := func() (study.Drawing, error) { return nil, errors.New("drawn") }
	if err := study.NewCheck(study.Where{}, "double", "numbers", m, nil, 1).Write(1, fails); err != nil {
		t.Error(err)
	}
}
