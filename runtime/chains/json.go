package chains

import (
	"encoding/json"
	"math"
)

// figure is a number that JSON writes as null where it is undefined.
type figure float64

func (f figure) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// MarshalJSON writes the figures, without the name: summaries are the values of an object whose keys are names. Undefined
// figures are null.
func (s Summary) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean     figure `json:"mean"`
		SD       figure `json:"sd"`
		Q5       figure `json:"q5"`
		Q50      figure `json:"q50"`
		Q95      figure `json:"q95"`
		Rhat     figure `json:"rhat"`
		ESSBulk  figure `json:"ess_bulk"`
		ESSTail  figure `json:"ess_tail"`
		MCSEMean figure `json:"mcse_mean"`
		MCSESD   figure `json:"mcse_sd"`
	}{
		figure(s.Mean), figure(s.SD), figure(s.Q5), figure(s.Q50), figure(s.Q95), figure(s.Rhat),
		figure(s.ESSBulk), figure(s.ESSTail), figure(s.MCSEMean), figure(s.MCSESD),
	})
}
