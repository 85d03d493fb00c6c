//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// stranger is the number of a user that no machine has.
const stranger = 1999999999

// openFolder returns a temporary folder that every user can enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var oneFile = fstest.MapFS{"below/weights.bin": {Data: []byte("1")}}

// readable lets every user read the cache and one folder in it.
func readable(cache, entry string) error {
	return errors.Join(os.Chmod(cache, 0o755), os.Chmod(filepath.Dir(entry), 0o755), os.Chmod(entry, 0o755), os.Chmod(filepath.Join(entry, "below"), 0o755))
}

// A cache is refused if another user owns or may write any folder or file on the path from the root to a cached file. The error
// names that folder or file.
func TestUntrustedCache(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(parent, cache, entry string) error
		owners string
		want   string // part of the error; "": no error
	}{
		{"as likc makes it", func(parent, cache, entry string) error { return nil }, "", ""},
		{"the cache is for all", func(parent, cache, entry string) error { return os.Chmod(cache, 0o777) }, "", "cache: other users may write it"},
		{"the cache is for a group", func(parent, cache, entry string) error { return os.Chmod(cache, 0o770) }, "", "cache: other users may write it"},
		{"the cache is for all, and sticky", func(parent, cache, entry string) error { return os.Chmod(cache, 0o777|os.ModeSticky) }, "", "cache: other users may write it"},
		{"others may read", func(parent, cache, entry string) error { return os.Chmod(cache, 0o755) }, "", ""},
		{"its parent is for all", func(parent, cache, entry string) error { return os.Chmod(parent, 0o777) }, "", "parent: other users may write it"},
		{"its parent is sticky", func(parent, cache, entry string) error { return os.Chmod(parent, 0o777|os.ModeSticky) }, "", ""},
		{"its open parent is in a closed folder", func(parent, cache, entry string) error {
			return errors.Join(os.Chmod(parent, 0o777), os.Chmod(filepath.Dir(parent), 0o700))
		}, "", ""},
		{"an entry is for all", func(parent, cache, entry string) error {
			return errors.Join(readable(cache, entry), os.Chmod(entry, 0o777))
		},
			"", "other users may write it"},
		{"a file is for all", func(parent, cache, entry string) error {
			return errors.Join(readable(cache, entry), os.Chmod(filepath.Join(entry, "below", "weights.bin"), 0o666))
		},
			"", "below/weights.bin: other users may write it"},
		{"a link", func(parent, cache, entry string) error { return os.Symlink("/dev/null", filepath.Join(entry, "link")) }, "", "link: is a link"},
		{"the cache is another's", func(parent, cache, entry string) error { return os.Chown(cache, stranger, -1) }, "", "cache: belongs to user 1999999999"},
		{"the parent is another's", func(parent, cache, entry string) error { return os.Chown(parent, stranger, -1) }, "", "parent: belongs to user 1999999999"},
		{"a file is another's", func(parent, cache, entry string) error {
			return os.Chown(filepath.Join(entry, "below", "weights.bin"), stranger, -1)
		},
			"", "weights.bin: belongs to user 1999999999"},
		{"a trusted user owns the cache", func(parent, cache, entry string) error { return os.Chown(cache, stranger, -1) }, "root, 1999999999", ""},
		{"a trusted user lets others write", func(parent, cache, entry string) error {
			return errors.Join(os.Chown(cache, stranger, -1), os.Chmod(cache, 0o777))
		},
			"1999999999", "cache: other users may write it"},
		{"the trusted user does not exist", func(parent, cache, entry string) error { return nil }, "no:body", `LIKC_CACHE_OWNERS: "no:body" is no user of this machine`},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := filepath.Join(openFolder(t), "parent")
			if err := os.Mkdir(parent, 0o755); err != nil {
				t.Fatal(err)
			}
			cache := filepath.Join(parent, "cache")
			t.Setenv(CacheVariable, cache)
			entry, err := Unpack("one", oneFile)
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv(CacheOwners, c.owners)
			if err := c.spoil(parent, cache, entry); errors.Is(err, os.ErrPermission) {
				t.Skip("only root gives files to others: ", err)
			} else if err != nil {
				t.Fatal(err)
			}
			_, err = Unpack("one", oneFile)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if c.want != "" && c.owners != "no:body" && !errors.Is(err, ErrUntrusted) {
				t.Errorf("%v is not ErrUntrusted", err)
			}
		})
	}
}

// Files that likc puts into its cache get the cache's permissions, whatever the umask. By default other users have no access;
// if the owner lets them read the cache, they can read its files.
func TestPermissionsOfTheCache(t *testing.T) {
	for _, mask := range []int{0, 0o002, 0o022} {
		parent := openFolder(t)
		cache := filepath.Join(parent, "new", "cache")
		t.Setenv(CacheVariable, cache)
		old := syscall.Umask(mask)
		dir, err := Unpack("one", oneFile)
		var shared string
		if err == nil {
			if err = errors.Join(os.Chmod(cache, 0o755), os.Chmod(filepath.Join(cache, "data"), 0o755)); err == nil {
				shared, err = Unpack("two", oneFile)
			}
		}
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]os.FileMode{
			filepath.Dir(cache): 0o700, dir: 0o700, filepath.Join(dir, "below"): 0o700, filepath.Join(dir, "below", "weights.bin"): 0o600,
			shared: 0o755, filepath.Join(shared, "below"): 0o755, filepath.Join(shared, "below", "weights.bin"): 0o644,
		} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^(want&0o777) != 0 || info.Mode().Perm()&0o022 != 0 {
				t.Errorf("umask %03o: %s is %v, %v, want %v", mask, path, info.Mode().Perm(), err, want)
			}
		}
	}
}

// A link to the cache is followed once. The path that Cache returns has no link, which others could point to another folder.
func TestCacheBehindALink(t *testing.T) {
	parent := openFolder(t)
	target := filepath.Join(parent, "real")
	if err := errors.Join(os.Mkdir(target, 0o700), os.Symlink(target, filepath.Join(parent, "link"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv(CacheVariable, filepath.Join(parent, "link"))
	if dir, err := Cache(""); err != nil || filepath.Base(dir) != "real" {
		t.Errorf("%s, %v", dir, err)
	}
}
