package evidence

import (
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
)

const collapsingText = `model race {
  trial rt positive  choice c in {0, 1, 2}
  param v[c] in [0, 4] param b in [0.5, 3] param l in [0, 3] param t in [0, 1]
  evidence x[k] after t { start 0 drift v[k] upper b*exp(-l*tau) }
}`

// A race whose boundaries collapse agrees over its whole ranges with differences of the forward equation, wherever the density is above 1e-8 of its peak.
func TestCollapsingRace(t *testing.T) {
	n := 2
	if os.Getenv("LIKC_LONG") != "" {
		n = 100
	}
	d := density(t, collapsingText)
	r := rand.New(rand.NewPCG(3, 4))
	worst, worstSlope, compared := 0.0, 0.0, 0
	grad := make([]float64, d.dim)
	var parts [5][]int // parts of each range; every one of a range's n equal parts is met once
	for j := range parts {
		parts[j] = r.Perm(n)
	}
	for i := range n {
		theta := make([]float64, d.dim)
		for j, p := range d.Model.Params[:5] {
			theta[j] = p.Lower + (p.Upper-p.Lower)*(float64(parts[j][i])+r.Float64())/float64(n)
		}
		race := newGridRace(theta[:5])
		curve := d.At(theta, nil, gridUntil+0.1)
		peak := math.Inf(-1)
		for _, compare := range []bool{false, true} {
			for at := range gridTimes {
				for c := range 3 {
					want, slopes := race.log(at, c)
					if want == want { // a density that is too small for the differences is none
						peak = max(peak, want)
					}
					if !compare || !(want > peak+math.Log(1e-8)) {
						continue
					}
					compared++
					got := curve.Log(race.tau[at], c, grad)
					worst = max(worst, math.Abs(got-want)/max(1, math.Abs(want)))
					for p, slope := range slopes {
						worstSlope = max(worstSlope, math.Abs(grad[p]-slope)/max(1, math.Abs(slope)))
					}
				}
			}
		}
	}
	t.Logf("%d densities of %d parameter vectors: largest error of the log density %.2g, of a derivative %.2g", compared, n, worst, worstSlope)
	if compared < 40*n || !(worst < 2e-5) || !(worstSlope < 5e-5) { // the differences themselves have no more digits
		t.Errorf("error %.3g of the log density, %.3g of a derivative", worst, worstSlope)
	}
}

const (
	gridTimes = 40  // number of times at which densities are compared
	gridUntil = 8.0 // seconds
)

// gridRace has the densities and survivals of three accumulators, and of those at shifted parameters.
type gridRace struct {
	tau   [gridTimes]float64
	at    [3]gridDensity
	shift [3][3][2]gridDensity // densities with a parameter shifted: [accumulator][v, b or l][up or down]
}

const gridShift = 1e-3

func newGridRace(theta []float64) *gridRace {
	r := &gridRace{}
	var all sync.WaitGroup
	for k := range 3 {
		all.Go(func() {
			own := [3]float64{theta[k], theta[3], theta[4]}
			r.at[k] = solveGrid(own, own[1])
			for p := range own {
				for s, sign := range [2]float64{1, -1} {
					shifted := own
					shifted[p] += sign * gridShift
					r.shift[k][p][s] = solveGrid(shifted, own[1])
				}
			}
		})
	}
	all.Wait()
	for i := range r.tau {
		r.tau[i], _ = gridTime(theta[3], float64(i+1)/gridTimes)
	}
	return r
}

// log is the log density of a win, and its derivatives by v0, v1, v2, b, l and the onset.
func (r *gridRace) log(at, choice int) (value float64, slopes [6]float64) {
	for k := range 3 {
		of := func(g *gridDensity) float64 {
			if k == choice {
				return math.Log(g.flux[at])
			}
			return math.Log(g.left[at])
		}
		value += of(&r.at[k])
		if k == choice {
			slopes[5] -= r.at[k].slope[at]
		} else {
			slopes[5] += r.at[k].flux[at] / r.at[k].left[at]
		}
		for p := range 3 {
			j := p + 2
			if p == 0 {
				j = k
			}
			slopes[j] += (of(&r.shift[k][p][0]) - of(&r.shift[k][p][1])) / (2 * gridShift)
		}
	}
	return value, slopes
}

// gridDensity is the density of first passage of one accumulator, its logarithm's derivative by time, and the share that has not arrived.
type gridDensity struct{ flux, slope, left [gridTimes]float64 }

