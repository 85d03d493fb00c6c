package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "V.jsonl")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Check(), l.Keep(0), l.Append([]byte("one\n")), l.Append([]byte("two\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a log that is open elsewhere: %v", err)
	}
	if data, err := ReadChecked(path); err != nil || string(data) != "one\ntwo\n" { // while it grows
		t.Errorf("%q, %v", data, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, path, "one\ntwo\nthr") // a kill in the middle of a line
	if l, err = OpenLog(path); err != nil {
		t.Fatal(err)
	}
	if string(l.Text()) != "one\ntwo\n" || string(l.Cut()) != "thr" || l.Check() != nil {
		t.Errorf("%q, %q, %v", l.Text(), l.Cut(), l.Check())
	}
	if err := errors.Join(l.Keep(len(l.Text())), l.Append([]byte("three\n")), l.Close()); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadChecked(path); err != nil || string(data) != "one\ntwo\nthree\n" {
		t.Errorf("%q, %v", data, err)
	}
	put(t, path, "one\ntwp\nthree\n")
	if l, err = OpenLog(path); err != nil {
		t.Fatal(err)
	}
	if l.Check() == nil {
		t.Error("a flipped bit passed")
	}
	l.Close()
	if got := get(t, path); got != "one\ntwp\nthree\n" {
		t.Errorf("an unkept log became %q", got)
	}
}

// The sum of an open log covers the first lines of the file. Readers accept the file although it has more lines.
func TestSumOfAGrowingLog(t *testing.T) {
	defer func(d time.Duration) { sumEvery = d }(sumEvery)
	path := filepath.Join(t.TempDir(), "V.jsonl")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sumEvery = 0
	if err := errors.Join(l.Keep(0), l.Append([]byte("one\n"))); err != nil {
		t.Fatal(err)
	}
	sumEvery = time.Hour
	if err := l.Append([]byte("two\n")); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadChecked(path); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("%q, %v", data, err)
	}
	put(t, path, "onf\ntwo\n")
	if _, err := ReadChecked(path); err == nil {
		t.Error("a flipped bit before the sum passed")
	}
}

func TestLogMadeForNothingGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "V.jsonl")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Keep(0), l.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// TestLogRemovesHiddenFiles: opening a log removes what a process left that was killed while it wrote the log's sum.
func TestLogRemovesHiddenFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "V.jsonl")
	put(t, path, "one\n")
	f, err := createHidden(path + SumEnding)
	if err != nil {
		t.Fatal(err)
	}
	f.Close() // and so unlocked, as by the end of its process
	unfinished.drop(f.Name())
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := list(t, dir); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
}
