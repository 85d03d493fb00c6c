package cli

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"likc/runtime/sys/store"
)

// Stdout is standard output. It keeps the first error, so that functions that print need not check for errors. A full
// disk must not count as success.
type Stdout struct{ err error } // err is the first error

// Write writes to standard output.
func (s *Stdout) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p)
	return n, s.keep(err)
}

// Close closes standard output, at which some file systems first tell that a disk is full, and returns the first error.
func (s *Stdout) Close() error {
	if err := os.Stdout.Close(); !errors.Is(err, syscall.EBADF) { // EBADF: it was closed before the program began
		s.keep(err)
	}
	return s.err
}

// keep returns err as an error of standard output, and records it if it is the first one.
func (s *Stdout) keep(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("standard output: %w", store.Cause(err))
	if s.err == nil {
		s.err = err
	}
	return err
}
