//go:build !linux

package space

// Limit returns the limit on the process's address space in bytes; 0: there is none, or none that is enforced.
func Limit() uint64 { return 0 }

func used() (uint64, bool) { return 0, false }

func available() (uint64, bool) { return 0, false }
