package rows

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"likc/runtime/model/ssm"
	"likc/search/study/bank"
)

type exact struct{}

func (exact) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		dst[i] = ssm.DDM.LogDensity(rt[i], choice[i], theta[i])
	}
}

func scored(t *testing.T) *Rows {
	t.Helper()
	s, err := bank.NewSettings("search-rows", "ddm", "exact", 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 12
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Score(exact{}, b, Source{Kind: "exact", Sum: "none"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoundTrip: what is written reads back, and its targets are the density's own.
func TestRoundTrip(t *testing.T) {
	r, dir := scored(t), filepath.Join(t.TempDir(), "rows")
	for range 2 { // the second replaces the first
		if err := Write(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Read(dir)
	if err != nil || !cmp.Equal(r, again) {
		t.Fatalf("%v %s", err, cmp.Diff(r, again))
	}
	if len(again.RT) != 12 || len(again.RT[3]) != 20 {
		t.Fatalf("%d groups of %d", len(again.RT), len(again.RT[3]))
	}
	if got, want := again.Target[3][7], ssm.DDM.LogDensity(again.RT[3][7], 1, again.Theta[3]); got != want {
		t.Errorf("target %v, want %v", got, want)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("left %v", entries)
	}
}

// TestForeignFolders: a folder of something else is refused, and left as it is.
func TestForeignFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{ManifestFile, "weights.bin"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("sums"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir, scored(t)); err == nil || !strings.Contains(err.Error(), "holds weights.bin, which is not of scored rows") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, ManifestFile)); err != nil || string(text) != "sums" {
		t.Errorf("the manifest is %q, %v", text, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left %v", entries)
	}
}

// TestDamage: a changed byte is found, and a folder that is none is named.
func TestDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rows")
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "no scored rows") {
		t.Errorf("%v", err)
	}
	if err := Write(dir, scored(t)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{TableFile, RecordFile} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), name+": differs") {
			t.Errorf("%s was changed: %v", name, err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type broken struct{}

func (broken) LogDensity(dst []float64, _ [][]float64, _, _ []float64) { dst[0] = math.Inf(-1) }

// TestRefuses: what cannot be learned from is refused.
func TestRefuses(t *testing.T) {
	s, err := bank.NewSettings("search-rows", "ddm", "exact", 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 2
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Score(broken{}, b, Source{}); err == nil || !strings.Contains(err.Error(), "log density is -Inf") {
		t.Errorf("%v", err)
	}
	b.Subjects[1].RT = b.Subjects[1].RT[1:]
	if _, err := Score(exact{}, b, Source{}); err == nil || !strings.Contains(err.Error(), "19 trials") {
		t.Errorf("%v", err)
	}
	b.Settings.UpperOnly = false
	if _, err := Score(exact{}, b, Source{}); err == nil || !strings.Contains(err.Error(), "both boundaries") {
		t.Errorf("%v", err)
	}
}
