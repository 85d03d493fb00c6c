package flow

import (
	"errors"
	"math"

	"likc/runtime/model/neural/network"
)

// Adaptive returns log p(rt | θ, choice) by adaptive integration, as the reference for fixed steps ([chen2018], eq. 8).
// It integrates x and ∂u/∂x in double precision by the Dormand-Prince pair of orders 5 and 4. Steps are chosen such
// that the local error stays below tolerance.
func (f *Flow) Adaptive(theta []float64, rt, choice, tolerance float64) (float64, error) {
	o := &ode{net: f.Net.Double(), input: make([]float64, f.Net.Inputs()), slopes: make([]float64, f.Net.Inputs())}
	o.trace = o.net.NewTrace(1)
	at := append([]float64(nil), theta...)
	if choice < 0 {
		f.Frame.Model.Reflect(at, theta)
	}
	f.Frame.Fill(o.input[1+Features:], at, 0)
	t := f.onset(theta)
	if !(rt > t) {
		return math.Inf(-1), nil
	}
	end, err := o.integrate([2]float64{(math.Log(rt-t) - f.Centre) / f.Scale, 0}, tolerance)
	if err != nil {
		return math.NaN(), err
	}
	return -end[0]*end[0]/2 - halfLog2Pi + end[1] + f.jacobian(rt, t), nil
}

// ode is the differential equation dx/dr = -u, dl/dr = -∂u/∂x, with r = 1-s.
type ode struct {
	net           *network.Double
	trace         *network.Trace
	input, slopes []float64
}

func (o *ode) at(r float64, y [2]float64) [2]float64 {
	o.input[0] = y[0]
	for k := range Features {
		o.input[1+k] = math.Cos(float64(k+1) * math.Pi * (1 - r))
	}
	u := o.net.Forward(o.trace, o.input)[0]
	o.net.Backward(o.trace, []float64{1}, o.slopes)
	return [2]float64{-u, -o.slopes[0]}
}

// The coefficients of [dormand1980]: the last row of tableau gives the solution of order 5, and correction its
// difference from the solution of order 4.
var (
	nodes   = [7]float64{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1}
	tableau = [7][6]float64{
		{},
		{1. / 5},
		{3. / 40, 9. / 40},
		{44. / 45, -56. / 15, 32. / 9},
		{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
		{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
		{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
	}
	correction = [7]float64{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}
)

func (o *ode) integrate(y [2]float64, tolerance float64) ([2]float64, error) {
	r, h := 0.0, 0.01
	for range 100000 {
		h = min(h, 1-r)
		next, miss := o.step(r, h, y)
		if miss <= tolerance {
			r, y = r+h, next
			if r >= 1-1e-14 {
				return y, nil
			}
		}
		h *= max(0.2, min(5, 0.9*math.Pow(tolerance/max(miss, 1e-300), 0.2)))
	}
	return y, errors.New("flow: the adaptive integration did not arrive")
}

func (o *ode) step(r, h float64, y [2]float64) (next [2]float64, miss float64) {
	var k [7][2]float64
	for i := range k {
		next = y
		for j, a := range tableau[i][:min(i, 6)] {
			next[0] += h * a * k[j][0]
			next[1] += h * a * k[j][1]
		}
		k[i] = o.at(r+nodes[i]*h, next)
	}
	for c := range next {
		sum := 0.0
		for i, e := range correction {
			sum += e * k[i][c]
		}
		miss = max(miss, math.Abs(h*sum))
	}
	return next, miss
}
