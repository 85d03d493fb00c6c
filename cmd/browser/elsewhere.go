//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "likc: this program is for browsers and node: build it by make browser")
	os.Exit(2)
}
