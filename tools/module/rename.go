package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/runtime/sys/store"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// rename gives the module at root another path and returns how many files changed. It works out every change before it writes
// the first file, and writes go.mod last, so that a run that was cut short can be repeated.
func rename(root, path string) (changed int, err error) {
	if err := checkPath(path); err != nil {
		return 0, err
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	from := modfile.ModulePath(gomod)
	if from == "" {
		return 0, errors.New("go.mod: names no module")
	}
	if from == path {
		return 0, nil
	}
	edits, err := plan(root, newRenamer(root, from, path))
	if err != nil {
		return 0, err
	}
	for i, e := range edits {
		if err := replaceFile(e.file, e.text); err != nil {
			return i, err
		}
	}
	return len(edits), nil
}

// checkPath returns an error if a path cannot name this module: it is no import path, or its packages would be confused with those of the
// standard library.
func checkPath(path string) error {
	if err := module.CheckImportPath(path); err != nil {
		return err
	}
	first, _, _ := strings.Cut(path, "/")
	if p, err := build.Default.Import(first, "", build.FindOnly); first == "cmd" || err == nil && p.Goroot {
		return fmt.Errorf("malformed module path %q: %s belongs to the standard library", path, first)
	}
	return nil
}

// edit is a file with its new text.
type edit struct {
	file string
	text []byte
}

// plan returns the files that change, go.mod last.
func plan(root string, r *renamer) ([]edit, error) {
	var edits []edit
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(root, file):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		apply := r.editor(root, file)
		if apply == nil {
			return nil
		}
		old, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(old, []byte(r.from)) {
			return err
		}
		text, err := apply(old)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !bytes.Equal(text, old) {
			edits = append(edits, edit{file, text})
		}
		return nil
	})
	last := func(e edit) int {
		if e.file == filepath.Join(root, "go.mod") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return last(a) - last(b) })
	return edits, err
}

// skipped reports whether a folder holds no source: it belongs to version control, or holds what make builds.
func skipped(root, dir string) bool {
	name, err := filepath.Rel(root, dir)
	return err == nil && (strings.HasPrefix(name, ".") && name != "." || name == "bin" || name == "dist")
}

// replaceFile replaces a file by one with a new text and the same mode.
func replaceFile(file string, text []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := store.WriteFile(file, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	return os.Chmod(file, info.Mode().Perm())
}
