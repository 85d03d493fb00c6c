package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Update writes and removes files of a folder that may hold other files too. All new files are written under hidden names
// before the first one is renamed. A name whose bytes are nil, or that files lacks, is removed.
func Update(dir string, names []string, files map[string][]byte) error {
	u, err := newUpdate(dir)
	if err != nil {
		return err
	}
	defer u.discard()
	for _, name := range names {
		u.put(name, files[name])
	}
	return u.apply()
}

// Update writes the given files that differ from the folder's, and then the manifest. A member that is not given stays; a
// file whose bytes are nil is removed. Update makes the folder if it is missing. If it is stopped at any moment, the folder
// agrees with its manifest or has no manifest. For this it first writes a manifest without the files that change; if a
// required file changes, it removes the manifest until all files are written.
func (m Members) Update(dir string, files map[string][]byte) error {
	undo, err := MakeFolder(dir)
	if err != nil {
		return err
	}
	defer undo()
	clearFolder(dir)
	u, err := m.stage(dir, files)
	if err != nil {
		return err
	}
	defer u.discard()
	return u.apply()
}

// stage writes all new files of an update under hidden names.
func (m Members) stage(dir string, files map[string][]byte) (*update, error) {
	all, kept, changed := map[string][]byte{}, map[string][]byte{}, []string{}
	for _, name := range m.all() {
		old, err := os.ReadFile(filepath.Join(dir, name))
		data, given := files[name]
		switch {
		case given && data == nil && os.IsNotExist(err):
		case given && (err != nil || !bytes.Equal(old, data)):
			changed = append(changed, name)
			if data != nil {
				all[name] = data
			}
		case err == nil:
			all[name], kept[name] = old, old
		}
	}
	u, err := newUpdate(dir)
	if err != nil {
		return nil, err
	}
	required := func(name string) bool { return kept[name] == nil }
	switch {
	case len(changed) == 0:
	case slices.ContainsFunc(m.Required, required):
		u.put(ManifestFile, nil)
	default:
		u.put(ManifestFile, m.Format(kept))
	}
	for _, name := range changed {
		u.put(name, all[name])
	}
	u.flush()
	u.put(ManifestFile, m.Format(all))
	return u, nil
}

// update holds new files under hidden names, and the steps that rename them.
type update struct {
	dir   string
	files []*File
	steps []func() error
	err   error // the first error of put
}

func newUpdate(dir string) (*update, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is not a folder", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, Cause(err))
	}
	return &update{dir: dir}, nil
}

// put writes a file under a hidden name, and adds the step that renames it. If data is nil, the step removes the file `name` instead.
func (u *update) put(name string, data []byte) {
	path := filepath.Join(u.dir, name)
	if data == nil {
		u.steps = append(u.steps, func() error {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return fmt.Errorf("%s: %w", path, Cause(err))
			}
			return nil
		})
		return
	}
	if u.err != nil {
		return
	}
	f, err := Create(path)
	if err != nil {
		u.err = err
		return
	}
	u.files = append(u.files, f)
	if _, err = io.Copy(f, bytes.NewReader(data)); err == nil {
		err = f.out.Flush()
	}
	if err == nil {
		err = f.f.Sync()
	}
	u.err = f.fail(err)
	u.steps = append(u.steps, f.Commit)
}

// flush adds a step that flushes the names in the folder to the disk, on systems where folders can be flushed.
func (u *update) flush() {
	u.steps = append(u.steps, func() error { return SyncFolder(u.dir) })
}

// apply runs the steps, unless a file could not be written.
func (u *update) apply() error {
	if u.err != nil {
		return u.err
	}
	for _, step := range u.steps {
		if err := step(); err != nil {
			return err
		}
	}
	return SyncFolder(u.dir)
}

// discard removes the hidden files that no step has renamed.
func (u *update) discard() {
	for _, f := range u.files {
		f.Discard()
	}
}

// SyncFolder flushes the names in a folder, or the content of a file, to the disk, on systems where folders can be flushed.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, Cause(err))
	}
	defer f.Close()
	if err := f.Sync(); err != nil && filepath.Separator == '/' {
		return fmt.Errorf("%s: %w", path, Cause(err))
	}
	return nil
}
