package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/num/chains"
)

// card is a number at the top of the page, with an explanation.
type card struct{ Value, Says string }

// mostCards is the largest number of estimates at the top of the page.
const mostCards = 8

// Cards lists the most important figures: the estimates of the population, then those that tell whether the sampler worked.
func (f *fitted) Cards() (all []card) {
	estimate := func(name string, mean, q5, q95 float64) {
		if len(all) < mostCards {
			all = append(all, card{general4(mean), fmt.Sprintf("%s: 90 %% from %s to %s", name, general4(q5), general4(q95))})
		}
	}
	switch s := f.First(); {
	case f.Many():
		all = append(all, card{strconv.Itoa(len(f.Subjects)), "participants, each fitted alone"})
	case len(s.Cells) > 0:
		for _, c := range s.Cells {
			estimate(c.Cell, float64(c.Mean), float64(c.Q5), float64(c.Q95))
		}
	default:
		for _, p := range f.Population().Rows {
			estimate(p.Name, p.Mean, p.Q5, p.Q95)
		}
	}
	all = append(all, card{strconv.Itoa(f.Trials), "trials"})
	rhat, bulk, tail, divergent, draws := f.worst()
	return append(all, card{fixed(rhat, 3), "largest R-hat: chains agree below 1.01"},
		card{fixed(min(bulk, tail), 0), fmt.Sprintf("independent draws of %d, at least: should be above %d, 100 per chain", f.First().AllDraws(), f.EnoughDraws())},
		card{strconv.Itoa(divergent), fmt.Sprintf("divergent transitions of %d: 0 is best", draws)})
}

// EnoughDraws returns the effective sample size above which no warning follows.
func (f *fitted) EnoughDraws() int { return int(chains.MinESS(f.First().Chains)) }

// AllDraws returns the number of draws of all chains.
func (s *subjectFit) AllDraws() int { return s.Chains * s.Draws }

// estimates are rows of a table, with the number of draws from which they are computed.
type estimates struct {
	Rows  []chains.Summary
	Draws int
}

// Population returns the estimates of the first subject without offsets of single levels of a group.
func (f *fitted) Population() estimates { return f.rows(false) }

// Levels returns the offsets of single levels, nil if there are none.
func (f *fitted) Levels() *estimates {
	if e := f.rows(true); len(e.Rows) > 0 {
		return &e
	}
	return nil
}

func (f *fitted) rows(levels bool) estimates {
	s := f.First()
	e := estimates{Draws: s.AllDraws()}
	for _, p := range s.Params {
		if isLevel(p.Name) == levels {
			e.Rows = append(e.Rows, p)
		}
	}
	return e
}

// level matches the end of the name of an offset, such as v_1|subj_idx[7] or v_conf[LC]|subj_idx[7].
var level = regexp.MustCompile(`\|[^|]*\[[^|]*\]$`)

// spread is the name of a standard deviation of offsets: v_1|subj_idx_sigma, or v_conf|subj_idx_sigma[LC].
var spread = regexp.MustCompile(`\|([^|]*)_sigma(\[[^|]*\])?$`)

// isLevel reports whether a coefficient belongs to one level of a group.
func isLevel(name string) bool { return level.MatchString(name) && !spread.MatchString(name) }

// meaningsOfCoefficients explains the names that formulas give to coefficients.
func (m *modelCard) meaningsOfCoefficients() {
	for i := range m.Params {
		if p := &m.Params[i]; p.Meaning == "" && !p.Known {
			p.Meaning = meaningOf(p.Name)
		}
	}
}

// meaningOf explains the name of a coefficient by its form.
func meaningOf(name string) string {
	param, term, ok := strings.Cut(name, "_")
	if of := spread.FindStringSubmatch(name); of != nil {
		return fmt.Sprintf("how much the levels of %s differ: a standard deviation", of[1])
	}
	switch {
	case strings.Contains(term, "|"):
		return "how offsets of a group go together"
	case !ok:
		return ""
	case term == "Intercept":
		return param + " at the first labels, and where numeric columns are 0; on the scale of the link"
	case strings.HasSuffix(term, "]"):
		return fmt.Sprintf("what the label in brackets adds to %s, on the scale of the link", param)
	}
	return fmt.Sprintf("what one unit of %s adds to %s, on the scale of the link", term, param)
}

// Explained reports whether any parameter has a meaning in words.
func (m modelCard) Explained() bool {
	return slices.ContainsFunc(m.Params, func(p paramCard) bool { return p.Meaning != "" })
}

// Sign describes the values of a coefficient without a range of its own.
func (p paramCard) Sign() string {
	switch {
	case spread.MatchString(p.Name):
		return "0 or more"
	case strings.HasSuffix(p.Name, "_cor"):
		return "−1 to 1"
	}
	return "any number"
}

// longNumber is a number with more digits than a reader needs.
var longNumber = regexp.MustCompile(`\d+\.\d{3,}`)

// threeDigits rounds the numbers of a text to three significant digits.
func threeDigits(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(digits string) string {
		x, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return digits
		}
		return strconv.FormatFloat(x, 'g', 3, 64)
	})
}
