package store

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// mark is the part of a hidden name between the name of the file that it will replace and a number.
const mark = ".likc-"

// hiddenPrefix returns the beginning of the hidden names for a file or folder that will become path. A number follows it.
func hiddenPrefix(path string) string { return "." + Shorten(filepath.Base(path)) + mark }

// workEnding ends the hidden names that Workplace returns.
const workEnding = "work"

// Workplace returns a hidden path next to path, where a process keeps the state from which a later process continues. This
// package never removes files there.
func Workplace(path string) string {
	return filepath.Join(filepath.Dir(path), hiddenPrefix(path)+workEnding)
}

// Shorten cuts a file name of more than 120 bytes and appends a hash of the whole name. So the name stays short enough for
// file systems when a prefix and an ending are added.
func Shorten(name string) string {
	const most = 120
	if len(name) <= most {
		return name
	}
	return name[:most] + "~" + ShortSum(name)
}

// ShortSum returns the first 16 hexadecimal digits of the text's SHA-256 sum.
func ShortSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:8])
}

// isNumbered reports whether name is the prefix followed by a number, as hidden names are.
func isNumbered(name, prefix string) bool {
	number, ours := strings.CutPrefix(name, prefix)
	return ours && number != "" && strings.Trim(number, "0123456789") == ""
}

// isHidden reports whether a name is that of a hidden file or folder, or of a lock file.
func isHidden(name string) bool {
	at := strings.LastIndex(name, mark)
	if at < 1 || name[0] != '.' {
		return false
	}
	return isNumbered(name, name[:at+len(mark)]) || name[at+len(mark):] == lockEnding
}

// Hidden reports whether a name in a folder is one that this package gives to unfinished files.
func Hidden(name string) bool { return isHidden(name) }

// createHidden makes and locks a file with a hidden name in the folder of path.
func createHidden(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), hiddenPrefix(path)+fmt.Sprint(rand.Uint32()))
		var f *os.File
		err := unfinished.add(name, func() (err error) {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			return err
		})
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if flock(f) == ErrLocked || !isStill(f, name) { // another process has removed or locked the file first
			f.Close()
			unfinished.drop(name)
			continue
		}
		return f, nil
	}
}

// isStill reports whether the path still leads to the open file or folder f.
func isStill(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, there)
}

// cleared holds the folders from which this process has removed hidden files of killed processes.
var cleared sync.Map

// clearOnce removes the hidden files that killed processes left in a folder, once for each folder.
func clearOnce(dir string) {
	if abs, err := filepath.Abs(dir); err == nil {
		if _, done := cleared.LoadOrStore(abs, true); !done {
			clearFolder(dir)
		}
	}
}

// clearFolder removes hidden files and lock files that no process has locked. On a file system without locks it removes nothing.
func clearFolder(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.Type().IsRegular() || !isHidden(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		if flock(f) == nil && isStill(f, path) {
			os.Remove(path)
		}
		f.Close()
	}
}

// unfinished holds the paths of the hidden files and folders of this process.
var unfinished = paths{all: map[string]bool{}}

type paths struct {
	sync.Mutex
	all map[string]bool
}

// add calls make, which makes a file or folder at path, and adds the path. Clear cannot run between the two.
func (p *paths) add(path string, make func() error) error {
	p.Lock()
	defer p.Unlock()
	err := make()
	if err == nil {
		p.all[path] = true
	}
	return err
}

func (p *paths) drop(path string) {
	p.Lock()
	defer p.Unlock()
	delete(p.all, path)
}

// Clear removes the unfinished files and folders of this process. It is for a process that ends at once: afterwards, whoever
// begins a file or folder waits for ever.
func Clear() {
	unfinished.Lock()
	for path := range unfinished.all {
		os.RemoveAll(path)
	}
}
