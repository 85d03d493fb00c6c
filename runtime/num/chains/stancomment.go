package chains

import (
	"strconv"
	"strings"
)

// comment reads the text of one comment line, without its #: a setting, the start of the adaptation block, or a row of the metric.
func (p *stanReader) comment(text string) error {
	switch {
	case text == "Adaptation terminated":
		p.adapted = true
		p.draws.Chains[0].Warmup, p.trace = p.trace, Trace{Params: make([][]float64, len(p.params))}
		return nil
	case strings.HasSuffix(text, "lements of inverse mass matrix:"): // "Diagonal elements of" or "Elements of"
		p.inMetric = true
		return nil
	case p.inMetric:
		return p.metricRow(text)
	}
	key, value, found := strings.Cut(text, "=")
	if !found {
		return nil
	}
	value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "(Default)"))
	return p.setting(strings.TrimSpace(key), value)
}

func (p *stanReader) metricRow(text string) error {
	var row []float64
	for field := range strings.SplitSeq(text, ",") {
		v, err := parseNumber(field)
		if err != nil { // the metric has ended
			p.inMetric = false
			return nil
		}
		row = append(row, v)
	}
	a := &p.draws.Chains[0].Adapted
	if len(a.InvMetric) > 0 && len(row) != len(a.InvMetric[0]) {
		return p.rows.errorf("inverse metric: %d values where the first row has %d", len(row), len(a.InvMetric[0]))
	}
	a.InvMetric = append(a.InvMetric, row)
	return p.rows.count(len(row))
}

// setting stores the settings that diagnostics and readers use, and ignores all others.
func (p *stanReader) setting(key, value string) (err error) {
	run, chain := &p.draws.Run, &p.draws.Chains[0]
	switch key {
	case "model":
		run.Model = value
	case "metric":
		run.Metric = value
	case "num_samples":
		run.NumSamples, err = parseCount(value)
	case "num_warmup":
		run.NumWarmup, err = parseCount(value)
	case "save_warmup":
		run.SaveWarmup, err = strconv.ParseBool(value)
	case "thin":
		run.Thin, err = parseCount(value)
	case "max_depth":
		run.MaxDepth, err = parseCount(value)
	case "id":
		chain.ID, err = parseCount(value)
	case "seed":
		run.Seed, err = strconv.ParseUint(value, 10, 64)
	case "delta":
		run.Delta, err = strconv.ParseFloat(value, 64)
	case "stepsize":
		run.StepSize, err = strconv.ParseFloat(value, 64)
	case "stepsize_jitter":
		run.Jitter, err = strconv.ParseFloat(value, 64)
	case "Step size":
		chain.Adapted.StepSize, err = strconv.ParseFloat(value, 64)
	}
	if err != nil {
		return p.rows.errorf("setting %s = %q is not of its form", key, value)
	}
	return nil
}

// parseCount reads a whole number from 0 to 2³¹-1.
func parseCount(value string) (int, error) {
	n, err := strconv.ParseUint(value, 10, 31)
	return int(n), err
}
