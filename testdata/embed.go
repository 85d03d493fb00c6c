// Package testdata carries the files that come with the program, where they lie: models, pipelines, banks, teachers and a study of real
// participants.
package testdata

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed models/*.lik densities/*.lik learners/*.lik processes/*.lik pipelines/*.toml teacher
//go:embed verdicts/honest-holdout-90.jsonl verdicts/*-300.jsonl verdicts/fresh-*.jsonl verdicts/full_ddm-60.jsonl
var files embed.FS

// trials has banks and a study. It is a variable of its own, so that it is linked only into programs that open them.
//
//go:embed banks reference/cavanagh_theta_nn.csv.gz reference/LICENSE.hddm
var trials embed.FS

// folders are the kinds of folders that Folder knows, and where they are.
func folders() []kind { return []kind{{"banks", trials}, {"teacher", files}} }

type kind struct {
	name string
	in   embed.FS
}

// Verdicts returns what likc judge found of models, a line of JSON each, on subjects by which nothing was chosen: those of the formulas
// on 90 held-out subjects, all on 300 fresh ones or more, and the formula for full_ddm on 60. Files that begin with fresh- know the sampling error
// of their figures; those that end in -300 are older.
func Verdicts() []byte {
	var all []byte
	entries, _ := fs.ReadDir(files, "verdicts") // it is embedded
	for _, e := range entries {
		text, _ := read("verdicts/" + e.Name())
		all = append(all, text...)
	}
	return all
}

// Model returns the text of the built-in model name.
func Model(name string) (text string, ok bool) {
	for _, folder := range []string{"models/", "densities/", "learners/", "processes/"} {
		if text, ok = read(folder + name + ".lik"); ok {
			return text, true
		}
	}
	return "", false
}

// ModelNames returns the names of the built-in models that compile to a package of their own, in alphabetic order.
func ModelNames() []string { return names("models", ".lik") }

// DensityNames returns the names of the built-in models that are divided by their integrals, in alphabetic order.
func DensityNames() []string { return names("densities", ".lik") }

// LearnerNames returns the names of the built-in models with states, in alphabetic order.
func LearnerNames() []string { return names("learners", ".lik") }

// ProcessNames returns the names of the built-in processes that are written down in the language, in alphabetic order.
func ProcessNames() []string { return names("processes", ".lik") }

// Pipeline returns the text of the built-in pipeline name.
func Pipeline(name string) (text string, ok bool) { return read("pipelines/" + name + ".toml") }

// PipelineNames returns the names of the built-in pipelines in alphabetic order.
func PipelineNames() []string { return names("pipelines", ".toml") }

func read(path string) (text string, ok bool) {
	b, err := files.ReadFile(path)
	return string(b), err == nil
}

// names lists the files of a folder with an ending, without it.
func names(dir, ending string) []string {
	found, _ := fs.Glob(files, dir+"/*"+ending)
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), ending)
	}
	return found
}

// Folder returns the files of a bank or teacher that comes with the program, by its folder's name; false for another name.
func Folder(name string) (fs.FS, bool) {
	for _, kind := range folders() {
		dir := kind.name + "/" + name
		if info, err := fs.Stat(kind.in, dir); err == nil && info.IsDir() && fs.ValidPath(dir) && name != "" && name != "." {
			sub, err := fs.Sub(kind.in, dir)
			return sub, err == nil
		}
	}
	return nil, false
}

// Teacher returns the files of the teacher of a process that comes with the program; false for a process without one.
func Teacher(process string) (fs.FS, bool) {
	dir := "teacher/" + process
	if !fs.ValidPath(dir) {
		return nil, false
	}
	if _, err := fs.Stat(files, dir+"/weights.bin"); err != nil {
		return nil, false
	}
	sub, err := fs.Sub(files, dir)
	return sub, err == nil
}

// FolderNames returns the names that Folder knows, banks first.
func FolderNames() []string {
	var names []string
	for _, kind := range folders() {
		entries, _ := fs.ReadDir(kind.in, kind.name)
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// Study returns the name of the file with the trials of a study that comes with the program, and the folder that has it with its licence.
func Study(name string) (file string, folder fs.FS, ok bool) {
	if file, ok = studies[name]; !ok {
		return "", nil, false
	}
	folder, err := fs.Sub(trials, "reference")
	return file, folder, err == nil
}

// studies are the files of the studies, by name.
var studies = map[string]string{"cavanagh": "cavanagh_theta_nn.csv.gz"}
