package evidence

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/testdata"
)

// FuzzDensity: no process panics, and its log density in the middle of the ranges is below infinity, or none.
func FuzzDensity(f *testing.F) {
	for _, text := range []string{dmcText, ddmText, angleText, collapsingText, urgencyText, leakText, raceText} {
		f.Add(text)
	}
	for _, name := range testdata.ProcessNames() {
		text, _ := testdata.Model(name)
		f.Add(text)
	}
	for _, block := range []string{"start 0.5 drift 0 upper 1 reflect 0", "start uniform(-0.5, 0.2) drift v noise 1 + tau upper exp(-tau) lower -2", "start 0 drift v - 3*x upper if(tau < 0.3, 2, 1)"} {
		f.Add("model m { trial rt positive choice c param v in [-2, 2] param t in [0, 1] evidence x after normal(t, 0.05) { " + block + " } }")
	}
	f.Fuzz(func(t *testing.T, text string) {
		models, err := syntax.Read("fuzz.lik", strings.NewReader(text))
		if err != nil || len(models) > 2 {
			return
		}
		for _, m := range models {
			if m.Evidence == nil || len(m.Evidence.Accumulators) > 5 {
				continue
			}
			d, err := New(m)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %q", err)
				}
				continue
			}
			theta := make([]float64, len(m.Params))
			for j, p := range m.Params {
				theta[j] = p.Lower + (p.Upper-p.Lower)/2
			}
			curve := d.At(theta, make([]float64, len(m.Trials)), 0.8)
			grad := make([]float64, len(theta))
			for choice := range max(1, len(m.Codes())) {
				if p := curve.Log(0.7, choice, grad); p == math.Inf(1) {
					t.Fatalf("log density %v", p)
				}
			}
		}
	})
}
