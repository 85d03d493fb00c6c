package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"likc/runtime/chains"
	"likc/runtime/posterior"
)

// print writes the results to stdout: a table a subject, or one table of all subjects.
func (r *fitRun) print(kept []*fitted) error {
	switch {
	case r.asJSON && r.many:
		return printJSON(r.stdout, r.subjectsJSON(kept))
	case r.asJSON:
		return printJSON(r.stdout, r.summary(kept[0]))
	case r.many:
		return r.printSubjects(kept)
	}
	f := kept[0]
	fmt.Fprintf(r.stdout, "model %s, %s", r.src.Name, count(f.trials(), "trial"))
	if f.mode != nil {
		fmt.Fprintf(r.stdout, ", posterior mode\n\n")
		return printMode(r.stdout, r.src.ParamNames(), f)
	}
	fmt.Fprintf(r.stdout, ", %s of %s\n\n", count(len(f.draws.Chains), "chain"), count(f.draws.Len(), "draw"))
	if err := printSummaries(r.stdout, f.summaries); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.stdout, "\n%s, %d gradients, %.3g s\n", count(f.draws.Divergences(), "divergent transition"), f.draws.TotalGradients(), f.seconds)
	return err
}

// count is a number of things: 1 chain, 2 chains.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printSummaries writes a row a parameter.
func printSummaries(w io.Writer, all []chains.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmean\tMCSE\tsd\t5%\t50%\t95%\tR-hat\tESS bulk\tESS tail\t")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, short(s.Mean), figureOf("%.2g", s.MCSEMean), short(s.SD),
			short(s.Q5), short(s.Q50), short(s.Q95), figureOf("%.4f", s.Rhat), figureOf("%.0f", s.ESSBulk), figureOf("%.0f", s.ESSTail))
	}
	return t.Flush()
}

func short(x float64) string { return figureOf("%.4g", x) }

// figureOf writes a number, or a dash where it is undefined.
func figureOf(format string, x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

func printMode(w io.Writer, names []string, f *fitted) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmode\tsd (Laplace)\t")
	for i, name := range names {
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", name, short(f.mode.Theta[i]), short(f.mode.SD[i]))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nlog density %.10g, %d gradients, %.3g s\n", f.mode.LogDensity, f.mode.Gradients, f.seconds)
	return err
}

// printSubjects writes a row a subject.
func (r *fitRun) printSubjects(kept []*fitted) error {
	fmt.Fprintf(r.stdout, "model %s, %s: means (sds)\n\n", r.src.Name, count(len(kept), "subject"))
	t := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "subject\ttrials\t%s\tR-hat\tESS bulk\tESS tail\tdivergences\t\n", strings.Join(r.src.ParamNames(), "\t"))
	for _, f := range kept {
		fmt.Fprintf(t, "%s\t%d\t", f.label, f.trials())
		if f.mode != nil {
			for i := range f.mode.Theta {
				fmt.Fprintf(t, "%.3f (%s)\t", f.mode.Theta[i], figureOf("%.3f", f.mode.SD[i]))
			}
			fmt.Fprintf(t, "-\t-\t-\t-\t\n")
			continue
		}
		rhat, bulk, tail := worst(f.summaries)
		for _, s := range f.summaries {
			fmt.Fprintf(t, "%.3f (%.3f)\t", s.Mean, s.SD)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t\n", figureOf("%.3f", rhat), figureOf("%.0f", bulk), figureOf("%.0f", tail), f.draws.Divergences())
	}
	return t.Flush()
}

// worst figures of all parameters; NaN if one is undefined.
func worst(all []chains.Summary) (rhat, bulk, tail float64) {
	rhat, bulk, tail = math.Inf(-1), math.Inf(1), math.Inf(1)
	for _, s := range all {
		rhat, bulk, tail = max(rhat, s.Rhat), min(bulk, s.ESSBulk), min(tail, s.ESSTail)
	}
	return rhat, bulk, tail
}

// warn says what the draws' diagnosis finds wrong, in CmdStan's words.
func warn(w io.Writer, f *fitted) {
	if f.draws == nil {
		return
	}
	whose := ""
	if f.label != "" {
		whose = "subject " + f.label + ": "
	}
	for _, finding := range f.draws.Diagnose(f.summaries) {
		if !finding.OK {
			fmt.Fprintf(w, "likc: warning: %s%s\n", whose, strings.ReplaceAll(flagNames.Replace(finding.Text), "\n", "\n  "))
		}
	}
}

