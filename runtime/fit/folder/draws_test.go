package folder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Files of draws are compared by their draws only: comments and names of columns may differ, but no digit of a draw.
func TestCompareDraws(t *testing.T) {
	was, now := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(was, "chain_1.csv"): "# old\nlp__,v.B\n# Step size = 1\n-1,0.5\n-2,0.6\n", filepath.Join(now, "chain_1.csv"): "# new\nlp__,v[B]\n-1,0.5\n-2,0.6\n# Elapsed\n",
		filepath.Join(was, "chain_2.csv"): "lp__,v\n-1,0.5\n", filepath.Join(now, "chain_2.csv"): "lp__,v\n-1,0.4\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if files, differ, err := CompareDraws(was, now); err != nil || files != 2 || !slices.Equal(differ, []string{"chain_2.csv"}) {
		t.Error(files, differ, err)
	}
}
