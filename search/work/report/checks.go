package report

import (
	"encoding/base64"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/search/study/ablate"
	"likc/search/study/audit"
	"likc/search/study/ppc"
	"likc/search/study/sbc"
)

// check is the result of ppc, sbc, audit or ablate on one model.
type check struct {
	Title, Model string       // the question that the check answers, and the name of the model
	Picture      template.URL // the figure of the check
	Words        []string     // sentences that state the result
}

// checkStages lists the checks, in the page's order.
var checkStages = []struct {
	stage, title string
	words        func(r *run, unit, file string) ([]string, error)
}{
	{"ppc", "Do simulations from the posterior look like the data?", predictiveWords},
	{"sbc", "Are posteriors calibrated for data drawn from the formula itself?", calibrationWords},
	{"audit", "What does the estimator converge to?", auditWords},
	{"ablate", "What does each term of the formula carry?", ablationWords},
}

// predictiveWords compares three KS distances to the data: that of the fits' predictions, that of the true parameters, and that of an
// unbiased estimator with the same recovery.
func predictiveWords(r *run, unit, file string) ([]string, error) {
	var s ppc.Summary
	_, err := r.json(unit, file, &s)
	predicts := "no better"
	if s.Beats {
		predicts = "better"
	}
	return []string{"Simulated and observed response times differ by " + general(s.KS) + " (median KS distance; 0: identical). The true parameters give " +
		general(s.KSTruth) + ". An unbiased estimator with the same recovery gives " + general(s.KSNull) + ": the formula predicts " + predicts + "."}, err
}

func calibrationWords(r *run, unit, file string) ([]string, error) {
	var s sbc.Summary
	_, err := r.json(unit, file, &s)
	if s.Failed == s.Settings.Simulations {
		return []string{fmt.Sprintf("None of the %d simulations could be fitted.", s.Failed)}, err
	}
	if s.Kept.Simulations == 0 {
		return []string{fmt.Sprintf("None of the %d simulations had chains that one can judge by: fit them with longer chains.", s.Settings.Simulations)}, err
	}
	text := fmt.Sprintf("%d of %d parameters within the 95 %% band over %d simulations; dispersion of the ranks (1 if calibrated):",
		s.Kept.Inside, len(s.Kept.Params), s.Kept.Simulations)
	for _, p := range s.Kept.Params {
		text += " " + p.Name + " " + fixed(float64(p.Dispersion), 2)
	}
	return []string{text + "."}, err
}

func auditWords(r *run, unit, file string) ([]string, error) {
	var s audit.Summary
	_, err := r.json(unit, file, &s)
	text := "Correlation with the truth, with unlimited trials and as fitted:"
	for i, p := range s.Params {
		if i > 0 {
			text += ","
		}
		text += " " + p.Name + " " + correlation(p.Implied) + " and " + correlation(p.Measured)
	}
	return []string{text + "."}, err
}

// mostTerms is the number of terms of an ablation that are named.
const mostTerms = 3

func ablationWords(r *run, unit, file string) ([]string, error) {
	var s ablate.Summary
	_, err := r.json(unit, file, &s)
	text := "The darker the bar beneath a term, the larger the errors without it. These terms carry most (1: without the term, estimates say nothing):"
	for i, t := range s.Terms[:min(mostTerms, len(s.Terms))] {
		if i > 0 {
			text += ";"
		}
		text += " " + t.Text + ", " + correlation(t.Carried)
	}
	return []string{text + "."}, err
}

// checks adds the picture and the sentences of each check of each model to the page.
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

// dataURL returns an SVG as a data URL, so that its style does not affect the page.
func dataURL(svg []byte) template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
}
