package report

import (
	_ "embed"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/compiler/expr"
	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

//go:embed distilled.html
var distilledText string

// Distilled is the data for the page of a distillation.
type Distilled struct {
	Process  *catalog.Model // the model whose density was replaced
	From     string         // the density from which distances are measured, such as "from the exact density"
	Drawn    bool           // whether only trials of the process were known
	Formula  *expr.Model    // the chosen formula
	Verdict  string         // a sentence
	Honest   honesty.Verdict
	Distance               // the distance of the chosen formula
	Worst    finite.Number // divergence in nats a trial that 95 % of the parameter vectors stay below
	Apart    finite.Number // largest difference of a choice's probability before a time; NaN if only trials are known
	Carried  []Distance    // for each term of the formula, the distance without it; nil if it was not measured
	Trials   int           // number of trials of a subject
	Latest   int           // response time in seconds from which on a trial is not kept
	Draws    [2]int        // least effective numbers of draws of the formula and of the reference, as a rule
	Gradient float64       // processor time of the log density with its gradient, for Trials trials, in microseconds; 0 if it was not measured
	Other    float64       // the same for the density that was replaced
	Size     int           // number of nodes
	Shared   int           // number of nodes if equal parts count once
	Once     bool          // whether formulas are ordered by their nodes where equal parts count once
	Front    []DistilledLine
	Final    *judge.Verdict   // verdict on subjects that were not used to choose; nil if nothing was judged
	Also     []*judge.Verdict // verdicts on further subjects with other numbers of trials
	Seed     uint64
	Seconds  float64 // processor time of the search
	Judging  float64 // processor time of judging, in seconds
	Version  string

	Style template.CSS // set by WriteDistilled
}

// Distance is a divergence in nats a trial, over parameter vectors that no coefficient was fitted to.
type Distance struct{ Median, Mean finite.Number }

// DistilledLine is an expression of the front.
type DistilledLine struct {
	front.Line
	Shared int // number of nodes if equal parts count once
	Distance
	Verdict *judge.Verdict // nil if it was not judged
	Chosen  bool
}

// namedPart is a part of a formula with its name, typeset.
type namedPart struct {
	Name  string
	Value template.HTML
}

// carrier is a term of a formula, typeset, with the distance of the formula without it.
type carrier struct {
	Term template.HTML
	Distance
}

// WriteDistilled writes the page of a distillation.
func WriteDistilled(w io.Writer, d *Distilled) error {
	d.Style = template.CSS(style)
	t, err := template.New("distilled").Funcs(functions).Funcs(distilledFunctions).Parse(distilledText)
	if err != nil {
		return err
	}
	return writePage(w, t, d)
}

// distilledFunctions are template functions that only pages of distillations need.
var distilledFunctions = template.FuncMap{"formula": Formula, "lengths": (*Distilled).Lengths, "picture": (*Distilled).Picture, "parts": (*Distilled).Parts,
	"carriers": (*Distilled).Carriers, "reflected": (*Distilled).Reflected, "shortened": (*Distilled).Shortened, "meaning": (*catalog.Model).Meaning, "conventions": (*catalog.Model).Conventions,
	"bounds": bounds, "distance": distance, "about": (*catalog.Model).About, "cites": (*catalog.Model).Cites, "pace": (*Distilled).Pace, "expected": expectedCoverage}

// Lengths returns the verdicts on the formula by number of trials.
func (d *Distilled) Lengths() []*judge.Verdict {
	if d.Final == nil || len(d.Also) == 0 {
		return nil
	}
	all := append([]*judge.Verdict{d.Final}, d.Also...)
	slices.SortFunc(all, func(a, b *judge.Verdict) int { return a.Trials - b.Trials })
	return all
}

// Pace compares the processor time of a gradient with that of the density that was replaced.
func (d *Distilled) Pace() string {
	if d.Other >= d.Gradient {
		return significant(d.Other/d.Gradient, 2) + " times as fast"
	}
	return significant(d.Gradient/d.Other, 2) + " times as slow"
}

// Shortened returns the formula with names in place of its named parts.
func (d *Distilled) Shortened() *expr.Expr {
	short, _ := d.Formula.WithNames()
	return short
}

// Parts returns the named parts of the formula, each after those that it contains.
func (d *Distilled) Parts() (all []namedPart) {
	_, parts := d.Formula.WithNames()
	for _, p := range parts {
		all = append(all, namedPart{p.Name, Formula(p.Value)})
	}
	return all
}

// Carriers returns the terms of the formula with what they carry; nil if that was not measured.
func (d *Distilled) Carriers() (all []carrier) {
	terms := expr.Summands(d.Shortened())
	if len(terms) != len(d.Carried) { // a named part is a sum of several terms
		terms = expr.Summands(d.Formula.LogLik)
	}
	for i, x := range d.Carried {
		var b strings.Builder
		writeTerm(&b, terms[i], i == 0)
		all = append(all, carrier{template.HTML(b.String()), x})
	}
	return all
}

// Reflected describes the reflection that gives the density at the lower boundary, as "with -v in place of v"; "" if the formula has none.
func (d *Distilled) Reflected() string {
	var all []string
	for _, l := range d.Formula.Lower {
		all = append(all, "with "+l.Value.String()+" in place of "+l.Param)
	}
	return strings.Join(all, ", ")
}

// distance writes a divergence; a dash for one that is not finite.
func distance(x finite.Number) string {
	if math.IsInf(float64(x), 0) {
		return "–"
	}
	return general(x)
}

// expectedCoverage returns how often 90 % intervals contain the truth if their ends are quantiles of n independent draws of the right posterior.
func expectedCoverage(n int) float64 { return 0.9 * float64(n-1) / float64(n+1) }

// bounds writes one-sided bounds as an interval.
func bounds(b honesty.Bounds) string {
	if x := float64(b[0]); x != x {
		return ""
	}
	return fixed(float64(b[0]), 2) + "–" + fixed(float64(b[1]), 2)
}

// Picture draws divergence against size.
func (d *Distilled) Picture() template.HTML {
	var sizes, medians, means []float64
	least, most := math.Inf(1), math.Inf(-1)
	for _, l := range d.Front {
		size := l.Size
		if d.Once {
			size = l.Shared
		}
		sizes, medians, means = append(sizes, float64(size)), append(medians, float64(l.Median)), append(means, float64(l.Mean))
		least, most = min(least, float64(l.Median)), max(most, float64(l.Mean))
	}
	if !(least > 0 && most < math.Inf(1)) {
		return ""
	}
	label := "nodes"
	if d.Once {
		label = "nodes, equal parts once"
	}
	c := figure.NewChart("", figure.Axis{Label: label, Low: 0, High: 1.05 * sizes[len(sizes)-1]},
		figure.Axis{Label: "nats per trial", Low: least / 1.5, High: 1.5 * most, Log: true}, scheme)
	c.Line(sizes, means, line(1, 1.5))
	c.Line(sizes, medians, line(2, 1.5))
	for i, l := range d.Front {
		if l.Chosen {
			c.Spot(sizes[i], means[i], dot(1, 4, "chosen: mean"))
			c.Spot(sizes[i], medians[i], dot(2, 4, "chosen: median"))
		}
	}
	return inline(c, "divergence against size", chartWidth, chartHeight)
}
