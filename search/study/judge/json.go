package judge

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"likc/runtime/num/finite"
)

// fitJSON is a Fit as it is written.
type fitJSON struct {
	Subject     int             `json:"subject"`
	Trials      int             `json:"trials"`
	Rarer       int             `json:"rarer"`
	Truth       []finite.Number `json:"truth"`
	Mean        []finite.Number `json:"mean"`
	SD          []finite.Number `json:"sd"`
	Q5          []finite.Number `json:"q5,omitempty"`
	Q25         []finite.Number `json:"q25,omitempty"`
	Q75         []finite.Number `json:"q75,omitempty"`
	Q95         []finite.Number `json:"q95,omitempty"`
	Rhat        finite.Number   `json:"rhat"`
	Divergences int             `json:"divergences"`
	Gradients   int             `json:"gradients"`
	Limited     bool            `json:"limited,omitempty"`
	Error       string          `json:"error,omitempty"`
}

// MarshalJSON writes one subject's fit.
func (f Fit) MarshalJSON() ([]byte, error) {
	failure := ""
	if f.Err != nil {
		failure = f.Err.Error()
	}
	return json.Marshal(fitJSON{f.Subject, f.Trials, f.Rarer, finite.Numbers(f.Truth), finite.Numbers(f.Mean), finite.Numbers(f.SD),
		finite.Numbers(f.Q5), finite.Numbers(f.Q25), finite.Numbers(f.Q75), finite.Numbers(f.Q95), finite.Number(f.Rhat),
		f.Divergences, f.Gradients, f.Limited, failure})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Fit) UnmarshalJSON(text []byte) error {
	var g fitJSON
	if err := json.Unmarshal(text, &g); err != nil {
		return err
	}
	*f = Fit{Subject: g.Subject, Trials: g.Trials, Rarer: g.Rarer, Truth: finite.Floats(g.Truth), Mean: finite.Floats(g.Mean), SD: finite.Floats(g.SD),
		Q5: finite.Floats(g.Q5), Q25: finite.Floats(g.Q25), Q75: finite.Floats(g.Q75), Q95: finite.Floats(g.Q95),
		Rhat: float64(g.Rhat), Divergences: g.Divergences, Gradients: g.Gradients, Limited: g.Limited}
	if g.Error != "" {
		f.Err = errors.New(g.Error)
	}
	return nil
}

// cause is the kind of a failure: what is the same for all subjects that fail for one reason.
func cause(err error) string {
	text := err.Error()
	switch {
	case errors.Is(err, errLimit):
		return "more gradients than the limit before there were draws to judge by"
	case strings.Contains(text, "initial values"), strings.Contains(text, "no place with a density"):
		return "no start with a finite density and gradient"
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// undefined is a number without a value.
func undefined() finite.Number { return finite.Number(math.NaN()) }
