package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"likc/runtime/figure"
	"likc/search/bank"
	"likc/search/judge"
)

// report prints tables or JSON, and writes the files.
func (f *judgeFlags) report(w io.Writer, b *bank.Bank, all []*judge.Verdict) error {
	lines := func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		for _, v := range all {
			if err := e.Encode(v); err != nil {
				return err
			}
		}
		return nil
	}
	if f.out != "" {
		if err := writeFile(f.out, lines); err != nil {
			return err
		}
	}
	if f.figures != "" {
		if err := writeRecovery(f.figures, all); err != nil {
			return err
		}
	}
	if f.asJSON {
		return lines(w)
	}
	return printVerdicts(w, b, all)
}

func writeRecovery(dir string, all []*judge.Verdict) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	for _, v := range all {
		var params []figure.Recovered
		for j, p := range v.Params {
			r := figure.Recovered{Name: p.Name, Note: "r = " + figureOf("%.3f", p.R)}
			for _, fit := range v.Fits {
				r.Truth, r.Estimate = append(r.Truth, fit.Truth[j]), append(r.Estimate, fit.Mean[j])
			}
			params = append(params, r)
		}
		fig, err := figure.Recovery(params)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, v.Model+".svg"), fig.WriteSVG); err != nil {
			return err
		}
	}
	return nil
}

func printVerdicts(w io.Writer, b *bank.Bank, all []*judge.Verdict) error {
	fmt.Fprintf(w, "bank %s (%s, %s): %s; in brackets those with at least %d responses at each boundary: %d\n\n", b.Settings.Role,
		b.Settings.Model, b.Settings.Scheme, count(len(b.Subjects), "subject"), judge.FewOfOne, all[0].Both)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "model\tverdict\t")
	for _, p := range all[0].Params {
		fmt.Fprintf(t, "r %s\tat edge\t", p.Name)
	}
	fmt.Fprintln(t, "R-hat\tabove 1.01\tdivergences\tfailed\t")
	for _, v := range all {
		verdict := "fail"
		if v.Pass {
			verdict = "pass"
		}
		fmt.Fprintf(t, "%s\t%s\t", v.Model, verdict)
		for _, p := range v.Params {
			fmt.Fprintf(t, "%s (%s)\t%.0f%%\t", figureOf("%.3f", p.R), figureOf("%.3f", p.RBoth), 100*p.Edge)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", figureOf("%.3f", v.RhatMax), v.RhatHigh, v.Divergences, v.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return printTimes(w, all)
}

func printTimes(w io.Writer, all []*judge.Verdict) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "model\tfits/s/core\tgradients a fit\tgradient\tsampler\tbinding\tsummaries\t")
	for _, v := range all {
		c := v.Timing
		fmt.Fprintf(t, "%s\t%.3g\t%.0f\t%.0f%%\t%.0f%%\t%.0f%%\t%.0f%%\t\n", v.Model, c.FitsPerSecond(), float64(v.Gradients)/float64(max(1, c.Fits)),
			100*c.Gradient/c.Total, 100*c.Sampler()/c.Total, 100*c.Binding/c.Total, 100*c.Summaries/c.Total)
	}
	return t.Flush()
}
