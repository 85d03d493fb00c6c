package likc

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed testdata/pipelines/*.toml
var pipelines embed.FS

// Pipeline returns the text of the built-in pipeline name.
func Pipeline(name string) (text string, ok bool) {
	b, err := pipelines.ReadFile("testdata/pipelines/" + name + ".toml")
	return string(b), err == nil
}

// PipelineNames returns the names of the built-in pipelines in alphabetic order.
func PipelineNames() []string {
	files, _ := fs.Glob(pipelines, "testdata/pipelines/*.toml")
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(path.Base(f), ".toml")
	}
	return names
}

//go:embed testdata/banks testdata/teacher
var data embed.FS

// Data returns the files of a bank or teacher that comes with the program, by its folder's name; false for another name.
func Data(name string) (fs.FS, bool) {
	for _, kind := range []string{"banks", "teacher"} {
		dir := "testdata/" + kind + "/" + name
		if info, err := fs.Stat(data, dir); err == nil && info.IsDir() && fs.ValidPath(dir) && name != "" && name != "." {
			sub, err := fs.Sub(data, dir)
			return sub, err == nil
		}
	}
	return nil, false
}

// DataNames returns the names that Data knows.
func DataNames() []string {
	var names []string
	for _, kind := range []string{"banks", "teacher"} {
		entries, _ := fs.ReadDir(data, "testdata/"+kind)
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	return names
}
