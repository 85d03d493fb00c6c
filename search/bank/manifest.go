package bank

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// sum is a line of the manifest.
type sum struct {
	hash [sha256.Size]byte
	file string
}

// formatManifest writes sums as sha256sum does.
func formatManifest(sums []sum) []byte {
	var b bytes.Buffer
	for _, s := range sums {
		fmt.Fprintf(&b, "%x  %s\n", s.hash, s.file)
	}
	return b.Bytes()
}

// parseManifest reads what formatManifest or sha256sum writes about the files
// of a bank, each once, in any order.
func parseManifest(text []byte) ([]sum, error) {
	var sums []sum
	lines := strings.Split(string(text), "\n")
	last := len(lines) - 1
	if lines[last] != "" {
		return nil, fmt.Errorf("line %d: cut short: it does not end", last+1)
	}
	for i, line := range lines[:last] {
		s, err := parseSum(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if slices.ContainsFunc(sums, func(o sum) bool { return o.file == s.file }) {
			return nil, fmt.Errorf("line %d: %s is listed twice", i+1, s.file)
		}
		sums = append(sums, s)
	}
	for _, file := range dataFiles {
		if !slices.ContainsFunc(sums, func(s sum) bool { return s.file == file }) {
			return nil, fmt.Errorf("%s is not listed", file)
		}
	}
	return sums, nil
}

var errSum = errors.New("want a SHA-256 sum in hexadecimal, two spaces and a file")

// parseSum reads one line: the sum, a space, a space or an asterisk, the file.
func parseSum(line string) (sum, error) {
	const digits = 2 * sha256.Size
	var s sum
	if len(line) < digits+3 || line[digits] != ' ' || line[digits+1] != ' ' && line[digits+1] != '*' {
		return s, errSum
	}
	if _, err := hex.Decode(s.hash[:], []byte(line[:digits])); err != nil {
		return s, errSum
	}
	s.file = line[digits+2:]
	if !slices.Contains(dataFiles, s.file) {
		return s, fmt.Errorf("%q is no file of a bank, which has %s", s.file, strings.Join(dataFiles, ", "))
	}
	return s, nil
}
