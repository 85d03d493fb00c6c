package main

import (
	"os"
	"path/filepath"
)

// checkPlace says before any work is done whether a file can be written there.
func checkPlace(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("%s %s: there is no folder %s", flag, path, filepath.Dir(path))
	}
	return nil
}
