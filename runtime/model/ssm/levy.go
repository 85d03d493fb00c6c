package ssm

import (
	"errors"
	"math"
	"math/rand/v2"
)

// init registers levy: a process with jumps between two boundaries. The ranges are those of ssm-simulators.
func init() {
	Register(&Model{
		Name:    "levy",
		Process: "dV = v dτ + dL between -a and +a, L symmetric alpha-stable: E exp(iuL(τ)) = exp(-τ |u|^alpha)",
		Cites:   "Voss, Lerche, Mertens & Voss (2019)",
		Notes: "a is HALF the distance between the boundaries, z is relative to it, times are in seconds. At alpha = 2 the noise has variance 2, not 1: " +
			"the process is ddm with v/√2 and a/√2.",
		Params: []Param{drift(-3, 3), boundary(0.3, 3), start(0.1, 0.9),
			{"alpha", 1, 2, "stability of the noise: 2 is Gaussian, less has larger jumps", Same, Positive}, nonDecision(0.001, 2)},
		Choices: []float64{1, -1},
		Onset:   "t",
		Example: []float64{1, 1.5, 0.45, 1.5, 0.3},
		Weak:    []string{"alpha"},
		Inside: func(theta []float64) error {
			if !(theta[3] <= 2) {
				return errors.New("noise of a stability above 2 does not exist: want alpha of at most 2")
			}
			return nil
		},
		Flight: func(theta []float64) Flight {
			v, a, z, alpha, t := theta[0], theta[1], theta[2], theta[3], theta[4]
			return Flight{Onset: t, Start: a * (2*z - 1), Drift: v, Bound: a, Alpha: alpha}
		},
	})
}

// Flight is a Lévy flight between two boundaries, at given parameters: dV = Drift dτ + dL, from Start until |V(τ)| ≥ Bound, at
// rt = Onset + τ. L is symmetric stable noise with E exp(iuL(τ)) = exp(-τ |u|^Alpha), 0 < Alpha ≤ 2. Times are in seconds. V
// jumps, so that it may end beyond a boundary.
type Flight struct{ Onset, Start, Drift, Bound, Alpha float64 }

// sampler returns the flight's sampler for a scheme with a time step.
func (f Flight) sampler(scheme Scheme) Sampler {
	if scheme.Bridge {
		return f.jumps(scheme).draw
	}
	e := &leaps{Flight: f, step: scheme.Step, most: scheme.MaxTime}
	return e.draw
}

// jumps draws trials of a flight. Stable noise L(τ) is W(S(τ)), where W is a Brownian motion with variance 2 per unit of time
// and S is an increasing stable process, E exp(-u S(τ)) = exp(-τ u^(Alpha/2)). Jumps of S that are larger than a limit are
// simulated one by one. Smaller ones are replaced by their mean [asmussen2001], so that V is a Brownian motion between two
// large jumps, whose crossings are found as in [bridge], without error. The limit is proportional to the time step: for 10 ms,
// a jump below the limit changes V by a random amount with a standard deviation of at most 1/80 of Bound.
//
//	[asmussen2001] Asmussen, Rosiński (2001). Approximations of small jumps of Lévy processes with a view towards simulation. Journal of
//	               Applied Probability 38, 482-493.
type jumps struct {
	Flight
	most  float64 // largest τ, in seconds
	index float64 // stability index of S, Alpha/2
	limit float64 // size above which a jump of S is simulated one by one
	rate  float64 // expected number of jumps above the limit per second
	noise float64 // standard deviation of V after a second without jumps
}

func (f Flight) jumps(scheme Scheme) *jumps {
	w := &jumps{Flight: f, most: scheme.MaxTime, index: f.Alpha / 2}
	w.limit = scheme.Step * f.Bound * f.Bound / 128
	w.rate = math.Pow(w.limit, -w.index) / math.Gamma(1-w.index) // 0 for Alpha = 2
	w.noise = math.Sqrt(2 * w.index * math.Pow(w.limit, 1-w.index) / math.Gamma(2-w.index))
	return w
}

func (w *jumps) draw(r *rand.Rand) (rt, choice float64) {
	y, tau, jump := w.Start, 0.0, w.wait(r)
	for longest := stepSquare * w.Bound * w.Bound / (w.noise * w.noise); tau <= w.most; {
		h := min(longest, jump-tau)
		next := y + w.Drift*h + w.noise*math.Sqrt(h)*r.NormFloat64()
		from, to := w.Bound/w.noise, next/w.noise
		if side := crossed(r, h, from-y/w.noise, from-to, from+y/w.noise, from+to); side != 0 {
			return w.Onset + tau + touchTime(r, h, from-side*y/w.noise, from-side*to), side
		}
		y, tau = next, tau+h
		if tau < jump {
			continue
		}
		y += math.Sqrt(2*w.limit*math.Pow(1-r.Float64(), -1/w.index)) * r.NormFloat64()
		if math.Abs(y) >= w.Bound {
			break
		}
		jump = tau + w.wait(r)
	}
	return w.Onset + tau, sideOf(y)
}

// wait draws the time until the next large jump, +Inf if there is none.
func (w *jumps) wait(r *rand.Rand) float64 {
	if w.rate == 0 {
		return math.Inf(1)
	}
	return r.ExpFloat64() / w.rate
}

// leaps draws trials of a flight by the scheme of [euler], with a stable random number for each step [chambers1976].
//
//	[chambers1976] Chambers, Mallows, Stuck (1976). A method for simulating stable random variables. JASA 71, 340-344.
type leaps struct {
	Flight
	step, most float64 // dt and the largest τ
}

func (e *leaps) draw(r *rand.Rand) (rt, choice float64) {
	scale := math.Pow(e.step, 1/e.Alpha)
	y, tau := e.Start, 0.0
	for n := 1.0; math.Abs(y) < e.Bound && tau <= e.most; n++ {
		y += e.Drift*e.step + scale*stable(r, e.Alpha)
		tau = n * e.step
	}
	jitter := (0.5 - r.Float64()) * e.step
	if tau > e.most {
		jitter = math.Abs(jitter)
	}
	return e.Onset + tau + jitter, sideOf(y)
}

// stable draws a symmetric stable number x: E exp(iux) = exp(-|u|^alpha).
func stable(r *rand.Rand, alpha float64) float64 {
	u, w := math.Pi*(r.Float64()-0.5), r.ExpFloat64()
	if alpha == 1 {
		return math.Tan(u)
	}
	return math.Sin(alpha*u) / math.Pow(math.Cos(u), 1/alpha) * math.Pow(math.Cos((1-alpha)*u)/w, (1-alpha)/alpha)
}

// sideOf returns the boundary on the side of the evidence y; at 0 it is the lower one.
func sideOf(y float64) float64 {
	if y > 0 {
		return 1
	}
	return -1
}
