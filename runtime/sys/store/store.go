// Package store writes files and folders that appear whole or not at all, and knows the locks, SHA-256 sums and manifests
// that guard them. It is the only package that renames and locks.
//
// What it promises:
//
//   - A file or folder that is replaced holds its old content or its new content, whole: after an error, a full disk,
//     Ctrl-C, a kill or a crash of the machine. Content is on the disk before it takes its name.
//   - While it is filled, it has a hidden name in the same folder, .NAME.likc-NUMBER, and is locked. [Clear] removes the
//     hidden files of this process, for a signal that ends it at once. The hidden files of a killed process are removed by the
//     next process that writes in the same folder. It knows them by their locks, which are free, because a running process
//     holds the locks of its own files.
//   - A link is followed: its target is replaced. A pipe or a device is never replaced: bytes are written to it directly.
//   - Permissions are those of the process's umask: 0666 for files and 0777 for folders, without the bits of the umask.
//   - Errors name the path that the caller gave, never a hidden one.
//
// Locks are advisory. Some network file systems have no locks: then nobody is refused, and the hidden files of killed
// processes stay. Renames are atomic on local file systems and NFS. On Linux a new folder and the old one are exchanged
// in one step. On other systems the folder is missing between two renames; if a kill comes between them, the next process
// that writes there gives the folder its name back.
package store

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLocked says that another process works on a file or folder.
var ErrLocked = errors.New("another likc is at work there: wait for it, or name another place")

// Cause returns an error of the system without the operations and the paths, which may be those of hidden files.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return Cause(path.Err)
	case errors.As(err, &link):
		return Cause(link.Err)
	case errors.As(err, &call):
		return call.Err
	}
	return err
}
