// Package templates holds the fixed text of emitted packages, which no compiled expression changes. Folder density has the exact densities of some
// processes, and folder numerical the solver for other processes, in C.
package templates

import "embed"

//go:embed csrc density exec fixed gopkg numerical rowwise text
var files embed.FS

// Text returns the text of the named file. It panics if there is no such file, which is an error in the calling program.
func Text(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(data)
}
