package units

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/sys/store"
)

type square struct{ N, Square int }

func squares(_ context.Context, i int) (square, error) { return square{i, i * i}, nil }

// TestOrder checks that threads change nothing.
func TestOrder(t *testing.T) {
	for _, threads := range []int{1, 3, 50} {
		got, err := Run(context.Background(), nil, 20, Settings{Threads: threads}, squares)
		if err != nil || len(got) != 20 {
			t.Fatalf("%d threads: %d units, %v", threads, len(got), err)
		}
		for i, s := range got {
			if s != (square{i, i * i}) {
				t.Errorf("%d threads: unit %d is %v", threads, i, s)
			}
		}
	}
}

// TestResume cuts a run's file at every byte and resumes the run: the finished file is always the same.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.jsonl")
	want := all(t, whole, nil)
	text, _ := os.ReadFile(whole)
	for cut := range text {
		path := filepath.Join(dir, "cut.jsonl")
		if err := os.WriteFile(path, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		os.Remove(path + store.SumEnding)
		if got := all(t, path, nil); !slices.Equal(got, want) {
			t.Fatalf("cut at %d: %v", cut, got)
		}
		if again, _ := os.ReadFile(path); string(again) != string(text) {
			t.Fatalf("cut at %d: the file is\n%s", cut, again)
		}
	}
}

func all(t *testing.T, path string, stop func(int) error) []square {
	t.Helper()
	f, err := Open[square](path, map[string]int{"seed": 1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := Run(context.Background(), f, 12, Settings{Threads: 2}, func(ctx context.Context, i int) (square, error) {
		if i < len(f.done) {
			t.Errorf("unit %d was done before", i)
		}
		return squares(ctx, i)
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestEnds checks that after an error, or the context's end, the file has only whole units.
func TestEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "u.jsonl")
	f, err := Open[square](path, 1)
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	got, err := Run(context.Background(), f, 10, Settings{Threads: 1}, func(ctx context.Context, i int) (square, error) {
		if i == 4 {
			return square{}, boom
		}
		return squares(ctx, i)
	})
	if len(got) != 4 || !errors.Is(err, boom) {
		t.Errorf("%d units, error %v; want 4, boom", len(got), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	got, err = Run(ctx, nil, 10, Settings{Threads: 1}, func(ctx context.Context, i int) (square, error) {
		if i == 3 {
			cancel()
		}
		return squares(ctx, i)
	})
	if len(got) != 3 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d units, error %v; want 3 and the context's", len(got), err)
	}
	f.Close()
	if text, _ := os.ReadFile(path); strings.Count(string(text), "\n") != 5 {
		t.Errorf("the file has %d lines, want 5:\n%s", strings.Count(string(text), "\n"), text)
	}
	if _, err := Open[square](path, 2); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("another header: %v", err)
	}
}

// TestNothingToLose checks that a run with other settings replaces a file of a run that finished no unit, but
// not one with a finished unit or a file of another kind.
func TestNothingToLose(t *testing.T) {
	type header struct{ Seed int }
	for text, taken := range map[string]bool{
		`{"Seed":1}` + "\n":            true,
		`{"Seed":1}` + "\n" + `{"Sq":`: true, // a unit that was cut off
		`{"Seed":1}` + "\n{}\n":        false,
		`{"mine":1}` + "\n":            false,
		"notes\n":                      false,
	} {
		path := filepath.Join(t.TempDir(), "u.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open[square](path, header{2})
		if (err == nil) != taken {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			if _, err := Run(context.Background(), f, 2, Settings{Threads: 1}, squares); err != nil {
				t.Error(err)
			}
			f.Close()
		}
		got, _ := os.ReadFile(path)
		if want := "{\"Seed\":2}\n"; taken != strings.HasPrefix(string(got), want) || !taken && string(got) != text {
			t.Errorf("%q: the file holds %q", text, got)
		}
	}
}

// A run returns an error if a unit could not be written to its file, even if it is the last unit.
func TestUnkept(t *testing.T) {
	f, err := Open[square](filepath.Join(t.TempDir(), "u.jsonl"), 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), f, 3, Settings{Threads: 1}, func(ctx context.Context, i int) (square, error) {
		if i == 2 {
			f.Close()
		}
		return squares(ctx, i)
	})
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, though the last unit was not written", err)
	}
}
