//go:build !bootstrap

package main

// This file links the packages of the built-in models into the program. With the build tag bootstrap it does not, so that likc generate works
// even if these packages do not compile.
import _ "likc/generated/all"
