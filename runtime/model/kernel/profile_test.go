package kernel

import (
	"math"
	"testing"
)

// hill returns -(x-2)²/2 - y, where x is the second parameter and y the first.
func hill(theta []float64) float64 { return -(theta[1]-2)*(theta[1]-2)/2 - theta[0] }

func TestProfile(t *testing.T) {
	theta := []float64{7, 100}
	p := NewProfile(hill, theta, 1, 0, 5, 51)
	if !(math.Abs(p.Top()-2) <= 1e-12) || theta[1] != 100 {
		t.Errorf("highest at %v, want 2; theta is %v", p.Top(), theta)
	}
	heights := p.Heights(0.5) // exp(-(x-2)²)
	if !(math.Abs(heights[20]-1) <= 1e-12) || !(math.Abs(heights[30]-1/math.E) <= 1e-12) || !(math.Abs(heights[0]-math.Exp(-4)) <= 1e-12) {
		t.Errorf("heights %v, %v, %v", heights[20], heights[30], heights[0])
	}
}
