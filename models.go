// Package likc carries the built-in models: the paper's expressions and the compiler's stress cases, as written.
package likc

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed testdata/models/*.lik
var models embed.FS

// Model returns the text of the built-in model name.
func Model(name string) (text string, ok bool) {
	b, err := models.ReadFile("testdata/models/" + name + ".lik")
	return string(b), err == nil
}

// ModelNames returns the names of the built-in models in alphabetic order.
func ModelNames() []string {
	files, _ := fs.Glob(models, "testdata/models/*.lik")
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(f, "testdata/models/"), ".lik")
	}
	return names
}
