package teacher

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

// partial begins the names of files that are being written.
const partial = ".partial-"

// required are the files without which there is no teacher.
var required = []string{WeightsFile, RecordFile}

// Examined adds or replaces the report of a teacher's examination, and its manifest with it.
func Examined(dir string, report []byte) error {
	if _, err := readFiles(dir); err != nil {
		return err
	}
	err := discard(dir)
	if err == nil {
		err = writeFiles(dir, map[string][]byte{GateFile: report})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	return nil
}

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
		if err != nil || len(hash) != sha256.Size || !slices.Contains(members, name) {
			return nil, fmt.Errorf("line %d: want a SHA-256 sum in hexadecimal, two spaces and a file of a teacher", i+1)
		}
		sums = append(sums, sum{[sha256.Size]byte(hash), name})
	}
	for _, name := range required {
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
