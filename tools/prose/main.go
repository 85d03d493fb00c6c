// Command prose reads the pages that people read, and prints where they are hard to read: long sentences, long pages, and words that
// the style of these pages replaces (tics). It prints a complaint for each page that exceeds a limit, and fails only if a page exceeds
// a second, higher limit, because one new sentence should not stop a build.
//
//	make bin/prose && bin/prose [-except FILE] [-lines] [PAGE or FOLDER]...
//
// A line of FILE is PAGE TIC REASON: the tic is allowed on that page. TIC is a name that this program prints, or "length", "sentences" or
// "numbers"; PAGE may end with "/", for a folder.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// Limits of a page. The program prints a complaint if a page exceeds one.
const (
	mostLines   = 250
	mostLong    = 0.1 // the largest share of a page's sentences with more than mostWords words
	mostWords   = 25
	mostNumbers = 8 // per 100 words of prose
)

// Higher limits of a page. The program fails if a page exceeds one.
const (
	failLines = 300
	failLong  = 0.2 // as mostLong
	failTics  = 5   // the number of tics that are not in the list of exceptions
)

func main() {
	except := flag.String("except", "", "file of exceptions")
	lines := flag.Bool("lines", false, "print each tic and each long sentence")
	flag.Parse()
	if err := run(flag.Args(), *except, *lines); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// run reads the pages and prints a row for each, then the sums, then the complaints.
func run(paths []string, except string, lines bool) error {
	files, err := pages(paths)
	if err != nil {
		return err
	}
	exceptions, err := readExceptions(except)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "page\tlines\tsentences\tlong\tnumbers per 100 words\ttics\t")
	var sum report
	var complaints, failed []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r := examine(string(text))
		sum.add(r)
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%.1f\t%d\t\n", file, r.lines, r.sentences, len(r.long), r.density(), len(r.tics))
		complaints = append(complaints, r.complaints(filepath.ToSlash(file), exceptions, lines)...)
		if r.fails(filepath.ToSlash(file), exceptions) {
			failed = append(failed, file)
		}
	}
	fmt.Fprintf(out, "all\t%d\t%d\t%d\t%.1f\t%d\t\n", sum.lines, sum.sentences, len(sum.long), sum.density(), len(sum.tics))
	out.Flush()
	counts := map[string]int{}
	for _, t := range sum.tics {
		counts[t.name]++
	}
	for _, t := range tics {
		fmt.Printf("%5d  %s: %s\n", counts[t.name], t.name, t.advice)
	}
	for _, c := range complaints {
		fmt.Fprintln(os.Stderr, c)
	}
	if len(failed) > 0 {
		return fmt.Errorf("hard to read: %s; tools/prose/exceptions.txt lists what is allowed, with its reason", strings.Join(failed, ", "))
	}
	return nil
}

// pages returns the Markdown files that the paths name, sorted. Pages of commands are generated, and left out.
func pages(paths []string) (files []string, err error) {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "cli" {
				return fs.SkipDir
			}
			if !d.IsDir() && filepath.Ext(file) == ".md" {
				files = append(files, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	return files, nil
}

// exception allows a tic on a page.
type exception struct{ page, tic string }

// readExceptions reads the list of hits that are allowed.
func readExceptions(file string) (all []exception, err error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s:%d: want PAGE TIC REASON", file, i+1)
		}
		all = append(all, exception{fields[0], fields[1]})
	}
	return all, nil
}

// allowed reports whether an exception covers a tic of a page.
func allowed(exceptions []exception, page, tic string) bool {
	return slices.ContainsFunc(exceptions, func(e exception) bool {
		return e.tic == tic && (e.page == page || strings.HasSuffix(e.page, "/") && strings.HasPrefix(page, e.page))
	})
}
