package cluster

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/sys/store"
	"likc/search/work/pipeline"
)

// folder returns the path of a folder that the engine keeps in the run's folder until all units are done.
func (e *Engine) folder(name string) string { return filepath.Join(pipeline.WorkFolder(e.dir), name) }

// logs returns the folder to which tasks of arrays write their output.
func (e *Engine) logs() string { return filepath.Join(pipeline.LogFolder(e.dir), "tasks") }

// file returns the path of one of an array's files.
func (e *Engine) file(array, ending string) string {
	return filepath.Join(e.folder("arrays"), array+ending)
}

// program copies the running program into the run's folder, unless it is there already, and returns the copy's path and hash. Tasks run
// the copy, because it does not change if the original is updated, and because every machine can read it.
func (e *Engine) program() (path, sum string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	if sum, err = store.SumFile(self); err != nil {
		return "", "", err
	}
	path = filepath.Join(e.folder("program"), sum[:16], "likc")
	if got, err := store.SumFile(path); err == nil && got == sum {
		return path, sum, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", "", err
	}
	return path, sum, copyProgram(self, path)
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := store.WriteFile(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err }); err != nil {
		return err
	}
	return os.Chmod(to, 0o755)
}

// save writes an array's file, which lists the jobs of its tasks and, if known, its id.
func (e *Engine) save(a *array) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return store.WriteFile(e.file(a.Name, ".json"), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// saveList writes the ids of the jobs of each task, one line for each task.
func (e *Engine) saveList(a *array) error {
	var lines strings.Builder
	for _, ids := range a.Tasks {
		lines.WriteString(strings.Join(ids, " ") + "\n")
	}
	return store.WriteFile(e.file(a.Name, ".tasks"), func(w io.Writer) error { _, err := io.WriteString(w, lines.String()); return err })
}

// forget removes an array's files.
func (e *Engine) forget(a *array) {
	delete(e.arrays, a.Name)
	os.Remove(e.file(a.Name, ".json"))
	os.Remove(e.file(a.Name, ".tasks"))
}

// saveTimes writes the times of units for a later run that continues this one. Without them, its tasks would be shorter.
func (e *Engine) saveTimes() error {
	text, err := json.Marshal(e.times)
	if err != nil {
		return err
	}
	return store.WriteFile(e.folder("times.json"), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// readTimes reads the times that saveTimes wrote.
func (e *Engine) readTimes() {
	known := times{}
	if text, err := os.ReadFile(e.folder("times.json")); err == nil && json.Unmarshal(text, &known) == nil {
		e.times = known
	}
}

// saved reads the arrays that an earlier run left.
func (e *Engine) saved() (all []*array, err error) {
	entries, err := os.ReadDir(e.folder("arrays"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" || entry.Name()[0] == '.' {
			continue
		}
		text, err := os.ReadFile(filepath.Join(e.folder("arrays"), entry.Name()))
		a := newArray("")
		if err != nil || json.Unmarshal(text, a) != nil || a.Name == "" {
			continue // the file is incomplete: the array was not submitted
		}
		all = append(all, a)
	}
	return all, err
}
