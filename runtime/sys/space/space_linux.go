package space

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Limit returns the limit on the process's address space in bytes; 0: there is none.
func Limit() uint64 {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &r); err != nil || r.Cur == ^uint64(0) {
		return 0
	}
	return r.Cur
}

// used returns how much of its address space the process uses, in bytes; false if that is unknown.
func used() (uint64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return 0, false
	}
	return pages * uint64(os.Getpagesize()), true
}

// available returns how much memory the machine has left for new values, in bytes; false if that is unknown.
func available() (uint64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(text), "\nMemAvailable:")
	var kB uint64
	if _, err := fmt.Sscan(after, &kB); err != nil {
		return 0, false
	}
	return kB << 10, true
}
