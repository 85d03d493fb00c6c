package cli

import "syscall"

// spaceLimit returns the limit on the address space in bytes; 0: there is none.
func spaceLimit() uint64 {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &r); err != nil || r.Cur == ^uint64(0) {
		return 0
	}
	return r.Cur
}
