package kernel

import "math"

// Profile is a log-likelihood as a function of one parameter; all other parameters are fixed.
type Profile struct {
	Lower, Upper float64
	LogLik       []float64 // evenly spaced from Lower to Upper
	best         int       // index of the highest value in LogLik
}

// NewProfile evaluates a log-likelihood at several values of parameter i from lower to upper, both included. The other parameters
// are as in theta. points must be at least 2.
func NewProfile(loglik func(theta []float64) float64, theta []float64, i int, lower, upper float64, points int) Profile {
	p := Profile{Lower: lower, Upper: upper, LogLik: make([]float64, points)}
	at := append([]float64(nil), theta...)
	for k := range p.LogLik {
		at[i] = p.value(k)
		if p.LogLik[k] = loglik(at); p.LogLik[k] > p.LogLik[p.best] {
			p.best = k
		}
	}
	return p
}

// value returns the value of the parameter at which LogLik[k] was computed.
func (p *Profile) value(k int) float64 {
	return p.Lower + (p.Upper-p.Lower)*float64(k)/float64(len(p.LogLik)-1)
}

// Top returns the value of the parameter at which the log-likelihood is highest.
func (p *Profile) Top() float64 { return p.value(p.best) }

// Heights returns exp of each value's distance from the highest one, divided by unit: 1 at the top, 1/e one unit below it.
func (p *Profile) Heights(unit float64) []float64 {
	heights := make([]float64, len(p.LogLik))
	for k, x := range p.LogLik {
		heights[k] = math.Exp((x - p.LogLik[p.best]) / unit)
	}
	return heights
}
