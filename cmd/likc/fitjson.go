package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"likc/runtime/chains"
	"likc/runtime/posterior"
)

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
