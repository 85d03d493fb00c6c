// Package stopsignal simulates sessions of the stop-signal task. On every trial a go process begins, and on some trials a signal starts a stop
// process later. The first process to finish decides whether there is a response. Both finishing times are ex-Gaussian, given that they are positive:
//
//	mu + sigma·N + tau·E        N standard normal, E exponential of mean 1.
//
// Trials have more columns than a response time and a choice, and the delay of a signal may depend on trials before it. So a session is simulated as
// a whole, and package ssm does not know the process.
package stopsignal

import (
	"fmt"
	"math"
	"math/rand/v2"

	"likc/runtime/model/ssm"
)

// Name is the name of the process in model files.
const Name = "stop_signal"

// Cites names the authors of the process.
const Cites = "Logan & Cowan (1984); Matzke et al. (2013)"

// Params lists the parameters, in the order of every parameter vector. Times are in seconds.
var Params = []ssm.Param{
	{Name: "mu_go", Lower: 0.2, Upper: 1.5, Meaning: "go process: mean of the normal part, in seconds", Domain: ssm.Positive},
	{Name: "sigma_go", Lower: 0.03, Upper: 0.3, Meaning: "go process: standard deviation of the normal part", Domain: ssm.Positive},
	{Name: "tau_go", Lower: 0.02, Upper: 1, Meaning: "go process: mean of the exponential part", Domain: ssm.Positive},
	{Name: "mu_stop", Lower: 0.05, Upper: 0.8, Meaning: "stop process: mean of the normal part, from the signal on", Domain: ssm.Positive},
	{Name: "sigma_stop", Lower: 0.02, Upper: 0.2, Meaning: "stop process: standard deviation of the normal part", Domain: ssm.Positive},
	{Name: "tau_stop", Lower: 0.01, Upper: 0.3, Meaning: "stop process: mean of the exponential part", Domain: ssm.Positive},
	{Name: "tf", Lower: 0, Upper: 0.5, Meaning: "probability that a signal starts no stop process", Domain: ssm.Share},
	{Name: "gf", Lower: 0, Upper: 0.3, Meaning: "probability that a trial starts no go process", Domain: ssm.Share},
}

// Trials lists the names, in model files, of a trial's columns besides its choice: [Session]'s response times and delays.
var Trials = []string{"rt", "ssd"}

// UsualSignals is the share of trials that usually have a signal.
const UsualSignals = 0.25

// Codes of the choices of a trial: no response, or a response.
const (
	Withheld = 0.0
	Response = 1.0
)

// Design holds the experimenter's choices.
type Design struct {
	Trials  int       // number of trials
	Signals float64   // share of the trials that have a signal; they come in random order
	Delays  []float64 // delays of signals in seconds, drawn at random; none: a staircase
}

// The staircase begins with the delay `first`, in seconds. After each signal, it goes up by step if there was no response, and
// otherwise down, but not below step.
const first, step = 0.25, 0.05

// Session holds the trials in their order.
type Session struct {
	RT     []float64 // seconds after the go stimulus; NaN without a response
	Delay  []float64 // seconds from the go stimulus to the signal; NaN without a signal
	Choice []float64 // Response or Withheld
}

// SessionOf returns the session with the given columns, in the order of [Trials]. NaN marks values that a trial does not have.
func SessionOf(columns [][]float64, choice []float64) Session {
	return Session{RT: columns[0], Delay: columns[1], Choice: choice}
}

// Check returns an error for a parameter outside its domain.
func Check(theta []float64) error {
	for i, p := range Params {
		if x := theta[i]; !p.Domain.Has(x) {
			return fmt.Errorf("%s = %v is not %s", p.Name, x, p.Domain)
		}
	}
	return nil
}

// Simulate simulates a session.
func Simulate(r *rand.Rand, theta []float64, d Design) Session {
	s := Session{RT: make([]float64, d.Trials), Delay: make([]float64, d.Trials), Choice: make([]float64, d.Trials)}
	order := r.Perm(d.Trials)
	signals := int(math.Round(d.Signals * float64(d.Trials)))
	next := first
	for i, k := range order { // trial i has a signal if k is below the number of signals
		delay := math.NaN()
		if k < signals {
			if delay = next; len(d.Delays) > 0 {
				delay = d.Delays[r.IntN(len(d.Delays))]
			}
		}
		s.Delay[i] = delay
		s.RT[i], s.Choice[i] = Trial(r, theta, delay)
		switch {
		case k >= signals:
		case s.Choice[i] == Withheld:
			next += step
		default:
			next = max(step, next-step)
		}
	}
	return s
}

// Trial draws a trial. delay is NaN for a trial without a signal, rt for one without a response.
func Trial(r *rand.Rand, theta []float64, delay float64) (rt, choice float64) {
	toGo, toStop, stopFails, goFails := theta[:3], theta[3:6], theta[6], theta[7]
	goes, stops := math.Inf(1), math.Inf(1)
	if r.Float64() >= goFails {
		goes = finish(r, toGo)
	}
	if !math.IsNaN(delay) && r.Float64() >= stopFails {
		stops = delay + finish(r, toStop)
	}
	if goes < stops {
		return goes, Response
	}
	return math.NaN(), Withheld
}

// finish draws a positive ex-Gaussian time; times holds mu, sigma and tau.
func finish(r *rand.Rand, times []float64) float64 {
	mu, sigma, tau := times[0], times[1], times[2]
	for {
		if x := mu + sigma*r.NormFloat64() + tau*r.ExpFloat64(); x > 0 {
			return x
		}
	}
}
