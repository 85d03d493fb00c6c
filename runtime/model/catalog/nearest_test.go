package catalog

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"ddm", "full_ddm", "angle", "expr1", "expr2", "lba2"}
	for name, want := range map[string]string{
		"DDM": "ddm", "dmd": "ddm", "hddm": "ddm", "angl": "angle", "Full_DMM": "full_ddm", "expr9": "expr1", "expr22": "expr2",
		"nosuch": "", "lan": "", "x": "", "": "", "fullddmm": "full_ddm", "fuldmm": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("nearest to %q: %q, want %q", name, got, want)
		}
	}
	if err := noModel("anlge"); err == nil || err.Error() != "anlge: no such model; did you mean angle? likc models lists all" {
		t.Error(err)
	}
	if err := noModel("nosuch"); err == nil || !strings.Contains(err.Error(), "; built in are ddm, angle, ") {
		t.Error(err)
	}
}
