package cli

import (
	"os"
	"path/filepath"
)

// CheckPlace says before any work is done whether a file can be written there.
func CheckPlace(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return Usagef("%s %s: there is no folder %s", flag, path, filepath.Dir(path))
	}
	return nil
}
