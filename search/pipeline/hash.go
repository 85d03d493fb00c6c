package pipeline

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

// Sum is the SHA-256 of a file, or of everything in a folder: the sum of its files' names and sums, in the order of names.
func Sum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return sumFile(path)
	}
	files, err := sums(path)
	if err != nil {
		return "", err
	}
	return sumJSON(files), nil
}

// File is a file and its sum.
type File struct {
	Name   string `json:"name"` // with slashes, below the folder
	SHA256 string `json:"sha256"`
}

// sums lists the files of a folder, in the order of their names.
func sums(dir string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum, err := sumFile(path)
		files = append(files, File{filepath.ToSlash(name), sum})
		return err
	})
	return files, err
}

func sumFile(path string) (string, error) {
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

// sumJSON hashes a value by its JSON, in which maps have their keys in order.
func sumJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("pipeline: %T has no JSON: %v", v, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
