// Command ask prints what the linker was told.
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
