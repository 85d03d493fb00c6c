package cli

import (
	"os"
	"path/filepath"
)

// CheckParentFolder returns an error, before any work is done, if the folder in which the file path would be written does not exist. flag is
// the flag that names the file, for the error.
func CheckParentFolder(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return Usagef("%s %s: there is no folder %s", flag, path, filepath.Dir(path))
	}
	return nil
}
