//go:build unix

package store

import (
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// trust checks paths from the root down to the cache, one after another.
type trust struct {
	owners  []uint32 // numbers of the users who may own files of the cache
	guarded bool     // whether some folder that was checked cannot be entered by other users
}

// newTrust trusts this user, root, and the users that the environment names.
func newTrust() (*trust, error) {
	t := &trust{owners: []uint32{0, uint32(os.Geteuid())}}
	for name := range strings.SplitSeq(os.Getenv(CacheOwners), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		id := name
		if u, err := user.Lookup(name); err == nil {
			id = u.Uid
		}
		uid, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no user of this machine; expected names or numbers of users, with commas between them", CacheOwners, name)
		}
		t.owners = append(t.owners, uint32(uid))
	}
	return t, nil
}

// check returns an error if a user who is not trusted owns a path or may write it. A folder above the cache
// may be open to all if it is sticky: other users can add files there, but cannot remove or rename ours.
func (t *trust) check(path string, above bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	mode, owner := info.Mode(), info.Sys().(*syscall.Stat_t).Uid
	if mode&os.ModeSymlink != 0 {
		return &Untrusted{path, "is a link, and likc makes none in its cache: remove it"}
	}
	if !slices.Contains(t.owners, owner) {
		return &Untrusted{path, fmt.Sprintf("belongs to %s, who could change what likc runs: set %s to a folder of your own, or name that user in %s",
			userOf(owner), CacheVariable, CacheOwners)}
	}
	if open := mode.Perm()&0o022 != 0 && !(above && mode&os.ModeSticky != 0); open && !t.guarded {
		return &Untrusted{path, fmt.Sprintf("other users may write it, and so change what likc runs: chmod go-w it if you trust what is there, or set %s to another folder",
			CacheVariable)}
	}
	t.guarded = t.guarded || above && mode.Perm()&0o011 == 0
	return nil
}

// userOf returns the name of a user.
func userOf(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
