package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"likc/runtime/finite"
	"likc/runtime/notation"
	"likc/testdata"
)

// Judged is what likc judge found of a model, on simulated subjects that played no part in choosing it.
type Judged struct {
	Model     string `json:"model"`
	Bank      string `json:"bank"`
	Subjects  int    `json:"subjects"`
	Trials    int    `json:"trials"`    // the largest number of trials of a subject; 0 where the verdict does not say
	Pass      bool   `json:"pass"`      // estimates rank the subjects by every parameter
	Honest    bool   `json:"honest"`    // errors are about as small as the reference's, and intervals hold the truth about as often as they say
	Reference string `json:"reference"` // the model that errors are compared with
	Params    []struct {
		Name      string        `json:"name"`
		R         finite.Number `json:"r"`          // correlation of estimates with the truth
		Covered90 finite.Number `json:"covered_90"` // share of 90 % intervals that hold the truth
		RMSERatio finite.Number `json:"rmse_ratio"` // root mean squared error over the reference's
	} `json:"params"`
}

// judged reads the verdicts that come with the program: of a model, that with the most trials a subject.
var judged = sync.OnceValue(func() map[string]*Judged {
	all := map[string]*Judged{}
	for line := range bytes.Lines(testdata.Verdicts()) {
		j := &Judged{}
		if err := json.Unmarshal(line, j); err != nil {
			panic("catalog: the verdicts that come with the program: " + err.Error())
		}
		if known := all[j.Model]; known == nil || j.Trials >= known.Trials {
			all[j.Model] = j
		}
	}
	return all
})

// Judged returns what is known of a model that comes with the program; false for any other, and where nothing is known.
func (m *Model) Judged() (*Judged, bool) {
	j, ok := judged()[m.Name]
	return j, ok && (m.Origin.Builtin || m.Origin.Kind == Exact)
}

// Caution says in one line what estimates by a formula are good for. It is "" for a model of another kind, and for a formula that is
// known to be honest with that many trials; trials is the number that share parameters in the data.
func (m *Model) Caution(trials int) string {
	if m.Origin.Kind != Formula {
		return ""
	}
	j, known := m.Judged()
	switch {
	case !known:
		return fmt.Sprintf("nothing is known of the errors of %s: its estimates may rank people and still be far from the truth, and its intervals be too narrow. "+
			"likc judge --reference measures both", m.Name)
	case j.Honest && (j.Trials == 0 || trials <= j.Trials):
		return ""
	case j.Honest:
		caution := fmt.Sprintf("%s was judged only up to %s a subject, and here %d share parameters: its bias is small beside the intervals there, and need not be "+
			"beside narrower ones", m.Name, notation.Count(j.Trials, "trial"), trials)
		if p := processNamed(j.Reference); p != nil && p.Density != nil {
			caution += ". " + j.Reference + " has none"
		}
		return caution
	}
	good := "ranks people and does not measure them"
	if !j.Pass {
		good = "does not give all of its parameters back"
	}
	var r, ratio, covered []float64
	for _, p := range j.Params {
		r, ratio, covered = append(r, float64(p.R)), append(ratio, float64(p.RMSERatio)), append(covered, 100*float64(p.Covered90))
	}
	return fmt.Sprintf("%s %s: in %s (%s) its estimates correlated with the truth at %s, errors were %s times those of %s, and %s %% of 90 %% intervals held the truth",
		m.Name, good, notation.Count(j.Subjects, "simulated subject"), j.Bank, between("%.2f", r), between("%.1f", ratio), j.Reference, between("%.0f", covered))
}

// between writes the smallest and the largest of the numbers.
func between(format string, x []float64) string {
	least, most := slices.Min(x), slices.Max(x)
	if math.Abs(most-least) < 1e-9 {
		return fmt.Sprintf(format, least)
	}
	return fmt.Sprintf(format+" to "+format, least, most)
}
