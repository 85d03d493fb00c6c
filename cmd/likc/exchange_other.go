//go:build !linux

package main

import "errors"

// exchange is Linux's.
func exchange(a, b string) error { return errors.ErrUnsupported }
