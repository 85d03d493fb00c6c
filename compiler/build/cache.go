package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/sys/store"
)

// CacheVariable is the environment variable that names the cache folder. By default this is "likc" in the user's cache folder.
const CacheVariable = store.CacheVariable

// sumEnding is the ending of the file that has the SHA-256 of an artifact, in the same folder. Package load checks it before it opens a plugin,
// because a damaged plugin can crash the process.
const sumEnding = ".sha256"

// cacheRoot returns the cache folder, and makes it.
func cacheRoot() (string, error) {
	root, err := store.Cache("")
	if err != nil {
		return "", fmt.Errorf("build %w", err)
	}
	return root, nil
}

// hashed is a hash of the texts that an artifact depends on. Each text is hashed with its length, so that moving
// characters from one text to the next changes the hash.
type hashed struct{ hash.Hash }

// newHashed returns the hash that begins with the kind of artifact.
func newHashed(kind Kind) hashed {
	h := hashed{sha256.New()}
	h.add("likc build 1", string(kind))
	return h
}

// add appends texts to what is hashed.
func (h hashed) add(parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		io.WriteString(h, p)
	}
}

// key returns the first 128 bits of the hash, in hexadecimal digits: the name of the cache's entry.
func (h hashed) key() string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// writeRecord writes two files next to an artifact: its description as JSON, and its SHA-256.
func writeRecord(dir, file string, a *Artifact) error {
	sum, err := store.SumFile(filepath.Join(dir, file))
	if err != nil {
		return err
	}
	record, err := json.MarshalIndent(a, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(
		writeFile(filepath.Join(dir, file+sumEnding), []byte(sum+"  "+file+"\n")),
		writeFile(filepath.Join(dir, recordName), record),
	)
}

// checkSum returns an error unless a file has the SHA-256 that was recorded when it was built.
func checkSum(path string) error {
	want, err := os.ReadFile(path + sumEnding)
	if err != nil {
		return err
	}
	sum, err := store.SumFile(path)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(want), sum) {
		return fmt.Errorf("%s: not what was built: its SHA-256 differs", path)
	}
	return nil
}

// writeFile writes a file, and its folder, unless the same bytes are there already.
func writeFile(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}
