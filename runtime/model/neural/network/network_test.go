package network

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func random(t testing.TB, hidden, output Activation, sizes ...int) (*Network, *rand.Rand) {
	t.Helper()
	n, err := New(sizes, hidden, output)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	n.Init(r, 1)
	for i := range n.Weights {
		n.Weights[i] += 0.1 * float32(r.NormFloat64())
	}
	return n, r
}

func TestDoubleBackward(t *testing.T) {
	n, _ := random(t, SiLU, Tanh, 4, 21, 9, 3)
	d := n.Double()
	trace := d.NewTrace(1)
	x, w, dx := []float64{0.3, -1, 0.7, 2}, []float64{1, -2, 0.5}, make([]float64, 4)
	value := func() (sum float64) {
		for k, v := range d.Forward(trace, x) {
			sum += w[k] * v
		}
		return sum
	}
	value()
	d.Backward(trace, w, dx)
	for i := range x {
		keep := x[i]
		x[i] = keep + 1e-5
		above := value()
		x[i] = keep - 1e-5
		below := value()
		x[i] = keep
		if want := (above - below) / 2e-5; !(math.Abs(want-dx[i]) <= 1e-8) {
			t.Errorf("derivative in input %d is %v, finite differences say %v", i, dx[i], want)
		}
	}
	value()
	if n := testing.AllocsPerRun(10, func() { d.Forward(trace, x); d.Backward(trace, w, dx) }); n > 0 {
		t.Errorf("allocates %v times", n)
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	n, _ := random(t, Tanh, Linear, 2, 4, 1)
	good, _ := n.MarshalBinary()
	for at := range good {
		if err := new(Network).UnmarshalBinary(good[:at]); err == nil {
			t.Fatalf("%d of %d bytes: no error", at, len(good))
		}
	}
	bad := map[string]func([]byte){
		"activation": func(b []byte) { b[1] = 200 },
		"width":      func(b []byte) { b[6] = 255 },
		"NaN":        func(b []byte) { copy(b[len(b)-4:], "\x00\x00\xc0\x7f") },
		"layers":     func(b []byte) { b[0] = 0 },
	}
	for name, spoil := range bad {
		data := slices.Clone(good)
		spoil(data)
		if err := new(Network).UnmarshalBinary(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	data := slices.Concat([]byte{250}, good[1:], bytes.Repeat([]byte{0xff}, 2000))
	if err := new(Network).UnmarshalBinary(data); err == nil || len(err.Error()) > 80 || strings.Contains(err.Error(), "-") {
		t.Errorf("sizes beyond all bounds: %v", err)
	}
}

// TestActivations compares f and f' with portable Go, which calls package math, also at large arguments, where f is flat.
func TestActivations(t *testing.T) {
	for _, a := range []Activation{Tanh, Sigmoid, SiLU} {
		for n := 1; n < 40; n++ {
			z, slope := make([]float64, n, n+spare), make([]float64, n, n+spare)
			want, wantSlope := make([]float64, n), make([]float64, n)
			for i := range z {
				z[i] = 800 * math.Pow(2*float64(i)/40-1, 5)
				want[i] = z[i]
			}
			a.apply(z, slope)
			a.portable(want, wantSlope)
			for i := range z {
				if math.Abs(z[i]-want[i]) > 4e-16*max(1, math.Abs(want[i])) || math.Abs(slope[i]-wantSlope[i]) > 1e-15*max(1, math.Abs(want[i])) {
					t.Errorf("%v, %d of %d: %v with slope %v, want %v and %v", a, i, n, z[i], slope[i], want[i], wantSlope[i])
				}
			}
		}
	}
}
