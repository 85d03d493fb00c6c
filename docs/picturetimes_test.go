package docs

import (
	"math"
	"slices"

	"likc/runtime/fit/figure"
	"likc/runtime/model/ssm"
)

// oneResponse draws the density of a response, and of what its time is made of.
func (p *picture) oneResponse(m *ssm.Model, theta, rt []float64) {
	of := func(name string) float64 { return theta[m.Index(name)] }
	density := kernel(rt, 1, m.Earliest(theta))
	if m.Index("b") >= 0 {
		p.firstPassage(m, theta, density)
		return
	}
	var parts []func(x float64) float64
	switch m.Name {
	case "exgaussian":
		parts = append(parts, func(x float64) float64 { return 0.4 * p.highest(density) * bell((x-of("mu"))/of("sigma")) / bell(0) })
	case "lognormal_mixture":
		for k, weight := range []float64{1 - of("p"), of("p")} {
			parts = append(parts, func(x float64) float64 {
				x = max(1e-6, x-of("t"))
				return weight * bell((math.Log(x)-of("m")-float64(k)*of("d"))/of("s")) / (of("s") * x)
			})
		}
		density = func(x float64) float64 { return parts[0](x) + parts[1](x) }
	}
	height := 0.95 / p.highest(density)
	p.begin(m.Name, "density", 0, 1)
	p.hill(density, 0, height, hues[0])
	for _, part := range parts {
		p.curve(0, p.last, func(x float64) float64 { return height * part(x) }, dashed)
	}
	if m.Name == "exgaussian" {
		p.Text(0.01*p.last, 0.3, ink, "normal part")
	}
	if m.Onset != "" {
		p.Line([]float64{of("t"), of("t")}, []float64{0, 1}, dashed)
		p.Text(of("t")+0.01*p.last, 0.93, ink, "t")
	}
}

// bell is the density of a standard normal.
func bell(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// firstPassage draws a path to one boundary, what comes after it, and the density above the boundary.
func (p *picture) firstPassage(m *ssm.Model, theta []float64, density func(t float64) float64) {
	v, b, onset := theta[m.Index("v")], theta[m.Index("b")], m.Earliest(theta)
	p.begin(m.Name, "evidence", -0.3*b, 2*b)
	p.hill(density, b, 0.9*b/p.highest(density), hues[0])
	d := ssm.Diffusion{Onset: onset, Bound: func(float64) float64 { return b }, Drift: func(_, _ float64) float64 { return v }}
	for range 10_000 {
		x, y, _ := p.walk(d, brownian)
		if at := x[len(x)-1]; y[len(y)-1] >= b && slices.Min(y) > -0.3*b && at > 0.35*p.last && at < 0.7*p.last {
			y[len(y)-1] = b
			p.Line(x, y, figure.Stroke{Colour: hues[0], Width: 0.9})
			if k := m.Index("tau"); k >= 0 {
				p.Line([]float64{at, at + theta[k]}, []float64{1.04 * b, 1.04 * b}, figure.Stroke{Colour: hues[1], Width: 1.6})
				p.Text(at+theta[k]+0.01*p.last, 1.1*b, ink, "tau")
			}
			break
		}
	}
	p.curve(0, p.last, func(float64) float64 { return b }, bound)
	p.mean(d)
	p.Text(0.01*p.last, 0.88*b, ink, "b")
}

// stopSignal is the picture of the stop-signal race: the go process's finishing times, a dashed line, those of them that come before the stop
// process's, which are responses, and those of the stop process, which begins at the signal.
func stopSignal() *picture {
	const delay = 0.25 // delay of the stop signal, in seconds
	p := &picture{last: 1.1}
	exgaussian := func(x, mu, sigma, tau float64) float64 {
		q, k := (x-mu)/sigma, sigma/tau
		return math.Exp(k*k/2-k*q) * math.Erfc(-(q-k)/math.Sqrt2) / (2 * tau)
	}
	start := func(x float64) float64 { return exgaussian(x, 0.4, 0.06, 0.15) }
	stop := func(x float64) float64 { return exgaussian(x-delay, 0.18, 0.04, 0.05) }
	notYet := func(x float64) float64 { // the probability that the stop process finishes after x
		const steps = 400
		sum := 0.0
		for i := range steps {
			sum += stop(x * (float64(i) + 0.5) / steps)
		}
		return 1 - sum*x/steps
	}
	height := 0.95 / p.highest(stop)
	p.begin("stop_signal", "density", 0, 1)
	p.hill(stop, 0, height, hues[1])
	p.hill(func(x float64) float64 { return start(x) * notYet(x) }, 0, height, hues[0])
	p.curve(0, p.last, func(x float64) float64 { return height * start(x) }, dashed)
	p.Line([]float64{delay, delay}, []float64{0, 1}, dashed)
	p.Text(delay-0.09, 0.93, ink, "ssd")
	p.Text(0.5, 0.8, ink, "stop process")
	p.Text(0.6, 0.4, ink, "go process")
	return p
}
