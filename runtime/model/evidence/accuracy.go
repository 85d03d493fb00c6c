package evidence

import (
	"math"
	"math/rand/v2"
)

// Accuracy holds the errors of a numerical density, measured against the density on a much finer grid. They are taken at random
// points of the parameters' ranges, and at times at which the density is above 1e-8 of its peak.
type Accuracy struct {
	Points     int     `json:"points"`      // number of parameter vectors that were checked
	Outside    int     `json:"outside"`     // number of further vectors, at which evidence starts outside the boundaries
	LogDensity float64 `json:"log_density"` // the largest error, as a share of max(1, |log density|)
	Gradient   float64 `json:"gradient"`    // the largest error of a derivative, as a share of max(1, |derivative|)
	Mass       float64 `json:"mass"`        // the largest difference from 1 of the integral over time and all choices, where the process ends in time; -1 for nowhere
}

// promised is the largest error of a log density, as a share of max(1, |log density|), that needs no warning.
const promised = 1e-5

// Kept reports whether log densities are as accurate as docs/reference/language-choices.md promises.
func (a Accuracy) Kept() bool { return a.LogDensity <= promised }

const (
	checkedPoints = 24   // number of parameter vectors at which densities are compared
	checkedTimes  = 60   // number of times at each of them
	checkedUntil  = 20.0 // the last of these times, in seconds after the onset
)

// finer holds the settings of the grid with which the usual one is compared.
var finer = settings{ratio: 1.15, clock: 0.25, smooth: 1e-10, late: 1.5, early: 0.1, rough: 1e-7, joined: 10}

// Check compares the density with one on a finer grid. Trial columns on which the process depends are drawn between -1 and 1.
func (d *Density) Check() Accuracy {
	a := Accuracy{Mass: -1}
	r := rand.New(rand.NewPCG(1, 1))
	coarse, fine := d.newSpace(usual), d.newSpace(finer)
	for a.Points+a.Outside < 10*checkedPoints && a.Points < checkedPoints {
		for j, p := range d.Model.Params {
			coarse.values[j] = p.Lower + (p.Upper-p.Lower)*r.Float64()
		}
		for j := range d.used {
			coarse.values[d.dim+j] = 2*r.Float64() - 1
		}
		copy(fine.values, coarse.values)
		onset, _ := d.onset.at(&coarse.work[0].tape, &coarse.mem, d.dim, coarse.values)
		begin := d.onset.earliest(onset)
		d.solve(coarse, begin+checkedUntil, true)
		d.solve(fine, begin+checkedUntil, true)
		if coarse.outside {
			a.Outside++
			continue
		}
		a.Points++
		a.compare(d, coarse, fine, begin)
		a.mass(d, coarse)
	}
	return a
}

// compare updates the largest errors with those at one parameter vector. A density that is NaN counts as an error of 100 %.
func (a *Accuracy) compare(d *Density, coarse, fine *space, begin float64) {
	grad, want := make([]float64, d.dim), make([]float64, d.dim)
	choices := max(1, len(d.Model.Codes()))
	peak := math.Inf(-1)
	for _, take := range []bool{false, true} { // the first round finds the peak, the second takes errors
		for k := range checkedTimes {
			rt := begin + math.Exp(math.Log(1e-3)+math.Log(checkedUntil/1e-3)*(float64(k)+0.5)/checkedTimes)
			for c := range choices {
				exact := fine.log(rt, c, want)
				got := coarse.log(rt, c, grad)
				if exact != exact || got != got {
					a.LogDensity = max(a.LogDensity, 1)
					continue
				}
				if peak = max(peak, exact); !take || !(exact > peak+math.Log(1e-8)) {
					continue
				}
				a.LogDensity = max(a.LogDensity, math.Abs(got-exact)/max(1, math.Abs(exact)))
				for p := range grad {
					a.Gradient = max(a.Gradient, math.Abs(grad[p]-want[p])/max(1, math.Abs(want[p])))
				}
			}
		}
	}
}

// mass updates the largest difference of the integral from 1. It does so only if the process has ended within the computed
// times.
func (a *Accuracy) mass(d *Density, s *space) {
	if len(s.solutions) > 1 || !s.solutions[0].ended {
		return
	}
	a.Mass = max(a.Mass, math.Abs(s.solutions[0].mass()-1))
}
