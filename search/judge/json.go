package judge

import (
	"encoding/json"
	"math"
)

// figure is a number that JSON writes as null where it is undefined.
type figure float64

// MarshalJSON writes the number or null.
func (f figure) MarshalJSON() ([]byte, error) {
	if x := float64(f); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return json.Marshal(x)
	}
	return []byte("null"), nil
}

func figures(x []float64) []figure {
	out := make([]figure, len(x))
	for i, v := range x {
		out[i] = figure(v)
	}
	return out
}

// MarshalJSON writes undefined figures as null.
func (p Param) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name    string `json:"name"`
		R       figure `json:"r"`
		RBoth   figure `json:"r_both"`
		Edge    figure `json:"edge"`
		Bias    figure `json:"bias"`
		RMSE    figure `json:"rmse"`
		Covered figure `json:"covered_90"`
	}{p.Name, figure(p.R), figure(p.RBoth), figure(p.Edge), figure(p.Bias), figure(p.RMSE), figure(p.Covered)})
}

// MarshalJSON writes one subject's fit.
func (f Fit) MarshalJSON() ([]byte, error) {
	failure := ""
	if f.Err != nil {
		failure = f.Err.Error()
	}
	return json.Marshal(struct {
		Subject     int      `json:"subject"`
		Trials      int      `json:"trials"`
		Rarer       int      `json:"rarer"`
		Truth       []figure `json:"truth"`
		Mean        []figure `json:"mean"`
		SD          []figure `json:"sd"`
		Rhat        figure   `json:"rhat"`
		ESSBulk     figure   `json:"ess_bulk"`
		Divergences int      `json:"divergences"`
		Gradients   int      `json:"gradients"`
		Error       string   `json:"error,omitempty"`
	}{f.Subject, f.Trials, f.Rarer, figures(f.Truth), figures(f.Mean), figures(f.SD), figure(f.Rhat), figure(f.ESSBulk),
		f.Divergences, f.Gradients, failure})
}

// MarshalJSON writes the verdict on one line, without times: the same fits give the same bytes.
func (v *Verdict) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Model       string  `json:"model"`
		Bank        string  `json:"bank"`
		Scheme      string  `json:"scheme"`
		Pass        bool    `json:"pass"`
		WeakestR    figure  `json:"weakest_r"`
		Params      []Param `json:"params"`
		Subjects    int     `json:"subjects"`
		Both        int     `json:"subjects_both"`
		Failed      int     `json:"failed"`
		RhatMax     figure  `json:"rhat_max"`
		RhatHigh    int     `json:"rhat_above_1.01"`
		Divergences int     `json:"divergences"`
		Divergent   int     `json:"divergent_fits"`
		Gradients   int     `json:"gradients"`
		Fits        []Fit   `json:"fits"`
	}{v.Model, v.Role, v.Scheme, v.Pass, figure(v.WeakestR), v.Params, v.Subjects, v.Both, v.Failed, figure(v.RhatMax), v.RhatHigh,
		v.Divergences, v.Divergent, v.Gradients, v.Fits})
}
