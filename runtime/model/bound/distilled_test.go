package bound

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Formulas that likc distil found are close to the densities of their processes, exact or numerical, all over the ranges. Both have mass one.
func TestDistilledFormulasAreCloseToTheirProcesses(t *testing.T) {
	densities := map[string]string{"ddm": "ddm", "angle": "angle", "ornstein": "ornstein_numerical", "gamma_drift": "gamma_drift_numerical"}
	files, err := filepath.Glob("../../../testdata/distilled/*.lik")
	if err != nil || len(files) != len(densities) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		m, formula := timed(t, file)
		_, density := timed(t, densities[strings.TrimSuffix(filepath.Base(file), ".lik")])
		for _, theta := range Spread(m, 6) {
			nats, masses := divergence(m, theta, formula, density)
			t.Logf("%s at %.3g: divergence %.6f", m.Name, theta, nats)
			// likc distil measured up to 0.0095 nats at 95 % of the parameters; some responses take more than 40 s, where the integral ends
			if !(math.Abs(nats) < 0.0095 && math.Abs(masses[0]-1) < 2e-3 && math.Abs(masses[1]-1) < 2e-3) {
				t.Errorf("%s at %v: divergence %.6f, masses %.6f", m.Name, theta, nats, masses)
			}
		}
	}
}
