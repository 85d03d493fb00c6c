package distil

import "testing"

// TestDistance: the sentence names the density from which the distances are: the exact or the numerical one, the teacher's, or none.
func TestDistance(t *testing.T) {
	for target, from := range map[string]string{
		exactTarget: "from the exact density", numericalTarget: "from the numerical density", teacherTarget: "from the teacher's density",
		trialsTarget: "farther from simulated trials than the nearest formula",
	} {
		s := Summary{Target: target, KLMedian: 0.00125, KLMean: 0.0034}
		if got, want := s.Distance(), "0.0013 nats a trial "+from+" in the median over the ranges, and 0.0034 in the mean"; got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}
