package bound

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// logDDM returns the log density of the drift-diffusion model at complex parameters, by the series of Navarro and Fuss (2009): the
// small-time series for early responses, the large-time series for late ones. The boundaries are at -a and a.
func logDDM(rt, choice float64, v, a, z, t complex128) complex128 {
	if choice > 0 {
		v, z = -v, 1-z
	}
	width, tau := 2*a, complex(rt, 0)-t
	u, sum := tau/(width*width), complex128(0)
	if real(u) < 0.4 {
		for k := -12; k <= 12; k++ {
			x := z + complex(float64(2*k), 0)
			sum += x * cmplx.Exp(-x*x/(2*u))
		}
		sum /= cmplx.Sqrt(2 * math.Pi * u * u * u)
	} else {
		for k := 1.0; k <= 12; k++ {
			sum += complex(k*math.Pi, 0) * cmplx.Sin(complex(k*math.Pi, 0)*z) * cmplx.Exp(-complex(k*k*math.Pi*math.Pi/2, 0)*u)
		}
	}
	return -v*width*z - v*v*tau/2 + cmplx.Log(sum) - 2*cmplx.Log(width)
}

// programs are independent implementations of log-likelihoods, trial by trial, at complex parameters. The key is the model's name.
var programs = map[string]func(d kernel.Trials, p []complex128) complex128{
	"psychometric": func(d kernel.Trials, p []complex128) (total complex128) {
		for i, coh := range d.Columns[1] {
			v := complex128(0)
			if coh != 0 {
				v = p[0] * complex(math.Copysign(1, coh), 0) * cmplx.Exp(p[1]*complex(math.Log(math.Abs(coh)), 0))
			}
			total += logDDM(d.Columns[0][i], d.Choice[i], v, p[2], p[3], p[4])
		}
		return total
	},
	"rl_ddm": func(d kernel.Trials, p []complex128) complex128 {
		return learnt(d, p[0], 1, func(i int, dq complex128) complex128 {
			return logDDM(d.Columns[0][i], d.Choice[i], p[1]*dq, p[2], 0.5, p[3])
		})
	},
	"rl_softmax": func(d kernel.Trials, p []complex128) complex128 {
		return learnt(d, p[0], 0, func(i int, dq complex128) complex128 {
			return -cmplx.Log(1 + cmplx.Exp(-complex(d.Choice[i], 0)*p[1]*dq))
		})
	},
}

// learnt returns the sum of scores over trials. The score of a trial depends on dq, the difference of two values that are learnt from the
// column of rewards at the rate alpha.
func learnt(d kernel.Trials, alpha complex128, rewards int, score func(i int, dq complex128) complex128) (total complex128) {
	q, block := map[int32]*[2]complex128{}, map[int32]float64{}
	for i, who := range d.Person {
		if restart := d.Columns[rewards+1][i]; q[who] == nil || block[who] != restart {
			q[who], block[who] = &[2]complex128{0.5, 0.5}, restart
		}
		total += score(i, q[who][0]-q[who][1])
		option := int(1-d.Choice[i]) / 2
		q[who][option] += alpha * (complex(d.Columns[rewards][i], 0) - q[who][option])
	}
	return total
}

// TestComplexSteps compares values and gradients at 50 points with independent programs, to 1e-8. Their derivatives come from complex
// steps of 1e-30, which have no cancellation.
func TestComplexSteps(t *testing.T) {
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			var p *Prepared
			if text, own := calling[name]; own {
				p = openText(t, text)
			} else {
				m, err := catalog.Open(name)
				if err == nil {
					p, err = Open(m, Auto)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
			}
			d := someTrials(120)
			for i := range d.Person {
				d.Person[i] = int32(i % 3)
			}
			switch name {
			case "psychometric":
				d.Columns = d.Columns[:2]
			case "rl_softmax":
				d.Columns = d.Columns[1:]
			}
			b, err := p.Bind(d, Design{})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(7, 8))
			worst := 0.0
			for range 50 {
				theta := p.Model.PointAt(func(int) float64 { return 0.05 + 0.9*r.Float64() })
				if j := p.Model.ParamIndex("t"); j >= 0 {
					theta[j] = 0.3 * r.Float64()
				}
				at, grad := make([]complex128, len(theta)), make([]float64, len(theta))
				for j, x := range theta {
					at[j] = complex(x, 0)
				}
				want := real(program(d, at))
				if got := b.LogLikGrad(theta, grad); !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
					t.Fatalf("at %v: %.15g, want %.15g", theta, got, want)
				}
				for j := range theta {
					const h = 1e-30
					at[j] = complex(theta[j], h)
					slope := imag(program(d, at)) / h
					at[j] = complex(theta[j], 0)
					off := math.Abs(grad[j]-slope) / max(1, math.Abs(slope))
					if worst = max(worst, off); !(off <= 1e-8) {
						t.Errorf("at %v: derivative in %s %.15g, want %.15g", theta, p.Model.Params[j].Name, grad[j], slope)
					}
				}
			}
			t.Logf("gradients are off by %.1e at most", worst)
		})
	}
}
