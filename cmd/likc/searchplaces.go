package main

import (
	"os"
	"path/filepath"
	"strings"
)

// searchPlaces are the files that a search writes, links followed; "" for none.
type searchPlaces struct{ front, csv, state, archive string }

// place finds out before the search whether its files can be written, that no two are one, and none a front to go on from.
func (f *searchFlags) place() error {
	type file struct {
		flag, path string
		to         *string
	}
	var files []file
	if f.out != "" {
		if strings.EqualFold(filepath.Ext(f.out), ".csv") {
			return usagef("--output %s: a table of that name goes beside the front; want FRONT.jsonl", f.out)
		}
		files = append(files, file{"--output", f.out, &f.places.front}, file{"--output", csvPath(f.out), &f.places.csv},
			file{"--output", f.out + ".state", &f.places.state})
	}
	if f.archive != "" {
		files = append(files, file{"--archive", f.archive, &f.places.archive})
	}
	for i, a := range files {
		var err error
		if *a.to, err = outputFile(a.flag, a.path); err != nil {
			return err
		}
		for _, b := range files[:i] {
			if samePlace(*a.to, *b.to) {
				return usagef("%s %s: the search writes %s there", a.flag, a.path, b.path)
			}
		}
		for _, from := range f.from {
			if source, err := followLinks(from); err == nil && samePlace(*a.to, source) {
				return usagef("--from %s: the search would write %s over it", from, a.path)
			}
		}
	}
	return nil
}

// outputFile returns where a file is to be written: what path is a link to, if it is one. It refuses what is no file, and a
// folder in which nothing can be written.
func outputFile(flag, path string) (string, error) {
	target, err := followLinks(path)
	if err != nil {
		return "", usagef("%s %s: %w", flag, path, plain(err))
	}
	if err := checkPlace(flag, target); err != nil {
		return "", err
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return "", usagef("%s %s: is a folder; want a file", flag, path)
	} else if err == nil && !info.Mode().IsRegular() {
		return "", usagef("%s %s: is not a regular file", flag, path)
	}
	probe, err := os.CreateTemp(filepath.Dir(target), ".likc-*")
	if err != nil {
		return "", usagef("%s %s: nothing can be written in %s: %w", flag, path, filepath.Dir(target), plain(err))
	}
	probe.Close()
	return target, os.Remove(probe.Name())
}

// samePlace reports whether two paths are of one file, whether it is there or not.
func samePlace(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil && os.SameFile(x, y) {
			return true
		}
	}
	folder := func(path string) os.FileInfo { info, _ := os.Stat(filepath.Dir(path)); return info }
	x, y := folder(a), folder(b)
	return filepath.Base(a) == filepath.Base(b) && x != nil && y != nil && os.SameFile(x, y)
}
