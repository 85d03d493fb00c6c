package teacher

import (
	"fmt"
	"os"

	"likc/runtime/model/neural"
	"likc/runtime/sys/store"
)

// Copy copies the teacher in the folder `from` to the folder dir, which must not exist. It first checks the files' SHA-256 sums. If the
// copy fails, no folder remains. `from` may also be a file with a network in the format lan-mlp-json/1; then Copy makes a teacher
// from that network.
func Copy(from, dir string) error {
	fill, err := filling(from)
	if err != nil {
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
	if err := fill(folder); err != nil {
		return err
	}
	return folder.Replace(dir)
}

// filling checks the files to copy, and returns the function that writes them into the new folder.
func filling(from string) (fill func(*store.Folder) error, err error) {
	weights, err := store.ReadFile(from)
	if err != nil || neural.BareWeights(from, weights) == nil {
		_, err := neural.Open(from)
		return func(f *store.Folder) error { return f.Copy("", os.DirFS(from)) }, err
	}
	files, err := neural.OfWeights(weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return func(f *store.Folder) error { return neural.Members.Update(f.Path, files) }, nil
}
