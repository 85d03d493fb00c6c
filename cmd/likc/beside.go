package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// beside is a hidden folder next to a folder DIR, named .DIR.likc-N: it is filled and then takes DIR's place. While its
// process lives it is locked, so that what a killed one left behind can be told from work under way.
type beside struct {
	path   string
	lock   *os.File // nil where the file system has no locks
	parent []string // folders that were made for it, the deepest first
}

// newBeside clears away what killed processes left of the same folder, and makes a new hidden one.
func newBeside(dir string) (*beside, error) {
	b := &beside{parent: notThere(filepath.Dir(dir))}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Dir(dir), plain(err))
	}
	restore(dir)
	for range 10 { // another process that clears away can come between making and locking
		if err := b.make(dir); err != nil {
			b.remove()
			return nil, fmt.Errorf("nothing can be written in %s: %w", filepath.Dir(dir), plain(err))
		}
		if b.path != "" {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%s: other processes write there", filepath.Dir(dir))
}

// notThere are a folder and those above it that are not there, the deepest first.
func notThere(dir string) (all []string) {
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Lstat(up); !os.IsNotExist(err) {
			return all
		}
		all = append(all, up)
	}
}

// removeEmpty removes folders that were made for nothing, the deepest first.
func removeEmpty(made []string) {
	for _, dir := range made {
		os.Remove(dir) // only if it is empty
	}
}

// make makes and locks the folder; the path stays empty if it was taken away meanwhile.
func (b *beside) make(dir string) error {
	path, err := os.MkdirTemp(filepath.Dir(dir), hiddenPrefix(dir)+"*")
	if err != nil {
		return err
	}
	lock, err := lockFolder(path)
	if _, gone := os.Lstat(path); gone != nil || errors.Is(err, errLocked) {
		unlock(lock)
		return nil
	}
	b.path, b.lock = filepath.Clean(path), lock // as paths in it are written
	unfinished.add(path)
	return os.Chmod(path, 0o755)
}

// write writes a file of the folder, or of one in it. It needs no name beside and no flushing of its own: replace sees to
// the whole folder.
func (b *beside) write(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, plain(err))
	}
	buffered := bufio.NewWriterSize(f, 1<<16)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, plain(err))
	}
	return nil
}

// replace flushes the folder to the disk and puts it in the place of dir. At every moment dir is there, the older or the new one; where the system
// cannot exchange two folders, it may be missing for a moment, and restore mends what a kill in that moment leaves.
func (b *beside) replace(dir string) error {
	flushFor(300*time.Millisecond, b.path)
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return os.Rename(b.path, dir)
	}
	if exchange(b.path, dir) == nil {
		return nil // the older one is at b.path now, and goes with it
	}
	return b.replaceInSteps(dir)
}

// flushFor waits so long for the disk: others may have much to write, and an interrupt does not wait for them.
func flushFor(most time.Duration, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	_, _ = until(ctx, func() (struct{}, error) { flush(dir); return struct{}{}, nil })
}

func (b *beside) replaceInSteps(dir string) error {
	old := b.path + oldSuffix
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(b.path, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// remove removes what is still hidden, and the parents that were made for nothing.
func (b *beside) remove() {
	if b.path != "" {
		os.RemoveAll(b.path)
	}
	removeEmpty(b.parent)
	unlock(b.lock)
}

// oldSuffix ends the name of a folder that was renamed to make place.
const oldSuffix = ".old"

func hiddenPrefix(dir string) string { return "." + shortened(filepath.Base(dir)) + ".likc-" }

// shortened cuts a file name that leaves no room for what is put around it, and sets a hash in place of the rest.
func shortened(name string) string {
	const most = 120
	if len(name) <= most {
		return name
	}
	return name[:most] + "~" + hashOf(name)
}

func hashOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%x", sum[:8])
}

// restore puts back the folder that a kill between two renames left without its name, and removes the hidden folders whose
// process is gone. Only names that newBeside gives are touched, and only where the lock proves that nobody works there.
func restore(dir string) {
	prefix := hiddenPrefix(dir)
	entries, _ := os.ReadDir(filepath.Dir(dir))
	for _, suffix := range []string{oldSuffix, ""} {
		for _, e := range entries {
			number, ours := strings.CutPrefix(e.Name(), prefix)
			number, suffixed := strings.CutSuffix(number, suffix)
			if !ours || !suffixed || !e.IsDir() || number == "" || strings.Trim(number, "0123456789") != "" {
				continue
			}
			restoreFrom(filepath.Join(filepath.Dir(dir), prefix+number), dir)
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
		from := hidden // it was whole when the older one made place
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

// errLocked says that a process works in a folder.
var errLocked = errors.New("locked")

func unlock(f *os.File) {
	if f != nil {
		f.Close()
	}
}
