package report

import (
	_ "embed"
	"io"
	"math"
	"slices"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/compiler/expr"
	"likc/runtime/fit/figure"
	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

//go:embed distilled.html
var distilledText string

// Distilled is the data for the page of a distillation.
type Distilled struct {
	Model, From  string      // the model's name, and the density from which distances are measured, such as "from the exact density"
	Trials       bool        // whether only trials of the process were known
	Formula      *expr.Model // the chosen formula
	Verdict      string      // a sentence
	Honest       honesty.Verdict
	Median, Mean finite.Number // divergence in nats a trial
	Apart        finite.Number // largest difference of a choice's probability before a time; NaN if only trials are known
	Size, Shared int           // number of nodes, and their number if equal parts count once
	Front        []DistilledLine
	Final        *judge.Verdict   // verdict on subjects that were not used to choose; nil if nothing was judged
	Also         []*judge.Verdict // verdicts on further subjects with other numbers of trials
	Seed         uint64
	Seconds      float64 // processor time of the search
	Judging      float64 // processor time of judging, in seconds
	Version      string

	Style template.CSS // set by WriteDistilled
}

// DistilledLine is an expression of the front.
type DistilledLine struct {
	front.Line
	Median, Mean finite.Number
	Verdict      *judge.Verdict // nil if it was not judged
	Chosen       bool
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
var distilledFunctions = template.FuncMap{"formula": Formula, "lengths": (*Distilled).Lengths, "picture": (*Distilled).Picture}

// Lengths returns the verdicts on the formula by number of trials.
func (d *Distilled) Lengths() []*judge.Verdict {
	if d.Final == nil || len(d.Also) == 0 {
		return nil
	}
	all := append([]*judge.Verdict{d.Final}, d.Also...)
	slices.SortFunc(all, func(a, b *judge.Verdict) int { return a.Trials - b.Trials })
	return all
}

// Picture draws divergence against size.
func (d *Distilled) Picture() template.HTML {
	var sizes, medians, means []float64
	least, most := math.Inf(1), math.Inf(-1)
	for _, l := range d.Front {
		sizes, medians, means = append(sizes, float64(l.Size)), append(medians, float64(l.Median)), append(means, float64(l.Mean))
		least, most = min(least, float64(l.Median)), max(most, float64(l.Mean))
	}
	if !(least > 0 && most < math.Inf(1)) {
		return ""
	}
	c := figure.NewChart("", figure.Axis{Label: "nodes", Low: 0, High: 1.05 * sizes[len(sizes)-1]},
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
