package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/neural"
)

// A network that another program trained has the ranges on which it was trained, not those of likc's process.
func TestRangesOfANetwork(t *testing.T) {
	const path = "../../../testdata/reference/networks/lan_ddm.json"
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "likc teacher copy") {
		t.Errorf("the bare weights: %v", err)
	}
	weights, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, err := neural.OfWeights("lan.json", weights, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "lan")
	if err := neural.Members.Update(dir, files); err != nil {
		t.Fatal(err)
	}
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	process, err := Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	onset := m.ParamIndex("t")
	if lower := m.Params[onset].Lower; lower != 0.001 || process.Params[onset].Lower != 0 {
		t.Errorf("t begins at %v, and the process's at %v; the file says 0.001", lower, process.Params[onset].Lower)
	}
}
