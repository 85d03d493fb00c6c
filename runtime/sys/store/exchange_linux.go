package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two folders at once.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// flushAll writes the folder's file system to the disk: one call in place of one for each file.
func flushAll(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = unix.Syncfs(int(f.Fd())) // an error is ignored, because the system flushes by itself later
		f.Close()
	}
}
