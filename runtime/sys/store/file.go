package store

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// File is a file that is being written. It appears under its name with Commit.
type File struct {
	path   string // the file's path, as the caller named it
	target string // the path after links are followed
	f      *os.File
	out    *bufio.Writer
	sum    hash.Hash // SHA-256 of the bytes written so far; nil if no FILE.sha256 is written
	hidden bool      // whether bytes go to a hidden file first; false for a pipe or a device, which is written directly
	lazy   bool      // whether the operating system may write the file to the disk later
}

// Create begins a file. An existing file of that name stays until Commit. If the name is that of a pipe or a device,
// bytes are written to it directly. End every File with Commit or Discard.
func Create(path string) (*File, error) {
	f := &File{path: path}
	err := f.open()
	if err != nil {
		return nil, f.fail(err)
	}
	return f, nil
}

func (f *File) open() (err error) {
	switch info, err := os.Stat(f.path); {
	case err == nil && info.IsDir():
		return errFolder
	case err == nil && !info.Mode().IsRegular():
		return f.openDirectly()
	}
	if f.target, err = Follow(f.path); err != nil {
		return err
	}
	clearOnce(filepath.Dir(f.target))
	f.hidden = true
	if f.f, err = createHidden(f.target); err != nil {
		return fmt.Errorf("cannot be written: %w", Cause(err))
	}
	f.out = bufio.NewWriterSize(f.f, 1<<16)
	return nil
}

// openDirectly opens a pipe or a device. For a pipe it waits until there is a reader.
func (f *File) openDirectly() (err error) {
	waiting.Add(1)
	if f.f, err = os.OpenFile(f.path, os.O_WRONLY, 0); err != nil {
		waiting.Add(-1)
		return err
	}
	f.out = bufio.NewWriterSize(f.f, 1<<16)
	return nil
}

// waiting counts the pipes and devices that are open for writing.
var waiting atomic.Int32

// Waiting reports whether a pipe or a device is open for writing. A write to it may wait for ever for a reader.
func Waiting() bool { return waiting.Load() > 0 }

// Write writes to the file.
func (f *File) Write(p []byte) (int, error) {
	if f.sum != nil {
		f.sum.Write(p)
	}
	return f.out.Write(p)
}

// Commit flushes the content to the disk and gives the file its name. After an error, it leaves no new or hidden file.
func (f *File) Commit() error {
	defer f.Discard()
	err := f.out.Flush()
	if err == nil && f.hidden && !f.lazy {
		err = f.f.Sync()
	}
	switch {
	case err != nil:
	case !f.hidden:
		err = f.f.Close()
	case f.sum != nil:
		err = putChecked(f)
	default:
		err = f.rename()
	}
	return f.fail(err)
}

// rename gives the file its name. Except on Windows, the file stays open, and so locked, until it has the name.
func (f *File) rename() error {
	if runtime.GOOS == "windows" {
		if err := f.f.Close(); err != nil {
			return err
		}
	}
	return os.Rename(f.f.Name(), f.target)
}

// Discard closes and removes a file that has not got its name. After Commit it does nothing.
func (f *File) Discard() {
	if f.f == nil {
		return
	}
	if f.hidden {
		os.Remove(f.f.Name()) // after a rename this fails, because no file has the hidden name any more
		unfinished.drop(f.f.Name())
	} else {
		waiting.Add(-1)
	}
	f.f.Close()
	f.f = nil
}

// fail adds the file's path to an error.
func (f *File) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.path, Cause(err))
}

// WriteFile creates or replaces a file with the bytes that write writes. After an error the old file stays as it was.
func WriteFile(path string, write func(io.Writer) error) error { return writeFile(path, nil, write) }

// WriteLazily does what WriteFile does, for a file that can be made again: a crash of the machine may leave the file
// empty or cut short.
func WriteLazily(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	f.lazy = true
	if err := write(f); err != nil {
		return f.fail(err)
	}
	return f.Commit()
}

// WriteChecked does what WriteFile does, and also writes the file's SHA-256 sum to FILE.sha256, for [ReadChecked].
func WriteChecked(path string, write func(io.Writer) error) error {
	return writeFile(path, sha256.New(), write)
}

func writeFile(path string, sum hash.Hash, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if f.hidden {
		f.sum = sum
	}
	if err := write(f); err != nil {
		return f.fail(err)
	}
	return f.Commit()
}
