//go:build amd64 && !purego

package vec

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestListing reads the assembly. It checks that kernels use no instructions of a higher instruction set, and that they
// clear the upper halves of registers before they return.
func TestListing(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	beyondAVX2 := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b`)
	listed := 0
	for _, body := range strings.Split(string(text), "\nTEXT ")[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(body, "·"), "(SB)")
		listed++
		if strings.HasSuffix(name, "AVX2") {
			if found := beyondAVX2.FindString(body); found != "" {
				t.Errorf("%s uses %s", name, found)
			}
		}
		returns := strings.Count(body, "\tRET")
		if cleared := len(regexp.MustCompile(`VZEROUPPER\n(\tMOVSD[^\n]*\n)?\tRET`).FindAllString(body, -1)); returns == 0 || cleared != returns {
			t.Errorf("%s clears the upper halves at %d of %d returns", name, cleared, returns)
		}
	}
	if want := 2 * (len(kernels) + len(kernels32) + 6); listed != want {
		t.Errorf("%d kernels in the listing, %d under test", listed, want)
	}
}
