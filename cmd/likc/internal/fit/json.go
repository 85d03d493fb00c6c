package fit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"likc/runtime/chains"
	"likc/runtime/posterior"
)

// json is summary.json: the contract's fields, parameters in the model's order.
func (r *fitRun) json(f *fitted) any {
	if f.mode != nil {
		return modeSummary{Format: summaryFormat, Params: modeParams{r.src.ParamNames(), f.mode}, LogDensity: f.mode.LogDensity, Gradients: f.mode.Gradients, Seconds: f.seconds}
	}
	return f.summary
}

// summaryFormat is the version of summary.json.
const summaryFormat = 1

type fitSummary struct {
	Format        int            `json:"format"`
	Model         string         `json:"model"`
	Subject       string         `json:"subject,omitempty"`
	Folder        string         `json:"folder,omitempty"` // of one of many subjects
	N             int            `json:"n"`
	Seed          uint64         `json:"seed"`              // as the user gave it
	Partial       bool           `json:"partial,omitempty"` // draws or chains are missing
	Params        namedSummaries `json:"params"`
	Chains        int            `json:"chains"`
	Draws         int            `json:"draws"`           // of each chain: the figures are over so many
	DrawsPerChain []int          `json:"draws_per_chain"` // of each file
	FailedChains  []int          `json:"failed_chains,omitempty"`
	Divergences   int            `json:"divergences"`
	Gradients     int            `json:"gradients"`
	Seconds       float64        `json:"seconds"`
}

type modeSummary struct {
	Format     int        `json:"format"`
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

// MarshalJSON writes {"v": {"mode": …, "sd": …}, …}; an undefined sd is null. at_bound says that it is for want of a
// maximum within the range, undetermined that the data do not determine the parameter.
func (p modeParams) MarshalJSON() ([]byte, error) {
	return object(p.names, func(i int) any {
		sd := &p.mode.SD[i]
		if math.IsNaN(*sd) || math.IsInf(*sd, 0) {
			sd = nil
		}
		return struct {
			Mode         float64  `json:"mode"`
			SD           *float64 `json:"sd"`
			AtBound      bool     `json:"at_bound,omitempty"`
			Undetermined bool     `json:"undetermined,omitempty"`
		}{p.mode.Theta[i], sd, p.mode.AtBound[i], p.mode.Level[i]}
	})
}

// manySubjects is {"format": 1, "subjects": {"0": a summary, …}}, and before the subjects "partial": true if some are missing.
type manySubjects struct {
	partial bool
	labels  []string
	all     []any
}

func (r *fitRun) subjectsJSON(kept []*fitted, partial bool) manySubjects {
	m := manySubjects{partial: partial}
	for _, f := range kept {
		m.labels, m.all = append(m.labels, f.label), append(m.all, r.json(f))
	}
	return m
}

// MarshalJSON keeps the subjects in the data's order.
func (m manySubjects) MarshalJSON() ([]byte, error) {
	inner, err := object(m.labels, func(i int) any { return m.all[i] })
	partial := ""
	if m.partial {
		partial = `"partial":true,`
	}
	return fmt.Appendf(nil, `{"format":%d,%s"subjects":%s}`, summaryFormat, partial, inner), err
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
	out.Write(append(header, "divergences", "folder")) // csv keeps the first error
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
			divergences = strconv.Itoa(f.summary.Divergences)
		}
		out.Write(append(row, divergences, f.folder))
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
