package store

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestCause: an error that is wrapped by operations on files and by calls of the system is told without them.
func TestCause(t *testing.T) {
	call := os.NewSyscallError("copy_file_range", syscall.EFBIG)
	for _, err := range []error{
		syscall.EFBIG,
		call,
		&fs.PathError{Op: "write", Path: "a", Err: call},
		&fs.PathError{Op: "Copy", Path: "a", Err: &fs.PathError{Op: "write", Path: "a/b", Err: call}},
		&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EFBIG},
	} {
		if got := Cause(err); got != syscall.EFBIG {
			t.Errorf("%v: the cause is %v", err, got)
		}
	}
}
