package report

import (
	"encoding/base64"
	"html/template"
	"os"
	"path"
	"strings"
)

// check is the result of ppc, sbc or audit on one model.
type check struct {
	Title, Model string
	Picture      template.URL // its figure
	Words        []string     // what its JSON says, in words
}

// checkStages are the checks, in the page's order.
var checkStages = []struct {
	stage, title string
	words        func(r *run, unit, file string) ([]string, error)
}{
	{"ppc", "Do simulations from the posterior look like the data?", noWords},
	{"sbc", "Are the posteriors of a formula's own data honest?", noWords},
	{"audit", "What does the estimator converge to?", noWords},
}

func noWords(*run, string, string) ([]string, error) { return nil, nil }

// checks takes the figure and the figures of each model that was checked.
func (p *page) checks(r *run) error {
	for _, s := range checkStages {
		record := r.records[s.stage]
		if record == nil {
			continue
		}
		for _, f := range record.Outputs {
			if path.Ext(f.Name) != ".svg" {
				continue
			}
			file, _ := r.path(s.stage, f.Name)
			picture, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			c := check{Title: s.title, Model: strings.TrimSuffix(path.Base(f.Name), ".svg"), Picture: dataURL(picture)}
			if c.Words, err = s.words(r, s.stage, strings.TrimSuffix(f.Name, ".svg")+".json"); err != nil {
				return err
			}
			p.Checks = append(p.Checks, c)
		}
	}
	return nil
}

// dataURL holds an SVG in a page without letting its style into the page's.
func dataURL(svg []byte) template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
}
