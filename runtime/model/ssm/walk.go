package ssm

import (
	"math"
	"math/rand/v2"
)

// walk draws exact trials of the drift-diffusion model, without a time step. From any point, consider the largest interval centred
// there that stays between the boundaries. The motion leaves it after an exit time (see exit), on a side independent of that time;
// one of its two ends lies on the nearer boundary. If the motion ends there, the trial is over; otherwise it continues from the
// other end, which is a known point. These points form one chain, the same for all trials at theta.
type walk struct {
	steps []step
	drift float64 // v
	a, t  float64
}

// step is one point of the chain.
type step struct {
	exit
	scale float64 // squared half-width of the interval, the unit of exit times
	end   float64 // probability of leaving through the nearer boundary
	near  float64 // the choice at the nearer boundary
	half  float64 // half-width relative to a, in (0, 1]; 1 at the centre
}

func newWalk(theta []float64) *walk {
	v, a, z, t := theta[0], theta[1], theta[2], theta[3]
	w := &walk{steps: make([]step, 0, 64), drift: v, a: a, t: t}
	if z > 0.5 {
		w.push(2*(1-z), 1)
	} else {
		w.push(2*z, -1)
	}
	return w
}

// push appends the point at relative distance half from the boundary near.
func (w *walk) push(half, near float64) {
	width := half * w.a
	w.steps = append(w.steps, step{
		exit:  newExit(math.Abs(w.drift) * width),
		scale: width * width,
		end:   1 / (1 + math.Exp(-2*near*w.drift*width)),
		near:  near,
		half:  half,
	})
}

// extend appends the point that follows the last one: it lies twice as far
// from the same boundary. All of it is exact in floating point.
func (w *walk) extend() {
	last := w.steps[len(w.steps)-1]
	if last.half <= 0.5 {
		w.push(2*last.half, last.near)
	} else {
		w.push(2-2*last.half, -last.near)
	}
}

// draw returns one trial.
func (w *walk) draw(r *rand.Rand) (rt, choice float64) {
	tau := 0.0
	for i := 0; ; i++ {
		if i == len(w.steps) {
			w.extend()
		}
		s := &w.steps[i]
		tau += s.scale * s.exit.draw(r)
		if r.Float64() < s.end {
			choice = s.near
			break
		}
		if s.half == 1 {
			choice = -s.near
			break
		}
	}
	rt = w.t + tau
	if rt <= w.t { // τ is lost in rounding
		rt = math.Nextafter(w.t, math.Inf(1))
	}
	return rt, choice
}
