package store

import (
	"bytes"
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

// ManifestFile lists a folder's files and their sums, as sha256sum writes them and sha256sum -c reads them.
const ManifestFile = "MANIFEST.sha256"

// Members are the files of one kind of folder, in the order of its manifest.
type Members struct {
	Kind     string   // "a bank", for errors
	Required []string // files that every folder of this kind has
	Optional []string
}

func (m Members) all() []string { return slices.Concat(m.Required, m.Optional) }

// Holds reports whether a folder of this kind may hold a file of that name: one of the members, the manifest, or an
// unfinished file.
func (m Members) Holds(name string) bool {
	return name == ManifestFile || isHidden(name) || slices.Contains(m.all(), name)
}

// Read reads the files that the manifest lists, by name, and checks their sums. There is one problem for each file that
// differs. Where there is no manifest, the first problem wraps fs.ErrNotExist.
func (m Members) Read(dir string) (files map[string][]byte, problems []error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, []error{fmt.Errorf("%s: %w", path, Cause(err))}
	}
	listed, err := m.Parse(text)
	if err != nil {
		return nil, []error{fmt.Errorf("%s: %w", path, err)}
	}
	files = map[string][]byte{}
	for _, e := range listed {
		path := filepath.Join(dir, e.Name)
		data, err := ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, fmt.Errorf("%s: missing, though %s lists it", path, ManifestFile))
		case err != nil:
			problems = append(problems, fmt.Errorf("%s: %w", path, err))
		case SumOf(data) != e.SHA256:
			problems = append(problems, fmt.Errorf("%s: differs from %s", path, ManifestFile))
		}
		files[e.Name] = data
	}
	return files, problems
}

// Format returns the manifest of files, given by name.
func (m Members) Format(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range m.all() {
		if data, ok := files[name]; ok {
			fmt.Fprintf(&b, "%s  %s\n", SumOf(data), name)
		}
	}
	return b.Bytes()
}

// Parse reads a manifest that Format or sha256sum wrote. It must list each required member once and each optional member at most once,
// in any order.
func (m Members) Parse(text []byte) ([]Entry, error) {
	var listed []Entry
	lines := strings.Split(string(text), "\n")
	last := len(lines) - 1
	if lines[last] != "" {
		return nil, fmt.Errorf("line %d: cut short: it does not end", last+1)
	}
	for i, line := range lines[:last] {
		e, err := m.parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if slices.ContainsFunc(listed, func(o Entry) bool { return o.Name == e.Name }) {
			return nil, fmt.Errorf("line %d: %s is listed twice", i+1, e.Name)
		}
		listed = append(listed, e)
	}
	for _, name := range m.Required {
		if !slices.ContainsFunc(listed, func(e Entry) bool { return e.Name == name }) {
			return nil, fmt.Errorf("%s is not listed", name)
		}
	}
	return listed, nil
}

var errSum = errors.New("want a SHA-256 sum in hexadecimal, two spaces and a file")

// parseLine reads one line: the sum, a space, a space or an asterisk, the file.
func (m Members) parseLine(line string) (Entry, error) {
	const digits = 2 * sha256.Size
	if len(line) < digits+3 || line[digits] != ' ' || line[digits+1] != ' ' && line[digits+1] != '*' {
		return Entry{}, errSum
	}
	sum, name := strings.ToLower(line[:digits]), line[digits+2:]
	if _, err := hex.DecodeString(sum); err != nil {
		return Entry{}, errSum
	}
	if !slices.Contains(m.all(), name) {
		return Entry{}, fmt.Errorf("%q is no file of %s, which has %s", name, m.Kind, strings.Join(m.all(), ", "))
	}
	return Entry{name, sum}, nil
}
