package likc

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// documents returns the pages that people read, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "testdata/*/README.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[filepath.ToSlash(file)] = string(text)
		}
	}
	return pages
}

// prose returns the lines of a page outside code blocks.
func prose(page string) []string {
	var lines []string
	code := false
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code {
			lines = append(lines, line)
		}
	}
	return lines
}

// anchors returns the names by which links reach the headings of a page: letters in lower case, blanks as hyphens, digits
// and hyphens as they are, nothing else.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, line := range prose(page) {
		for _, match := range anchor.FindAllStringSubmatch(line, -1) {
			names[match[1]] = true
		}
		heading := strings.TrimLeft(line, "#")
		if heading == line || !strings.HasPrefix(heading, " ") {
			continue
		}
		names[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading))] = true
	}
	return names
}

// anchor matches a name by which links reach a part of a page that has no heading.
var anchor = regexp.MustCompile(`<a id="([^"]+)">`)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// releases ends links to the page of releases, which the website of the repository has beside the files.
const releases = "../../releases"

// TestLinks: every link in the documents leads to a file that exists, and to a heading that the file has.
func TestLinks(t *testing.T) {
	pages := documents(t)
	links := 0
	for from, page := range pages {
		for _, match := range link.FindAllStringSubmatch(strings.Join(prose(page), "\n"), -1) {
			target, name, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") || strings.HasSuffix(target, releases) {
				continue
			}
			links++
			path := from
			if target != "" {
				path = filepath.ToSlash(filepath.Join(filepath.Dir(from), target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: link to %s: there is no %s", from, match[1], path)
			} else if name != "" && !anchors(pages[path])[name] {
				t.Errorf("%s: link to %s: %s has no such heading", from, match[1], path)
			}
		}
	}
	if links < 20 {
		t.Errorf("found %d links", links)
	}
}

// TestReadme: the first page is short, names the two commands that everybody needs, and says whose method this is.
func TestReadme(t *testing.T) {
	readme := documents(t)["README.md"]
	if n := strings.Count(readme, "\n"); n > 120 {
		t.Errorf("README.md has %d lines, not 120 at most", n)
	}
	for _, want := range []string{"make demo", "make test", "Recovery-Directed Symbolic Distillation of Neural Likelihoods", "Fernandez"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not name %q", want)
		}
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for page, text := range map[string]string{"README.md": readme, "docs/explanation/compiler.md": documents(t)["docs/explanation/compiler.md"]} {
		for _, match := range regexp.MustCompile("(?m)(?:`|^)make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+match[1]+":") {
				t.Errorf("%s: make %s: the Makefile has no such target", page, match[1])
			}
		}
	}
}
