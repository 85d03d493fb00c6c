package lan

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// tanhEstimated returns tanh as the kernels compute it, if the processor's estimate of 1/d has the given relative error and one Newton step
// follows.
func tanhEstimated(x float32, relative float64) float32 {
	y := max(-60, min(60, float32(tanhScale)*x))
	n := float32(math.RoundToEven(float64(y)))
	p := float32(0.000669543168234)
	for _, c := range []float32{0.00483801595916, 0.0277517855711, 0.120110537427, 0.346573594013, 0.500000037727} {
		p = fma32(p, y-n, c)
	}
	d := float32(math.Ldexp(float64(p), int(n))) + 0.5
	r := float32((1 + relative) / float64(d))
	return fma32(-r, fma32(-d, r, 2), 1)
}

func fma32(x, y, z float32) float32 { return float32(math.FMA(float64(x), float64(y), float64(z))) }

// worstEstimate returns the largest error of tanh if estimates are too large or too small by the given relative error.
func worstEstimate(relative float64) float64 {
	worst := 0.0
	for x := float32(-40); x < 40; x += 1.0 / 512 {
		for _, e := range []float64{relative, relative / 2, 0, -relative / 2, -relative} {
			worst = max(worst, math.Abs(float64(tanhEstimated(x, e))-math.Tanh(float64(x))))
		}
	}
	return worst
}

// TestTanhOfAnyEstimate shows that TestTanh's bound holds on every processor: for all reciprocals with the relative error that is
// documented for VRCP14PS. The documented error of VRCPPS is too large, so the AVX2 kernel divides instead.
func TestTanhOfAnyEstimate(t *testing.T) {
	const bound = 3e-7
	if worst := worstEstimate(0x1p-14); worst > bound {
		t.Errorf("estimates within 2^-14: tanh is off by %v", worst)
	}
	if worst := worstEstimate(1.5 * 0x1p-12); worst <= bound {
		t.Errorf("estimates within 1.5·2^-12: tanh is off by %v only; VRCPPS would do", worst)
	}
}

// TestNoRoughEstimate checks that no kernel uses instructions whose documented accuracy is only 12 bits.
func TestNoRoughEstimate(t *testing.T) {
	rough := regexp.MustCompile(`\bV?(RCP|RSQRT)[PS]S\b`)
	var files []string
	for _, pattern := range []string{"*.s", "../../../*/*/*.s", "../../../../generated/*/*.s"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := rough.Find(text); found != nil {
			t.Errorf("%s: has %s", file, found)
		}
	}
}
