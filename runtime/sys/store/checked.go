package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SumEnding is the ending of the file that holds the SHA-256 sum of another file in the same folder, in the format of
// sha256sum.
const SumEnding = ".sha256"

// putChecked gives a hidden file its name, and writes its sum to FILE.sha256. During the rename FILE.sha256 lists the
// sums of the old content and of the new content, so that a kill at any moment leaves a file that agrees with it.
func putChecked(f *File) error {
	sum := hex.EncodeToString(f.sum.Sum(nil))
	sums := []string{sum}
	old, missing := SumFile(f.target)
	if missing == nil && old != sum {
		sums = append(sums, old)
	}
	if err := writeSums(f.target, sums...); err != nil {
		return err
	}
	if err := f.rename(); err != nil {
		if missing != nil {
			os.Remove(f.target + SumEnding)
		}
		return err
	}
	if len(sums) == 1 {
		return nil
	}
	return writeSums(f.target, sum)
}

func writeSums(path string, sums ...string) error {
	f, err := Create(path + SumEnding)
	if err != nil {
		return err
	}
	f.lazy = true // a crash of the machine may leave the file empty, and an empty file counts as missing
	for _, sum := range sums {
		fmt.Fprintf(f, "%s  %s\n", sum, filepath.Base(path))
	}
	return f.Commit() // Commit keeps the first error
}

// readSums returns the sums that FILE.sha256 lists; ok is false if there is no such file.
func readSums(path string) (sums []string, ok bool, err error) {
	text, err := os.ReadFile(path + SumEnding)
	if os.IsNotExist(err) || err == nil && len(text) == 0 {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s%s: %w", path, SumEnding, Cause(err))
	}
	for line := range strings.Lines(string(text)) {
		sum, _, _ := strings.Cut(line, " ")
		sums = append(sums, strings.ToLower(sum))
	}
	return sums, true, nil
}

// check returns an error unless FILE.sha256 lists the sum of text or of some of its first lines: lines may have been
// appended since the sum was written.
func check(path string, text []byte) error {
	sums, ok, err := readSums(path)
	if err != nil || !ok {
		return err
	}
	listed := func(sum []byte) bool {
		for _, s := range sums {
			if s == hex.EncodeToString(sum) {
				return true
			}
		}
		return false
	}
	h := sha256.New()
	for line := range bytes.Lines(text) {
		if sum := h.Sum(nil); listed(sum) {
			return nil
		}
		h.Write(line)
	}
	if listed(h.Sum(nil)) {
		return nil
	}
	return fmt.Errorf("%s: differs from %s, which holds its SHA-256 sum: it is damaged, or was changed by hand; if you mean the change, remove %[2]s",
		path, filepath.Base(path)+SumEnding)
}

// ReadChecked reads a file and checks it against the sum in FILE.sha256. A file without FILE.sha256 is read without a
// check. If another process replaces the file while it is read, it is read again.
func ReadChecked(path string) ([]byte, error) {
	target, err := Follow(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, Cause(err))
	}
	var last []byte
	for attempt := 0; ; attempt++ {
		text, err := ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		err = check(target, text)
		if err == nil || attempt > 0 && bytes.Equal(text, last) || attempt == 20 {
			return text, err
		}
		last = text
		time.Sleep(time.Duration(attempt+1) * time.Millisecond)
	}
}

// OpenChecked does what ReadChecked does, and returns a reader. A pipe or a device is opened without a check.
func OpenChecked(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, Cause(err))
	}
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		f.Close()
		return nil, fmt.Errorf("%s: is a folder, expected a file", path)
	case err != nil || !info.Mode().IsRegular():
		return f, nil
	}
	f.Close()
	text, err := ReadChecked(path)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}
