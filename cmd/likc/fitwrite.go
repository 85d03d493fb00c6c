package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/runtime/chains"
	"likc/runtime/figure"
)

// summaryFile is in every folder that fit made, and tells it from others.
const summaryFile = "summary.json"

// checkFitFolder says, before anything is drawn, whether the folder can be written: it must be new, empty, or a fit's.
func checkFitFolder(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--output %s: %w", dir, plain(err))
	}
	if !info.IsDir() {
		return usagef("--output %s: is a file; want a folder", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("--output %s: %w", dir, plain(err))
	}
	for _, e := range entries {
		if !fitsOwn(e) {
			return usagef("--output %s: holds %s, which is not a fit's; name a new folder", dir, e.Name())
		}
	}
	return nil
}

// fitsOwn reports whether fit writes entries of that name: only those may go when a fit is replaced.
func fitsOwn(e os.DirEntry) bool {
	name := e.Name()
	switch ext := filepath.Ext(name); {
	case e.IsDir():
		return strings.HasPrefix(name, "subject_")
	case ext == ".csv":
		return strings.HasPrefix(name, "chain_") || name == "subjects.csv"
	}
	return name == summaryFile || slices.Contains(fitFigures, strings.TrimSuffix(strings.TrimSuffix(name, ".svg"), ".png"))
}

// fitFigures are the names of the figures, without their endings.
var fitFigures = []string{"trace", "rank", "marginal", "pairs", "predictive"}

// write makes the folder: beside, then in place of an older fit.
func (r *fitRun) write(kept []*fitted, figures bool) error {
	return replaceFolder(r.dir, func(dir string) error {
		if !r.many {
			return r.writeSubject(dir, kept[0], figures)
		}
		for _, f := range kept {
			sub := filepath.Join(dir, subjectFolder(f.label))
			if err := os.Mkdir(sub, 0o755); err != nil {
				return fmt.Errorf("subject %s: %w", f.label, err)
			}
			if err := r.writeSubject(sub, f, figures); err != nil {
				return err
			}
		}
		if err := writeFile(filepath.Join(dir, "subjects.csv"), func(w io.Writer) error { return r.subjectsCSV(w, kept) }); err != nil {
			return err
		}
		return writeFile(filepath.Join(dir, summaryFile), func(w io.Writer) error { return printJSON(w, r.subjectsJSON(kept)) })
	})
}

// replaceFolder fills a folder beside and renames it; the folder that was there goes only when the new one is whole.
func replaceFolder(dir string, fill func(dir string) error) (err error) {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*")
	if err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	unfinished.add(beside)
	defer os.RemoveAll(beside)
	if err := os.Chmod(beside, 0o755); err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	if err := fill(beside); err != nil {
		return err
	}
	old := beside + ".old"
	if err := os.Rename(dir, old); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := os.Rename(beside, dir); err != nil {
		os.Rename(old, dir)
		return fmt.Errorf("%s: %w", dir, err)
	}
	return os.RemoveAll(old)
}

// subjectFolder is a name that every file system takes.
func subjectFolder(label string) string {
	return "subject_" + strings.ReplaceAll(url.QueryEscape(label), ".", "%2E")
}

// writeSubject writes one fit's files.
func (r *fitRun) writeSubject(dir string, f *fitted, figures bool) error {
	if f.draws != nil {
		for i := range f.draws.Chains {
			name := fmt.Sprintf("chain_%d.csv", f.draws.Chains[i].ID)
			if err := writeFile(filepath.Join(dir, name), func(w io.Writer) error { return f.draws.WriteStan(w, i) }); err != nil {
				return err
			}
		}
	}
	if figures {
		if err := r.writeFigures(dir, f); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, summaryFile), func(w io.Writer) error { return printJSON(w, r.summary(f)) })
}

func (r *fitRun) writeFigures(dir string, f *fitted) error {
	for _, page := range []struct {
		name string
		draw func(*chains.Draws) (*figure.Figure, error)
	}{{"trace", figure.Trace}, {"rank", figure.Rank}, {"marginal", figure.Marginal}, {"pairs", figure.Pairs}} {
		fig, err := page.draw(f.draws)
		if err != nil {
			return err
		}
		if err := writeFigure(filepath.Join(dir, page.name), fig, r.png); err != nil {
			return err
		}
	}
	rt, choice, err := r.predict(f)
	if rt == nil || err != nil {
		return err
	}
	fig, err := figure.SignedTimes(f.columns[0], f.choice, rt, choice)
	if err != nil {
		return err
	}
	return writeFigure(filepath.Join(dir, "predictive"), fig, r.png)
}

// writeFigure writes path.svg, and path.png if that is wanted.
func writeFigure(path string, fig *figure.Figure, png bool) error {
	if err := writeFile(path+".svg", fig.WriteSVG); err != nil || !png {
		return err
	}
	return writeFile(path+".png", fig.WritePNG)
}