// flagNames turns settings in advice into flags.
var flagNames = strings.NewReplacer("max_depth", "--max-depth", "adapt_delta", "--adapt-delta", "Draw more", "Draw more (--draws, --warmup)")

// summary is summary.json: the contract's fields, parameters in the model's order.
func (r *fitRun) summary(f *fitted) any {
	if f.mode != nil {
		return modeSummary{Params: modeParams{r.src.ParamNames(), f.mode}, LogDensity: f.mode.LogDensity, Gradients: f.mode.Gradients, Seconds: f.seconds}
	}
	return fitSummary{Model: r.src.Name, Subject: f.label, N: f.trials(), Params: namedSummaries(f.summaries), Chains: len(f.draws.Chains),
		Draws: f.draws.Len(), Divergences: f.draws.Divergences(), Gradients: f.draws.TotalGradients(), Seconds: f.seconds}
}

type fitSummary struct {
	Model       string         `json:"model"`
	Subject     string         `json:"subject,omitempty"`
	N           int            `json:"n"`
	Params      namedSummaries `json:"params"`
	Chains      int            `json:"chains"`
	Draws       int            `json:"draws"`
	Divergences int            `json:"divergences"`
	Gradients   int            `json:"gradients"`
	Seconds     float64        `json:"seconds"`
}

type modeSummary struct {
	Params     modeParams `json:"params"`
	LogDensity float64    `json:"log_density"`
	Gradients  int        `json:"gradients"`
	Seconds    float64    `json:"seconds"`
}

// object writes an object with its keys in the given order, which a map would not keep.
func object(keys []string, value func(i int) any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(value(i))
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), v...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type namedSummaries []chains.Summary

// MarshalJSON writes {"v": {"mean": …}, …}.
func (all namedSummaries) MarshalJSON() ([]byte, error) {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return object(names, func(i int) any { return all[i] })
}

type modeParams struct {
	names []string
	mode  *posterior.Mode
}

// MarshalJSON writes {"v": {"mode": …, "sd": …}, …}; an undefined sd is null.
func (p modeParams) MarshalJSON() ([]byte, error) {
	return object(p.names, func(i int) any {
		sd := &p.mode.SD[i]
		if math.IsNaN(*sd) || math.IsInf(*sd, 0) {
			sd = nil
		}
		return struct {
			Mode float64  `json:"mode"`
			SD   *float64 `json:"sd"`
		}{p.mode.Theta[i], sd}
	})
}

// manySubjects is {"subjects": {"0": a summary, …}}.
type manySubjects struct {
	labels []string
	all    []any
}

func (r *fitRun) subjectsJSON(kept []*fitted) manySubjects {
	var m manySubjects
	for _, f := range kept {
		m.labels, m.all = append(m.labels, f.label), append(m.all, r.summary(f))
	}
	return m
}

// MarshalJSON keeps the subjects in the data's order.
func (m manySubjects) MarshalJSON() ([]byte, error) {
	inner, err := object(m.labels, func(i int) any { return m.all[i] })
	return append(append([]byte(`{"subjects":`), inner...), '}'), err
}

// subjectsCSV writes a row a subject with the figures of every parameter.
func (r *fitRun) subjectsCSV(w io.Writer, kept []*fitted) error {
	out := csv.NewWriter(w)
	header := []string{"subject", "trials"}
	figures := []string{"mean", "sd", "rhat", "ess_bulk", "ess_tail"}
	if r.mode {
		figures = []string{"mode", "sd"}
	}
	for _, p := range r.src.ParamNames() {
		for _, figure := range figures {
			header = append(header, p+"_"+figure)
		}
	}
	out.Write(append(header, "divergences")) // csv keeps the first error
	for _, f := range kept {
		row := []string{f.label, strconv.Itoa(f.trials())}
		divergences := ""
		if f.mode != nil {
			for i := range f.mode.Theta {
				row = append(row, exact(f.mode.Theta[i]), exact(f.mode.SD[i]))
			}
		} else {
			for _, s := range f.summaries {
				row = append(row, exact(s.Mean), exact(s.SD), exact(s.Rhat), exact(s.ESSBulk), exact(s.ESSTail))
			}
			divergences = strconv.Itoa(f.draws.Divergences())
		}
		out.Write(append(row, divergences))
	}
	out.Flush()
	return out.Error()
}

// exact writes a number with all its digits; an undefined one is an empty field.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
