//go:build !amd64 || purego

package isa

// detect returns Portable: this build has no assembly.
func detect() Level { return Portable }
