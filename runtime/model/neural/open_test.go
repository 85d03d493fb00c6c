package neural

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const committed = "../../../testdata/teacher/spline"

// TestCommittedValues compares log densities of the committed teacher with stored values, which change only if the weights change.
func TestCommittedValues(t *testing.T) {
	o, err := Open(committed)
	if err != nil {
		t.Fatal(err)
	}
	theta := [][]float64{{1, 1.2, 0.5, 0.3}, {-2, 0.7, 0.3, 0.9}, {0.1, 2.2, 0.8, 0.05}, {1, 1.2, 0.5, 0.3}}
	got := make([]float64, len(theta))
	o.LogDensity(got, theta, []float64{0.9, 1.1, 3, 0.3}, []float64{1, -1, -1, 1})
	want := []float64{-0.274199378895, 0.636214623924, -3.90379702127}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("at %v: %.12g, stored %.12g", theta[i], got[i], want[i])
		}
	}
	if !math.IsInf(got[3], -1) {
		t.Errorf("at rt = t: %v", got[3])
	}
}

// TestOpenRefuses damages a copy of the committed teacher, which Open must then refuse.
func TestOpenRefuses(t *testing.T) {
	edit := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return []byte(strings.Replace(string(b), old, new, 1)) }
	}
	cases := []struct {
		file, want string
		spoil      func([]byte) []byte
		resum      bool // write a manifest that agrees
	}{
		{WeightsFile, "weights.bin: differs", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, false},
		{WeightsFile, "weights.bin: differs", func(b []byte) []byte { return b[:len(b)-1] }, false},
		{WeightsFile, "weights.bin: spline", func(b []byte) []byte { return b[:len(b)-1] }, true},
		{WeightsFile, "weights.bin: spline", func([]byte) []byte { return []byte{} }, true},
		{RecordFile, "model \"drift9\": unknown", edit(`"ddm"`, `"drift9"`), true},
		{RecordFile, "networks of 3 and 3 inputs, want the 4 of angle", edit(`"ddm"`, `"angle"`), true},
		{RecordFile, "kind \"oracle\": unknown", edit(`"spline"`, `"oracle"`), true},
		{RecordFile, "format 9", edit(`"format": 1`, `"format": 9`), true},
		{RecordFile, "not a teacher's record", func(b []byte) []byte { return b[:len(b)/2] }, true},
		{ManifestFile, "is not listed", func(b []byte) []byte { return b[:strings.IndexByte(string(b), '\n')+1] }, false},
		{ManifestFile, "line 1", func(b []byte) []byte { return b[1:] }, false},
		{ManifestFile, "cut short", func(b []byte) []byte { return b[:len(b)-1] }, false},
	}
	for _, c := range cases {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(committed)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = c.spoil(slices.Clone(data))
		if c.resum {
			err = Members.Update(dir, map[string][]byte{c.file: data})
		} else {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a teacher") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestSpoiltRecord checks that a record with impossible losses is refused, even if the manifest agrees.
func TestSpoiltRecord(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"best": 57`, `"best": 60`}:        "best is epoch 60, counted from 0, of 60",
		{`"best": 57`, `"best": -1`}:        "best is epoch -1",
		{`"validation": [`, `"unknown": [`}: "60 losses in training but 0 in validation",
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(committed)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, RecordFile))
		if err != nil {
			t.Fatal(err)
		}
		spoilt := bytes.ReplaceAll(text, []byte(change[0]), []byte(change[1]))
		if err := Members.Update(dir, map[string][]byte{RecordFile: spoilt}); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "teacher.json: stage 1") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", change, err, want)
		}
	}
}
