package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Log is a file to which lines are appended. It is locked while it is open. A kill leaves whole lines and at most one
// incomplete last line, which Keep drops after the log is opened again. FILE.sha256 holds the sum of the lines that the
// file had a few seconds ago; after Close, of all lines.
type Log struct {
	path, target string
	f            *os.File
	text         []byte // the file's text at opening, without an incomplete last line
	all          []byte // the file's text at opening
	made         bool   // whether OpenLog made the file
	sum          hash.Hash
	dirty        bool      // whether lines were added or removed since the sum was written
	summed       time.Time // when the sum was last written
}

// sumEvery is the time between two writings of a log's sum.
var sumEvery = 5 * time.Second

// OpenLog opens a log, or makes an empty one. The error wraps ErrLocked if another process has it open. An existing
// file changes only when Keep or Append is called. Hidden files that killed processes left in its folder are removed, although a log
// that is complete is not written again.
func OpenLog(path string) (*Log, error) {
	l := &Log{path: path, summed: time.Now()}
	err := l.open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, Cause(err))
	}
	return l, nil
}

func (l *Log) open() (err error) {
	if info, err := os.Stat(l.path); err == nil && !info.Mode().IsRegular() {
		return errors.New("is not a file that can be read again: name another")
	}
	if l.target, err = Follow(l.path); err != nil {
		return err
	}
	clearOnce(filepath.Dir(l.target))
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		_, err := os.Lstat(l.target)
		l.made = os.IsNotExist(err)
		if l.f, err = os.OpenFile(l.target, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
			return err
		}
		locked := flock(l.f) == ErrLocked
		if !locked && isStill(l.f, l.target) {
			break
		}
		l.f.Close()
		if locked && time.Now().After(end) {
			return ErrLocked
		}
	}
	if l.all, err = io.ReadAll(l.f); err != nil {
		l.f.Close()
		return err
	}
	l.text = l.all[:bytes.LastIndexByte(l.all, '\n')+1]
	return nil
}

// Text returns the complete lines that the file had when the log was opened.
func (l *Log) Text() []byte { return l.text }

// Cut returns the incomplete last line that the file had when the log was opened; empty if every line was complete.
func (l *Log) Cut() []byte { return l.all[len(l.text):] }

// Check returns an error unless the lines that were in the log when it was opened have the sum in FILE.sha256.
func (l *Log) Check() error { return check(l.target, l.text) }

// Keep keeps the first n bytes of the log and drops what follows. Call it once, before Append.
func (l *Log) Keep(n int) error {
	l.sum = sha256.New()
	l.sum.Write(l.all[:n])
	if n == len(l.all) {
		_, err := l.f.Seek(int64(n), io.SeekStart)
		return l.fail(err)
	}
	// The sum is removed first, because it would not agree with the shortened log.
	if err := os.Remove(l.target + SumEnding); err != nil && !os.IsNotExist(err) {
		return l.fail(err)
	}
	l.dirty = true
	err := l.f.Truncate(int64(n))
	if err == nil {
		_, err = l.f.Seek(int64(n), io.SeekStart)
	}
	return l.fail(err)
}

// Append appends lines, which must be complete. Call Keep once before.
func (l *Log) Append(lines []byte) error {
	if _, err := l.f.Write(lines); err != nil {
		return l.fail(err)
	}
	l.sum.Write(lines)
	l.dirty = true
	if time.Since(l.summed) < sumEvery {
		return nil
	}
	return l.fail(l.writeSum())
}

// writeSum flushes the lines to the disk, and then writes their sum.
func (l *Log) writeSum() error {
	if !l.dirty || l.sum == nil {
		return nil
	}
	l.summed, l.dirty = time.Now(), false
	if err := l.f.Sync(); err != nil {
		return err
	}
	return writeSums(l.target, hex.EncodeToString(l.sum.Sum(nil)))
}

// Close flushes the lines and writes their sum. It removes an empty log that OpenLog made.
func (l *Log) Close() error {
	info, err := l.f.Stat()
	if err == nil && l.made && info.Size() == 0 {
		os.Remove(l.target)
		return l.fail(l.f.Close())
	}
	return l.fail(errors.Join(l.writeSum(), l.f.Close()))
}

func (l *Log) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", l.path, Cause(err))
}
