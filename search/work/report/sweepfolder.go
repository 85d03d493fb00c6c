package report

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/sys/store"
	"likc/search/study/sweep"
)

// output is a file in a folder, and the function that writes it.
type output struct {
	name  string
	write func(io.Writer) error
}

// WriteSweepFolder writes a sweep's files into a folder: TOP.jsonl and TOP.lik with the best expressions, the pictures, sweep.json
// and index.html. The page comes last because it shows the files that are there.
func WriteSweepFolder(dir string, result *sweep.Result) error {
	lines := result.Top(result.Settings.Top)
	if err := front.WriteFile(filepath.Join(dir, "TOP.jsonl"), lines); err != nil {
		return err
	}
	files := []output{{"TOP.lik", func(w io.Writer) error { return writeModels(w, lines) }}}
	for _, p := range Pictures(result) {
		files = append(files, output{p.Name, func(w io.Writer) error { _, err := w.Write(p.SVG); return err }})
	}
	files = append(files,
		output{"sweep.json", func(w io.Writer) error { return writeJSON(w, result) }},
		output{"index.html", func(w io.Writer) error { return WriteSweep(w, dir) }})
	for _, f := range files {
		if err := store.WriteFile(filepath.Join(dir, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeModels writes the lines of a front as models top1, top2, ….
func writeModels(w io.Writer, lines []front.Line) error {
	for i, l := range lines {
		// the line's header has the parameters and columns of its process
		if err := l.Parse(catalog.Headers); err != nil {
			return fmt.Errorf("%s: %w", l.Expr, err)
		}
		l.Parsed.Name = fmt.Sprintf("top%d", i+1)
		if err := catalog.WriteModel(w, l.Parsed); err != nil {
			return err
		}
	}
	return nil
}
