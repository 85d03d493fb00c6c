package teacher

import (
	"fmt"
	"os"

	"likc/runtime/neural"
	"likc/runtime/store"
)

// Copy checks the teacher in the folder from against its sums and copies it to dir, which must not exist: whole or not at all.
func Copy(from, dir string) error {
	if _, err := neural.Open(from); err != nil {
		return err
	}
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("%s: is there already", dir)
	}
	folder, err := store.NewFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := folder.Copy("", os.DirFS(from)); err != nil {
		return err
	}
	return folder.Replace(dir)
}
