//go:build !linux

package cli

// spaceLimit returns the limit on the address space in bytes; 0: there is none, or none that is enforced.
func spaceLimit() uint64 { return 0 }
