//go:build purego

package isa

func detect() Level { return Portable }
