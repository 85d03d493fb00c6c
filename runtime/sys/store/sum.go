package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Entry is a file of a folder, with its sum.
type Entry struct {
	Name   string `json:"name"`   // the file's path relative to the folder, with slashes
	SHA256 string `json:"sha256"` // the sum, in hexadecimal digits
}

// SumOf returns the SHA-256 sum of data, in hexadecimal.
func SumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// SumFile returns the SHA-256 sum of a file, in hexadecimal.
func SumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// SumJSON returns the SHA-256 sum of a value's JSON, in which maps have their keys in order. It panics for a value without JSON.
func SumJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("store: %T has no JSON: %v", v, err))
	}
	return SumOf(text)
}

// Sum returns the SHA-256 sum of a file, or for a folder the sum of the JSON of its [Entries].
func Sum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return SumFile(path)
	}
	files, err := Entries(path)
	if err != nil {
		return "", err
	}
	return SumJSON(files), nil
}

// Entries lists the files of a folder and of all its subfolders, in the order of their paths.
func Entries(dir string) ([]Entry, error) {
	var files []Entry
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum, err := SumFile(path)
		files = append(files, Entry{filepath.ToSlash(name), sum})
		return err
	})
	return files, err
}
