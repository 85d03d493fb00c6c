package units

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Each part of a job is done as a separate job, and another job joins their files. A job whose parts cannot be had leaves no file.
func TestDo(t *testing.T) {
	dir := t.TempDir()
	job := func(name string) Job {
		return Job{Path: filepath.Join(dir, name), Header: 1, N: 5, Settings: Settings{Threads: 2}}
	}
	want, err := Do(t.Context(), job("whole"), squares)
	if err != nil || len(want) != 5 {
		t.Fatal(want, err)
	}
	second := job("second")
	second.Part = Part{2, 2}
	if got, err := Do(t.Context(), second, squares); err != nil || !slices.Equal(got, want[2:]) {
		t.Errorf("the second part has %v, %v", got, err)
	}
	none := func(context.Context, int) (square, error) {
		t.Error("a unit was done here")
		return square{}, nil
	}
	down, joined := errors.New("no machine"), job("joined")
	joined.Elsewhere = func() ([]string, error) { return nil, down }
	if _, err := Do(t.Context(), joined, none); !errors.Is(err, down) {
		t.Errorf("error %v, want %v", err, down)
	}
	if left, _ := filepath.Glob(joined.Path + "*"); len(left) > 0 {
		t.Errorf("a job that was not begun leaves %s", left)
	}
	joined.Elsewhere = func() ([]string, error) {
		first := job("first")
		first.Part = Part{1, 2}
		_, err := Do(t.Context(), first, squares)
		return []string{first.Path, second.Path}, err
	}
	if got, err := Do(t.Context(), joined, none); err != nil || !slices.Equal(got, want) {
		t.Errorf("the parts have %v, %v", got, err)
	}
	whole, _ := os.ReadFile(filepath.Join(dir, "whole"))
	if text, _ := os.ReadFile(joined.Path); string(text) != string(whole) {
		t.Errorf("joined: %s, want %s", text, whole)
	}
}
