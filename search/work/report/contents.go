package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"
)

// fewestSections is the smallest number of sections for which a page gets a table of contents.
const fewestSections = 4

var (
	sectionHead = regexp.MustCompile(`<section><h2>(.*?)</h2>`)
	tags        = regexp.MustCompile(`<[^>]*>`)
	percent     = regexp.MustCompile(`([0-9]) %`) // a number that no line may end with
	noLetters   = regexp.MustCompile(`[^a-z0-9]+`)
)

// writePage executes the template, keeps numbers and their percent signs on one line, gives each section an anchor, and lists the sections before the first one.
func writePage(w io.Writer, t *template.Template, data any) error {
	var page bytes.Buffer
	if err := t.Execute(&page, data); err != nil {
		return err
	}
	text := percent.ReplaceAll(page.Bytes(), []byte("$1\u00a0%"))
	_, err := w.Write(withContents(text))
	return err
}

// withContents returns the page with an id in each section that has a heading, made from the heading, and links to these.
func withContents(page []byte) []byte {
	var links []string
	used := map[string]int{}
	out := sectionHead.ReplaceAllFunc(page, func(head []byte) []byte {
		title := string(sectionHead.FindSubmatch(head)[1])
		id := strings.Trim(noLetters.ReplaceAllString(strings.ToLower(tags.ReplaceAllString(title, "")), "-"), "-")
		if used[id]++; used[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, used[id])
		}
		links = append(links, fmt.Sprintf(`<a href="#%s">%s</a>`, id, tags.ReplaceAllString(title, "")))
		return fmt.Appendf(nil, `<section id="%s"><h2>%s</h2>`, id, title)
	})
	if len(links) < fewestSections {
		return out
	}
	nav := `<nav class="contents" aria-label="Contents">` + strings.Join(links, " · ") + "</nav>\n"
	return bytes.Replace(out, []byte("<section id="), []byte(nav+"<section id="), 1)
}
