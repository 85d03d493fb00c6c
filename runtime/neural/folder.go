package neural

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a teacher.
const (
	WeightsFile    = "weights.bin"
	RecordFile     = "teacher.json"
	GateFile       = "gate.json"
	ManifestFile   = "MANIFEST.sha256"
	CheckpointFile = "checkpoint.bin" // while training
)

// Files are the names of a teacher's files but the manifest, in the manifest's order. Without the Required there is no
// teacher.
var (
	Files    = []string{WeightsFile, RecordFile, GateFile}
	Required = []string{WeightsFile, RecordFile}
)

// readFiles reads the files that the manifest lists and checks their sums.
func readFiles(dir string) (map[string][]byte, error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, CheckpointFile)); err == nil {
			return nil, fmt.Errorf("%s: a teacher whose training is not finished: likc teacher train --resume -o %s goes on", dir, dir)
		}
		return nil, fmt.Errorf("%s: not a teacher: want a folder with %s", dir, ManifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	sums, err := parseManifest(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files := map[string][]byte{}
	for _, s := range sums {
		file := filepath.Join(dir, s.name)
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, plain(err))
		}
		if sha256.Sum256(data) != s.hash {
			return nil, fmt.Errorf("%s: differs from %s", file, ManifestFile)
		}
		files[s.name] = data
	}
	return files, nil
}

// sum is a line of the manifest.
type sum struct {
	hash [sha256.Size]byte
	name string
}

func parseManifest(text string) ([]sum, error) {
	if !strings.HasSuffix(text, "\n") {
		return nil, errors.New("cut short: its last line does not end")
	}
	var sums []sum
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		digits, name, _ := strings.Cut(line, "  ")
		hash, err := hex.DecodeString(digits)
		if err != nil || len(hash) != sha256.Size || !slices.Contains(Files, name) {
			return nil, fmt.Errorf("line %d: want a SHA-256 sum in hexadecimal, two spaces and a file of a teacher", i+1)
		}
		sums = append(sums, sum{[sha256.Size]byte(hash), name})
	}
	for _, name := range Required {
		if !slices.ContainsFunc(sums, func(s sum) bool { return s.name == name }) {
			return nil, fmt.Errorf("%s is not listed", name)
		}
	}
	return sums, nil
}

// plain drops the operation and path that errors of the system repeat.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
