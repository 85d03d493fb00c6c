package stream

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestStreamsAreUnrelated correlates the uniform numbers of similar keys and names. Correlations of 20,000 independent pairs have a
// standard deviation of .007.
func TestStreamsAreUnrelated(t *testing.T) {
	pairs := map[string][2]*rand.Rand{
		"keys":  {rand.New(Keyed([32]byte{1})), rand.New(Keyed([32]byte{2}))},
		"names": {Named("subject 1"), Named("subject 2")},
		"of":    {rand.New(Keyed([32]byte{byte(Of("a"))})), rand.New(Keyed([32]byte{byte(Of("b"))}))},
	}
	for what, p := range pairs {
		const n = 20000
		sum := 0.0
		for range n {
			sum += 12 * (p[0].Float64() - 0.5) * (p[1].Float64() - 0.5)
		}
		if r := sum / n; math.Abs(r) > 0.035 {
			t.Errorf("%s: correlation %.3f", what, r)
		}
	}
}

// A name gives the same stream in every version, because resumed fits and published figures depend on it. SHA-256 of "abc" begins with
// ba7816bf 8f01cfea [FIPS 180-2, appendix B.1].
func TestNamesKeepTheirStreams(t *testing.T) {
	if got := Of("abc"); got != 0xeacf018fbf1678ba || Of("") != 0 {
		t.Errorf("%x", got)
	}
}
