package kernel

import "testing"

// polynomial is x0 + 2 x1² + x0 x2, with its gradient.
type polynomial struct{}

func (polynomial) Dim() int { return 3 }

func (polynomial) LogLik(x []float64) float64 { return x[0] + 2*x[1]*x[1] + x[0]*x[2] }

func (p polynomial) LogLikGrad(x, grad []float64) float64 {
	grad[0], grad[1], grad[2] = 1+x[2], 4*x[1], x[0]
	return p.LogLik(x)
}

func TestFix(t *testing.T) {
	f := Fix(polynomial{}, []float64{9, 9, 5}, []int{1, 0})
	grad := make([]float64, 2)
	if lp := f.LogLikGrad([]float64{3, 2}, grad); f.Dim() != 2 || lp != 2+18+10 || grad[0] != 12 || grad[1] != 6 {
		t.Errorf("dimension %d, value %v, gradient %v: want 2, 30 and [12 6]", f.Dim(), lp, grad)
	}
	if lp := f.LogLik([]float64{1, 1}); lp != 1+2+5 {
		t.Errorf("value %v, want 8", lp)
	}
	at := []float64{3, 2}
	if n := testing.AllocsPerRun(100, func() { f.LogLikGrad(at, grad) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
