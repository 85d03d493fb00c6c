package judge

import (
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/compiler/syntax"
	"likc/runtime/catalog"
	"likc/runtime/front"
	"likc/runtime/store"
	"os"
	"path/filepath"

	html "likc/search/report"
	"likc/search/sweep"
)

// output is a file of a folder.
type output struct {
	name  string
	write func(io.Writer) error
}

// writeSweep writes the folder; the page is made of what is there by then.
func writeSweep(dir string, result *sweep.Result) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("--output %s: %w", dir, cli.Plain(err))
	}
	lines := result.Top(result.Settings.Top)
	files := []output{
		{"TOP.lik", func(w io.Writer) error { return writeModels(w, lines) }},
	}
	for _, p := range html.Pictures(result) {
		files = append(files, output{p.Name, func(w io.Writer) error { _, err := w.Write(p.SVG); return err }})
	}
	files = append(files,
		output{"sweep.json", func(w io.Writer) error { return cli.PrintJSON(w, result) }},
		output{"index.html", func(w io.Writer) error { return html.WriteSweep(w, dir) }})
	if err := front.WriteFile(filepath.Join(dir, "TOP.jsonl"), lines); err != nil {
		return err
	}
	for _, f := range files {
		if err := store.WriteFile(filepath.Join(dir, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}

// writeRefits writes the forms that there is a reason to fit again; of none it tells.
func writeRefits(told io.Writer, path string, result *sweep.Result) error {
	lines := result.RefitList()
	if len(lines) == 0 {
		fmt.Fprintf(told, "no form is near the criterion, diverges or mixes badly: nothing to fit again, so %s is empty\n", path)
	}
	return front.WriteFile(path, lines)
}

// writeModels writes the lines of a front as models top1, top2, ….
func writeModels(w io.Writer, lines []front.Line) error {
	for i, l := range lines {
		if err := l.Parse(catalog.Header); err != nil {
			return fmt.Errorf("%s: %w", l.Expr, err)
		}
		m := l.Parsed
		m.Name, m.Choice = fmt.Sprintf("top%d", i+1), "c" // choice is a word of the language
		if err := syntax.Print(w, m); err != nil {
			return err
		}
	}
	return nil
}
