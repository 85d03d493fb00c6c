// Command ask prints the version, commit and module that the linker stored in it.
package main

import (
	"fmt"

	"likc/runtime/sys/version"
)

func main() {
	i := version.Get()
	commit, known := i.Source()
	fmt.Println(i.Version, commit, known, i.Module)
}
