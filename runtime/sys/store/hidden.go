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

// workWord is the ending of hidden names for unfinished work.
const workWord = "work"

// Workplace returns a hidden path next to path, where a process keeps the state from which a later process continues. This
// package never removes files there.
func Workplace(path string) string {
	return filepath.Join(filepath.Dir(path), hiddenPrefix(path)+workWord)
}

// Shorten cuts a file name that would be too long with the prefix and ending that are added to it, and puts a hash in place of
// the rest.
func Shorten(name string) string {
	const most = 120
	if len(name) <= most {
		return name
	}
	return name[:most] + "~" + ShortSum(name)
}

// ShortSum returns 16 hexadecimal digits that tell texts apart.
func ShortSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:8])
}

// isNumbered reports whether a number follows the prefix in a name, as in a hidden one.
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
	return isNumbered(name, name[:at+len(mark)]) || name[at+len(mark):] == lockWord
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
		if flock(f) == ErrLocked || !isStill(f, name) { // another process that clears was faster
			f.Close()
			unfinished.drop(name)
			continue
		}
		return f, nil
	}
}

// isStill reports whether an open file or folder is the one at the path.
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

// clearFolder removes hidden files and lock files that no process has locked. Where there are no locks, all stay.
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

// add makes a file or folder and adds its path, with no Clear in between.
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

// Clear removes the unfinished files and folders of this process, and holds up whatever would make another: it is for a
// process that ends at once.
func Clear() {
	unfinished.Lock()
	for path := range unfinished.all {
		os.RemoveAll(path)
	}
}
