package units

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShare checks that the parts have every unit once, in order, and that their sizes differ by at most one.
func TestShare(t *testing.T) {
	for _, n := range []int{0, 1, 7, 50, 51} {
		for _, of := range []int{1, 3, 7, 60} {
			next := 0
			for k := 1; k <= of; k++ {
				from, to := Part{k, of}.Share(n)
				if from != next || to < from || to-from < n/of || to-from > n/of+1 {
					t.Errorf("part %d/%d of %d units is %d to %d", k, of, n, from, to)
				}
				next = to
			}
			if next != n {
				t.Errorf("%d parts of %d units end with %d", of, n, next)
			}
		}
	}
	if from, to := (Part{}).Share(5); from != 0 || to != 5 {
		t.Errorf("the whole is %d to %d", from, to)
	}
}

func TestParsePart(t *testing.T) {
	if p, err := ParsePart("2/3"); err != nil || p != (Part{2, 3}) {
		t.Error(p, err)
	}
	for _, bad := range []string{"", "1", "0/3", "4/3", "1/3x", "01/3", "-1/3", "1/10000000", "1/0"} {
		if p, err := ParsePart(bad); err == nil {
			t.Errorf("%q is %v", bad, p)
		}
	}
}

// TestJoin checks that joined parts give the same file, byte for byte, as a run without parts, at whatever
// unit the joining run was interrupted before.
func TestJoin(t *testing.T) {
	dir, header := t.TempDir(), map[string]int{"seed": 1}
	want := all(t, filepath.Join(dir, "whole"), nil)
	whole, _ := os.ReadFile(filepath.Join(dir, "whole"))
	var parts []string
	for k := 1; k <= 5; k++ {
		path := filepath.Join(dir, fmt.Sprint("part", k))
		from, to := Part{k, 5}.Share(len(want))
		f, err := Open[square](path, header)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(t.Context(), f, to-from, Settings{Threads: 2}, func(ctx context.Context, i int) (square, error) { return squares(ctx, from+i) })
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		parts = append(parts, path)
	}
	for _, had := range []int{0, 1, 5, 12} {
		path := filepath.Join(dir, fmt.Sprint("joined", had))
		lines := strings.SplitAfter(string(whole), "\n")
		if err := os.WriteFile(path, []byte(strings.Join(lines[:had+1], "")), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Open[square](path, header)
		if err != nil {
			t.Fatal(err)
		}
		if err := Join(f, header, len(want), Done(parts...)); err != nil {
			t.Error(err)
		}
		f.Close()
		if text, _ := os.ReadFile(path); string(text) != string(whole) {
			t.Errorf("with %d units before: %s", had, text)
		}
	}
	for name, c := range map[string]struct {
		header any
		parts  []string
	}{"other settings": {2, parts}, "and the run has 12": {header, parts[1:]}, "no such file": {header, []string{"nowhere"}}} {
		f, err := Open[square](filepath.Join(dir, "bad "+name), c.header)
		if err != nil {
			t.Fatal(err)
		}
		if err := Join(f, c.header, len(want), Done(c.parts...)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}
