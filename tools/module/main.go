// Command module renames the module: in go.mod, in the imports of every Go file, and where comments and documents name its
// packages. Run it by make module MODULE=example.org/you/likc. A second run with the same path changes nothing, and a run
// with the old path restores every file.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "module: want the module's new path, such as example.org/you/likc")
		os.Exit(2)
	}
	n, err := rename(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
	fmt.Printf("the module is %s: %d files changed\n", os.Args[1], n)
}
