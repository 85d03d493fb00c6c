//go:build !bootstrap

package main

// The built-in models' packages are linked in. With the tag bootstrap they are not, so that they can be generated anew
// whatever state they are in.
import _ "likc/generated/all"
