package chains

import (
	"encoding/json"
	"math"

	"likc/runtime/num/finite"
)

// summaryJSON is the JSON form of a Summary. It has no name, because summaries are the values of an object whose keys are the names.
type summaryJSON struct {
	Mean     finite.Number `json:"mean"`
	SD       finite.Number `json:"sd"`
	Q5       finite.Number `json:"q5"`
	Q50      finite.Number `json:"q50"`
	Q95      finite.Number `json:"q95"`
	Rhat     finite.Number `json:"rhat"`
	ESSBulk  finite.Number `json:"ess_bulk"`
	ESSTail  finite.Number `json:"ess_tail"`
	MCSEMean finite.Number `json:"mcse_mean"`
	MCSESD   finite.Number `json:"mcse_sd"`
}

// figures maps the address of each figure of a summary to the address of the same figure in its JSON form.
func (s *Summary) figures(j *summaryJSON) map[*float64]*finite.Number {
	return map[*float64]*finite.Number{&s.Mean: &j.Mean, &s.SD: &j.SD, &s.Q5: &j.Q5, &s.Q50: &j.Q50, &s.Q95: &j.Q95, &s.Rhat: &j.Rhat,
		&s.ESSBulk: &j.ESSBulk, &s.ESSTail: &j.ESSTail, &s.MCSEMean: &j.MCSEMean, &s.MCSESD: &j.MCSESD}
}

// MarshalJSON writes the figures, without the name. Undefined figures are null.
func (s Summary) MarshalJSON() ([]byte, error) {
	var j summaryJSON
	for from, to := range s.figures(&j) {
		*to = finite.Number(*from)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads the figures that MarshalJSON writes; one that is null or missing is NaN.
func (s *Summary) UnmarshalJSON(text []byte) error {
	var j summaryJSON
	for _, figure := range s.figures(&j) {
		*figure = finite.Number(math.NaN())
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	for to, from := range s.figures(&j) {
		*to = float64(*from)
	}
	return nil
}
