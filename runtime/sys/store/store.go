// Package store writes files and folders that appear whole or not at all, and knows the locks, SHA-256 sums and manifests
// that guard them. It is the only package that renames and locks.
//
// What it promises:
//
//   - A file or folder that is replaced holds its old content or its new content, whole: after an error, a full disk,
//     Ctrl-C, a kill or a crash of the machine. Content is on the disk before it takes its name.
//   - While it is filled, it has a hidden name in the same folder, .NAME.likc-NUMBER, and is locked. [Clear] removes the
//     hidden files of this process, for a signal that ends it at once. Those of a killed process are removed by the next
//     process that writes in the same folder. The lock tells them from work under way.
//   - A link is followed: its target is replaced. A pipe or a device is never replaced: it is written through.
//   - Permissions are those of the process's umask: 0666 for files and 0777 for folders, without the bits of the umask.
//   - Errors name the path that the caller gave, never a hidden one.
//
// Locks are advisory. A file system that has none (some network file systems) takes no lock: then nothing is refused, and
// the hidden files of killed processes stay. Renames are atomic on local file systems and NFS. A folder is exchanged with
// the older one at once on Linux. Elsewhere it is missing between two renames, and the next process that writes there
// mends what a kill in between leaves.
package store

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLocked says that another process works on a file or folder.
var ErrLocked = errors.New("another likc is at work there: wait for it, or name another place")

// Cause returns an error of the system without the operation and the paths, which may be those of hidden files.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
