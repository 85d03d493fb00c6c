package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Folder is a hidden folder that will replace another folder next to it. It is filled first; then Replace moves it into place.
type Folder struct {
	Path   string   // the folder in which files are collected
	target string   // the folder's path as the caller named it, for errors
	lock   *os.File // nil where the file system has no locks
	made   []string // folders above it that were made for it, the deepest first
}

// NewFolder makes a hidden folder. It also removes hidden folders for the same target that killed processes have left. End
// every Folder with Discard.
func NewFolder(dir string) (*Folder, error) {
	dir = filepath.Clean(dir)
	parent := filepath.Dir(dir)
	f := &Folder{target: dir, made: missing(parent)}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("%s: %w", parent, Cause(err))
	}
	restore(dir)
	for range 10 { // another process that clears can come between making and locking
		if err := f.make(dir); err != nil {
			f.Discard()
			return nil, fmt.Errorf("nothing can be written in %s: %w", parent, Cause(err))
		}
		if f.Path != "" {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s: other processes write there", parent)
}

// make makes and locks the folder; Path stays empty if it was taken away meanwhile.
func (f *Folder) make(dir string) error {
	path := filepath.Join(filepath.Dir(dir), hiddenPrefix(dir)+fmt.Sprint(rand.Uint32()))
	if err := unfinished.add(path, func() error { return os.Mkdir(path, 0o777) }); err != nil {
		return err
	}
	lock, err := lockFolder(path)
	if _, gone := os.Lstat(path); gone != nil || errors.Is(err, ErrLocked) {
		unlock(lock)
		unfinished.drop(path)
		return nil
	}
	f.Path, f.lock = path, lock
	return nil
}

// lockFolder locks a folder as long as the file stays open and the process lives.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func unlock(f *os.File) {
	if f != nil {
		f.Close()
	}
}

// WriteFile writes a file of the folder, or of one below it, by its name there. It needs no hidden name of its own: Replace
// sees to the whole folder.
func (f *Folder) WriteFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(f.Path, name))
	if err != nil {
		return f.fail(name, err)
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return f.fail(name, err)
}

// Copy copies all files into a folder below it, which it makes, or into the folder itself for "".
func (f *Folder) Copy(name string, files fs.FS) error {
	return f.fail(name, os.CopyFS(filepath.Join(f.Path, name), files))
}

// Mkdir makes a folder below it.
func (f *Folder) Mkdir(name string) error {
	return f.fail(name, os.MkdirAll(filepath.Join(f.Path, name), 0o777))
}

// fail returns an error in which the file has its final path instead of the hidden one.
func (f *Folder) fail(name string, err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(Cause(err).Error(), f.Path, f.target)
	return fmt.Errorf("%s: %w", filepath.Join(f.target, name), reworded{text, err})
}

// reworded is an error with another text.
type reworded struct {
	text string
	error
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// Replace flushes the folder to the disk and puts it in the place of dir, which need not be the one that NewFolder was
// called with, but is on the same file system.
func (f *Folder) Replace(dir string) error {
	flushFor(300*time.Millisecond, f.Path)
	return Replace(f.Path, dir)
}

// Keep gives the folder a name that nothing has yet.
func (f *Folder) Keep(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	return os.Rename(f.Path, dir)
}

// Discard removes the hidden folder if it was not moved to its target, and parent folders that were made for it.
func (f *Folder) Discard() {
	if f.Path != "" {
		os.RemoveAll(f.Path)
		unfinished.drop(f.Path)
	}
	removeEmpty(f.made)
	unlock(f.lock)
	f.lock = nil
}

// flushFor flushes a file system, but waits at most for the given time, because other processes may have much to write.
func flushFor(most time.Duration, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	go func() {
		flushAll(dir)
		cancel()
	}()
	<-ctx.Done()
}

// Replace puts the folder from in the place of dir, or a file in that of a file. At every moment dir exists, the older or the new one;
// where the system cannot exchange two folders, it is missing for a moment.
func Replace(from, dir string) error {
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return os.Rename(from, dir)
	}
	if exchange(from, dir) != nil {
		return replaceInSteps(from, dir)
	}
	return os.RemoveAll(from) // the older one
}

func replaceInSteps(from, dir string) error {
	old := from + oldSuffix
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(from, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// oldSuffix ends the name of a folder that was renamed to make place.
const oldSuffix = ".old"

// restore puts back the folder that a kill between two renames left without its name, and removes the hidden folders whose
// process is gone. Only names that NewFolder gives are touched, and only where the lock proves that nobody works there.
func restore(dir string) {
	entries, _ := os.ReadDir(filepath.Dir(dir))
	for _, suffix := range []string{oldSuffix, ""} {
		for _, e := range entries {
			name, suffixed := strings.CutSuffix(e.Name(), suffix)
			if isNumbered(name, hiddenPrefix(dir)) && suffixed && e.IsDir() {
				restoreFrom(filepath.Join(filepath.Dir(dir), name), dir)
			}
		}
	}
}

// restoreFrom deals with one hidden folder and the older folder that was renamed for it.
func restoreFrom(hidden, dir string) {
	_, noHidden := os.Lstat(hidden)
	if noHidden == nil {
		lock, err := lockFolder(hidden)
		if err != nil {
			return
		}
		defer unlock(lock)
	}
	_, noOld := os.Lstat(hidden + oldSuffix)
	if _, err := os.Lstat(dir); os.IsNotExist(err) && noOld == nil {
		from := hidden // the folder was whole before the older one was moved away
		if noHidden != nil {
			from = hidden + oldSuffix
		}
		if os.Rename(from, dir) != nil {
			return
		}
	}
	os.RemoveAll(hidden + oldSuffix)
	os.RemoveAll(hidden)
}
