//go:build cgo && (linux || darwin || freebsd)

package main

// This program opens plugins. Without cgo no program can, so a released one is smaller.
import _ "likc/runtime/model/plugins"
