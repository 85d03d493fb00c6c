package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two folders, in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// flushAll flushes the folder's whole file system to the disk, because one such call is faster than one for each file.
func flushAll(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = unix.Syncfs(int(f.Fd())) // an error is ignored, because the system flushes by itself later
		f.Close()
	}
}
