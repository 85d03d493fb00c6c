package nuts

import (
	"errors"
	"math"
)

// state is a point in phase space. Momenta are whitened. The metric is M⁻¹ = AAᵀ, and the momentum p of the Hamiltonian is stored as
// Aᵀp ~ N(0, I). So kinetic energy and U-turn criteria need no metric, and one vector replaces p and M⁻¹p.
type state struct {
	q, p, grad []float64
	force      []float64 // Aᵀgrad; kept by metrics whose A is not diagonal, for which it costs more than a product for each coordinate
	lp         float64
	index      int // number of leapfrog steps from the start of the trajectory, signed
}

func newState(dim int) state {
	all := make([]float64, 4*dim)
	return state{q: all[:dim:dim], p: all[dim : 2*dim : 2*dim], grad: all[2*dim : 3*dim : 3*dim], force: all[3*dim:]}
}

// moveTo sets the state to a point and a momentum.
func (s *state) moveTo(at *point, momentum []float64, m metric) {
	copy(s.q, at.q)
	copy(s.p, momentum)
	copy(s.grad, at.grad)
	s.lp, s.index = at.lp, 0
	m.prepare(s)
}

// point is a position that may become a draw.
type point struct {
	q, grad []float64
	lp      float64
	energy  float64 // Hamiltonian at the position, with the momentum of its trajectory
	index   int     // number of leapfrog steps from the start of the trajectory, signed
}

func newPoint(dim int) *point { return &point{q: make([]float64, dim), grad: make([]float64, dim)} }

// set copies the state's position into the point.
func (pt *point) set(s *state, energy float64) {
	copy(pt.q, s.q)
	copy(pt.grad, s.grad)
	pt.lp, pt.energy, pt.index = s.lp, energy, s.index
}

// leapfrog moves the state by one step of signed size eps and returns its new energy; NaN if the density has no value there, with
// the density's error as reason, or if it is +Inf, without a reason. err is any other error of the density. [betancourt2017], sec. 5.1.
func leapfrog(target Target, m metric, s *state, eps float64) (energy float64, reason, err error) {
	m.kickAndDrift(s, eps)
	lp, err := target.LogDensityGrad(s.q, s.grad)
	if err != nil {
		if recoverable(err) {
			return math.NaN(), err, nil
		}
		return math.NaN(), nil, err
	}
	s.lp = lp
	if math.IsInf(lp, 1) {
		return math.NaN(), nil, nil
	}
	kineticEnergy := m.kick(s, eps/2)
	return kineticEnergy - lp, nil, nil
}

// recoverable reports whether an error means that a point has no density. Other errors are failures, which end the chain.
func recoverable(err error) bool {
	var r interface{ Recoverable() bool }
	return errors.As(err, &r) && r.Recoverable()
}

// kinetic returns ½|p|² of a whitened momentum.
func kinetic(p []float64) float64 {
	sum := 0.0
	for _, v := range p {
		sum += v * v
	}
	return sum / 2
}
