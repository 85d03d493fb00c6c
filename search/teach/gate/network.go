package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"likc/runtime/model/neural"
	"likc/runtime/model/neural/lan"
	"likc/runtime/sys/store"
)

// Network is a network to cross-check with.
type Network struct {
	*lan.Network
	NetworkUsed
	from []string // sums of the weights that it learned from, as far as its folder says
}

// NetworkUsed says which network a report is of.
type NetworkUsed struct {
	File string `json:"file"` // its name, without folders
	Sum  string `json:"sha256"`
}

// ReadNetwork reads a network in the format lan-mlp-json/1. If it is the weights of a teacher's folder, the folder says
// what it learned from. Errors name the file.
func ReadNetwork(path string) (*Network, error) {
	data, err := store.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	read, err := lan.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(data)
	n := &Network{Network: read, NetworkUsed: NetworkUsed{filepath.Base(path), hex.EncodeToString(sum[:])}}
	dir := filepath.Dir(path)
	if _, err := os.Stat(filepath.Join(dir, neural.RecordFile)); err != nil || filepath.Base(path) != neural.WeightsFile {
		return n, nil
	}
	o, err := neural.Open(dir)
	if err != nil {
		return nil, err
	}
	n.from = o.Lineage()
	return n, nil
}

// kin says how a network depends on the teacher; nothing if it does not, as far as is known.
func (n *Network) kin(s Subject) string {
	switch {
	case n.Sum == s.Sum:
		return "is the teacher's own weights"
	case slices.Contains(s.Lineage, n.Sum):
		return "is what the teacher learned from"
	case slices.Contains(n.from, s.Sum):
		return "learned from the teacher"
	}
	for _, sum := range n.from {
		if slices.Contains(s.Lineage, sum) {
			return "learned from the same weights as the teacher"
		}
	}
	return ""
}
