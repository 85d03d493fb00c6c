package teacher

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/neural"
)

// partial begins the names of files that are being written.
const partial = ".partial-"

// Examined adds or replaces the report of a teacher's examination, and its manifest with it.
func Examined(dir string, report []byte) error {
	if _, err := neural.Open(dir); err != nil {
		return err
	}
	err := discard(dir)
	if err == nil {
		err = writeFiles(dir, map[string][]byte{neural.GateFile: report})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	return nil
}

// writeFiles writes those of the files that differ from the folder's, and the manifest of all that belong to the teacher.
// All bytes are on the disk before anything of the folder changes, and whatever is the last of its steps, the folder holds
// a teacher, or none that has the manifest of another.
func writeFiles(dir string, files map[string][]byte) error {
	r, err := stage(dir, files)
	defer r.discard()
	if err != nil {
		return err
	}
	for _, step := range r.steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// replacement is files that are written beside those that they are to replace, and the steps that do it.
type replacement struct {
	dir    string
	beside []string
	steps  []func() error
}

// stage writes all that a replacement needs. A report that changes is first struck off the manifest, so that the teacher
// stands without it meanwhile; where the teacher itself changes there is no manifest meanwhile. A file without bytes goes.
func stage(dir string, files map[string][]byte) (*replacement, error) {
	r := &replacement{dir: dir}
	all, kept, changed := map[string][]byte{}, map[string][]byte{}, []string{}
	for _, name := range neural.Files {
		old, err := os.ReadFile(filepath.Join(dir, name))
		data, given := files[name]
		switch {
		case given && (err != nil || !bytes.Equal(old, data)):
			all[name], changed = data, append(changed, name)
		case err == nil:
			all[name], kept[name] = old, old
		}
	}
	err := r.first(changed, kept)
	for _, name := range changed {
		if all[name] == nil {
			delete(all, name)
			r.remove(name)
		} else {
			err = errors.Join(err, r.add(name, all[name]))
		}
	}
	return r, errors.Join(err, r.add(neural.ManifestFile, manifest(all)))
}

// first makes the manifest list what is kept, or removes it.
func (r *replacement) first(changed []string, kept map[string][]byte) error {
	if len(changed) == 0 {
		return nil
	}
	for _, name := range neural.Required {
		if kept[name] == nil {
			r.remove(neural.ManifestFile)
			return nil
		}
	}
	return r.add(neural.ManifestFile, manifest(kept))
}

// remove lets a step remove a file.
func (r *replacement) remove(name string) {
	r.steps = append(r.steps, func() error { return remove(r.dir, name) })
}

// add writes a file under a name of its own, flushes it to the disk, and lets a step rename it.
func (r *replacement) add(name string, data []byte) error {
	f, err := os.CreateTemp(r.dir, partial+"*")
	if err != nil {
		return err
	}
	r.beside = append(r.beside, f.Name())
	_, err = f.Write(data)
	r.steps = append(r.steps, func() error { return os.Rename(f.Name(), filepath.Join(r.dir, name)) })
	return errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
}

// discard removes what no step renamed.
func (r *replacement) discard() {
	for _, path := range r.beside {
		os.Remove(path)
	}
}

// manifest is the sums of files, as sha256sum writes them.
func manifest(files map[string][]byte) []byte {
	var b strings.Builder
	for _, name := range neural.Files {
		if data, there := files[name]; there {
			fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
		}
	}
	return []byte(b.String())
}

// plain drops the operation and path that errors of the system repeat.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
