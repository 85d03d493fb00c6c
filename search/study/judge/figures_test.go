package judge

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"likc/runtime/num/finite"
)

// Every form with fits gets a figure. Names of files are distinct and valid.
func TestDrawRecovery(t *testing.T) {
	verdict := func(model string) *Verdict {
		v := &Verdict{Model: model, Params: []Param{{Name: "v", R: 0.9}}}
		for _, x := range []float64{1, 2, 3} {
			v.Fits = append(v.Fits, Fit{Truth: finite.Numbers([]float64{x}), Mean: finite.Numbers([]float64{x})})
		}
		return v
	}
	unfitted, twin := verdict("none"), verdict("twin")
	unfitted.Fits, twin.Duplicate = nil, 1
	dir := t.TempDir()
	if err := DrawRecovery(dir, []*Verdict{verdict("front:1"), verdict("front-1"), verdict("a/b"), unfitted, twin}); err != nil {
		t.Fatal(err)
	}
	var names []string
	paths, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if want := []string{"a-b.svg", "front-1-2.svg", "front-1.svg"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}
