// Package templates holds the boilerplate of emitted packages: text in which no mathematics of a model occurs.
package templates

import "embed"

//go:embed csrc density exec fixed gopkg rowwise text
var files embed.FS

// Text returns a file's text; it panics for a file that does not exist, which only a broken build can ask for.
func Text(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(data)
}