// solveGrid extrapolates three grids to none.
func solveGrid(theta [3]float64, scale float64) (out gridDensity) {
	const coarsest = 480
	a, b, c := stepGrid(theta, scale, coarsest), stepGrid(theta, scale, 2*coarsest), stepGrid(theta, scale, 4*coarsest)
	limit := func(a, b, c float64) float64 { return (64*c - 20*b + a) / 45 } // errors go by even powers of the step
	for i := range out.flux {
		out.flux[i] = math.Exp(limit(math.Log(a.flux[i]), math.Log(b.flux[i]), math.Log(c.flux[i])))
		out.left[i] = math.Exp(limit(math.Log(a.left[i]), math.Log(b.left[i]), math.Log(c.left[i])))
		out.slope[i] = limit(a.slope[i], b.slope[i], c.slope[i])
	}
	return out
}

// gridTime is the time at a share of the steps, and its derivative by that share. Steps are even in log τ - scale²/(6τ): they are shorter while
// densities rise.
func gridTime(scale, share float64) (tau, slope float64) {
	first, rise := scale*scale/120, scale*scale/6
	whole := math.Log(gridUntil/first) + rise*(1/first-1/gridUntil)
	low, high := first, gridUntil*2
	for range 60 {
		tau = math.Sqrt(low * high)
		if math.Log(tau/first)+rise*(1/first-1/tau) < share*whole {
			low = tau
		} else {
			high = tau
		}
	}
	return tau, whole / (1/tau + rise/(tau*tau))
}

// stepGrid takes n steps of Crank and Nicolson's scheme for the density of y, the distance from the boundary, at n points y = scale·sinh ξ.
// It begins when next to nothing has arrived, with the density that a straight boundary would leave.
func stepGrid(theta [3]float64, scale float64, n int) (out gridDensity) {
	v, b, l := theta[0], theta[1], theta[2]
	widest := math.Asinh((b + 8*math.Sqrt(gridUntil)) / scale)
	h := widest / float64(n)
	y, at := make([]float64, n+1), make([]float64, n+1)                                    // at: dy/dξ
	lows, highs, sides := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1) // see below, for a step of 1
	for i := range y {
		x := h * float64(i)
		y[i], at[i] = scale*math.Sinh(x), scale*math.Cosh(x)
		lows[i], highs[i], sides[i] = 1/(4*h*h*at[i]*scale*math.Cosh(x-h/2)), 1/(4*h*h*at[i]*scale*math.Cosh(x+h/2)), 1/(4*h*at[i])
	}
	p, next, up := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	first, _ := gridTime(scale, 0)
	for i := range p {
		z := b*math.Exp(-l*first) - y[i] - v*first
		p[i] = math.Exp(-z*z/(2*first)) / math.Sqrt(2*math.Pi*first) * -math.Expm1(-2*b*y[i]/first)
	}
	p[0], p[n] = 0, 0
	step := 1 / float64(n)
	flux := func() float64 { return (48*p[1] - 36*p[2] + 16*p[3] - 3*p[4]) / (24 * h * at[0]) }
	logs := make([]float64, n+3) // log flux after each step
	every := n / gridTimes
	for s := 1; s <= n+2; s++ {
		middle, grows := gridTime(scale, (float64(s)-0.5)*step)
		dt := step * grows
		moves := -l*b*math.Exp(-l*middle) - v // speed of the boundary relative to y
		up[0], next[0] = 0, 0
		for i := 1; i < n; i++ {
			low, high, side := dt*lows[i], dt*highs[i], dt*moves*sides[i]
			before, after, own := low+side, high-side, low+high
			right := p[i] + before*p[i-1] + after*p[i+1] - own*p[i]
			inverse := 1 / (1 + own - before*up[i-1])
			up[i], next[i] = after*inverse, (right+before*next[i-1])*inverse
		}
		for i := n - 1; i > 0; i-- {
			p[i] = next[i] + up[i]*p[i+1]
		}
		logs[s] = math.Log(flux())
		if k := s/every - 1; s%every == 0 && k < gridTimes {
			out.flux[k] = flux()
			for i := 1; i < n; i++ {
				out.left[k] += p[i] * at[i] * h
			}
			out.left[k] += h * h / 12 * at[0] * at[0] * flux() * 2 // Euler and Maclaurin's correction at the boundary
		}
	}
	for k := range out.slope {
		s := (k + 1) * every
		_, grows := gridTime(scale, float64(s)*step)
		out.slope[k] = (8*(logs[s+1]-logs[s-1]) - logs[s+2] + logs[s-2]) / (12 * step * grows)
	}
	return out
}
