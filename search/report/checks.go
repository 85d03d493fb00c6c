package report

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"os"
	"path"
	"strings"

	"likc/search/audit"
	"likc/search/ppc"
	"likc/search/sbc"
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
	{"ppc", "Do simulations from the posterior look like the data?", predictiveWords},
	{"sbc", "Are the posteriors of a formula’s own data honest?", calibrationWords},
	{"audit", "What does the estimator converge to?", auditWords},
}

// predictiveWords compares the distance of Kolmogorov and Smirnov with the truth's and the fair null's.
func predictiveWords(r *run, unit, file string) ([]string, error) {
	var s ppc.Summary
	_, err := r.json(unit, file, &s)
	beats := "no better than"
	if s.Beats {
		beats = "better than"
	}
	return []string{"Median KS distance " + general(s.KS) + "; at the true parameters " + general(s.KSTruth) + "; " + beats +
		" an unbiased estimator with the same recovery, " + general(s.KSNull) + "."}, err
}

func calibrationWords(r *run, unit, file string) ([]string, error) {
	var s sbc.Summary
	_, err := r.json(unit, file, &s)
	text := fmt.Sprintf("%d of %d parameters within the 95 %% band over %d simulations; dispersion of the ranks (1 if honest):",
		s.Kept.Inside, len(s.Kept.Params), s.Kept.Simulations)
	for _, p := range s.Kept.Params {
		text += " " + p.Name + " " + fixed(float64(p.Dispersion), 2)
	}
	return []string{text + "."}, err
}

func auditWords(r *run, unit, file string) ([]string, error) {
	var s audit.Summary
	_, err := r.json(unit, file, &s)
	text := "Correlation with the truth, for endless data and as fitted:"
	for i, p := range s.Params {
		if i > 0 {
			text += ","
		}
		text += " " + p.Name + " " + correlation(p.Implied) + " and " + correlation(p.Measured)
	}
	return []string{text + "."}, err
}

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
