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

// Network is a network whose densities are compared with the teacher's.
type Network struct {
	*lan.Network
	NetworkUsed
	from []string // SHA-256 of the weights of each teacher that it learned from, if its folder says so
}

// NetworkUsed names the network that a report's cross-check used.
type NetworkUsed struct {
	File string `json:"file"` // the file's name, without folders
	Sum  string `json:"sha256"`
}

// ReadNetwork reads a network in the format lan-mlp-json/1. If the file holds a teacher's weights, the teacher's folder also tells
// which teachers it learned from. Errors name the file.
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

// kin says how a network depends on the teacher: the same weights, or one learned from the other. "" means that no dependence is
// known.
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
