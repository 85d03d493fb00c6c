package fit

import (
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/store"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// summaryFile is in every folder that fit made, and tells it from others.
const summaryFile = "summary.json"

// fitFolder says, before anything is drawn, whether the folder can be written: it must be new, empty, or a fit's. It returns
// the folder itself where dir is a link.
func fitFolder(dir string) (target string, err error) {
	if dir == "" {
		return "", nil
	}
	if target, err = store.Follow(filepath.Clean(dir)); err != nil {
		return "", fmt.Errorf("--output %s: %w", dir, cli.Plain(err))
	}
	info, err := os.Stat(target)
	if os.IsNotExist(err) {
		return target, nil
	}
	if err != nil {
		return "", fmt.Errorf("--output %s: %w", dir, cli.Plain(err))
	}
	if !info.IsDir() {
		return "", cli.Usagef("--output %s: is a file; want a folder", dir)
	}
	if why := store.Immovable(target); why != "" {
		return "", cli.Usagef("--output %s: %s, which cannot be replaced; name a folder in it", dir, why)
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return "", fmt.Errorf("--output %s: %w", dir, cli.Plain(err))
	}
	for _, e := range entries {
		if !fitsOwn(e) {
			return "", cli.Usagef("--output %s: holds %s, which is not a fit's; name a new folder", dir, e.Name())
		}
	}
	return target, nil
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

// subjectFolders gives each label the name of a folder that every file system takes. Labels that are too long, or that some
// file systems do not tell apart, have a hash in their names.
func subjectFolders(labels []string) []string {
	names, alike := make([]string, len(labels)), map[string]int{}
	for i, label := range labels {
		names[i] = "subject_" + store.Shorten(strings.ReplaceAll(url.QueryEscape(label), ".", "%2E"))
		alike[strings.ToLower(names[i])]++
	}
	for i, label := range labels {
		if alike[strings.ToLower(names[i])] > 1 {
			names[i] += "~" + store.ShortSum(label)
		}
	}
	return names
}
