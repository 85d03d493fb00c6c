package ssm

import "math"

// switchTime is the scaled time u = τ/(2a)² below which the small-time series is used and above which the large-time
// series is used. At this u the terms that either series omits are below 1e-17 of the sum, and so are their
// derivatives: the small-time series omits exp(-9/u) and smaller terms, the large-time series (largeTerms+1)²
// exp(-((largeTerms+1)²-1)π²u/2) and beyond.
const (
	switchTime = 0.15
	largeTerms = 7
)

// halfLog2Pi is log(2π)/2.
const halfLog2Pi = 0.91893853320467274178

// passage is a first passage through the LOWER boundary of (0, width), from
// distance width·near, by a Brownian motion of unit noise whose drift points
// up when positive. Passages through the upper boundary are reflected into
// this form (ς in the paper's appendix on the DDM).
type passage struct {
	drift float64 // v, or -v when the upper boundary is crossed
	width float64 // 2a, the full separation
	near  float64 // relative distance to the crossed boundary, in (0, 1)
	far   float64 // 1 - near, relative distance to the other boundary
}

// partials is a log density and its derivatives with respect to drift, width, near and decision time.
type partials struct {
	value, time, drift, width, near float64
}

// passageAt reflects theta = (v, a, z, t) so that the boundary of choice is
// the lower one.
func passageAt(choice float64, theta []float64) passage {
	v, a, z := theta[0], theta[1], theta[2]
	if choice > 0 {
		return passage{drift: -v, width: 2 * a, near: 1 - z, far: z}
	}
	return passage{drift: v, width: 2 * a, near: z, far: 1 - z}
}

// addGrad adds the derivatives p to grad, in the order v, a, z, t, from those of the reflected parameters of passageAt.
func (p *partials) addGrad(choice float64, grad []float64) {
	sign := 1.0
	if choice > 0 {
		sign = -1
	}
	grad[0] += sign * p.drift
	grad[1] += 2 * p.width
	grad[2] += sign * p.near
	grad[3] -= p.time
}

// logDensity returns the log density of decision time tau > 0 and its
// derivatives, accurate for every representable argument.
func (g *passage) logDensity(tau float64) partials {
	if tau/g.width/g.width < switchTime {
		return g.smallTime(tau)
	}
	return g.largeTime(tau)
}

// smallTime returns [navarro2009], eq. 5, with the leading image factored out and its exponent completed to a square,
// so that it neither underflows nor cancels: with d the distance to the boundary,
//
//	log f = log(width) - 3/2 log τ - log(2π)/2 - (d+vτ)²/2τ + log S,
//
// S = near + smaller terms; see images.
func (g *passage) smallTime(tau float64) partials {
	distance := g.width * g.near
	q := g.width / tau * g.width
	sum, sumQ, sumNear := g.images(q)
	root := (distance + g.drift*tau) / math.Sqrt(tau)
	slopeQ := 0.0 // q · dlog S/dq; q may be +Inf where S is constant
	if sumQ != 0 {
		slopeQ = q * (sumQ / sum)
	}
	rate := distance / tau
	return partials{
		value: math.Log(g.width) - 1.5*math.Log(tau) - halfLog2Pi - root*root/2 + math.Log(sum),
		time:  ((rate-g.drift)*(distance+g.drift*tau)/2 - 1.5 - slopeQ) / tau,
		drift: -(distance + g.drift*tau),
		width: (1+2*slopeQ)/g.width - (rate+g.drift)*g.near,
		near:  sumNear/sum - (rate+g.drift)*g.width,
	}
}

// images returns S = Σ_k (w+2k) exp(-((w+2k)²-w²)q/2) with w = near, and its
// derivatives in q and w. Images are paired around the nearer boundary, where
// S vanishes linearly, so that no digit is lost there.
func (g *passage) images(q float64) (sum, sumQ, sumNear float64) {
	if g.near <= 0.5 {
		return imagesNear(q, g.near)
	}
	return imagesFar(q, g.far)
}

// imagesNear pairs the images k and -k:
//
//	S = w + Σ_{k≥1} exp(-2k(k-w)q) (2w - (w+2k)m),  m = 1 - exp(-4kwq).
func imagesNear(q, w float64) (sum, sumQ, sumNear float64) {
	sum, sumNear = w, 1
	for k := 1.0; k <= 2; k++ {
		rate := 2 * k * (k - w)
		e := math.Exp(-rate * q)
		if e == 0 {
			break
		}
		m := -math.Expm1(-4 * k * w * q)
		pair := 2*w - (w+2*k)*m
		bend := (w + 2*k) * 4 * k * (1 - m)
		sum += e * pair
		sumQ -= e * (rate*pair + bend*w)
		sumNear += e * (2*k*q*pair + 2 - m - bend*q)
	}
	return sum, sumQ, sumNear
}

// imagesFar pairs the images at j-δ and j+δ for odd j, with δ = 1-w:
//
//	S = Σ_{j=1,3} exp(-(j-1)(j+1-2δ)q/2) ((j+δ)m - 2δ),  m = 1 - exp(-2jδq).
func imagesFar(q, delta float64) (sum, sumQ, sumNear float64) {
	for j := 1.0; j <= 3; j += 2 {
		rate := (j - 1) * (j + 1 - 2*delta) / 2
		e := 1.0
		if j > 1 {
			e = math.Exp(-rate * q)
		}
		if e == 0 {
			break
		}
		m := -math.Expm1(-2 * j * delta * q)
		bend := 0.0
		if m < 1 {
			bend = (j + delta) * 2 * j * (1 - m)
		}
		pair := (j+delta)*m - 2*delta
		sum += e * pair
		sumQ += e * (bend*delta - rate*pair)
		slope := m - 2
		if bend != 0 {
			slope += bend * q
		}
		if j > 1 {
			slope += (j - 1) * q * pair
		}
		sumNear -= e * slope
	}
	return sum, sumQ, sumNear
}

// largeTime returns [navarro2009], eq. 6, with the leading exponential factored out:
//
//	log f = log π - 2 log(width) - v d - v²τ/2 - π²u/2 + log L,
//	L = Σ_k k r^(k²-1) sin(kπ·near),  r = exp(-π²u/2),  u = τ/width².
func (g *passage) largeTime(tau float64) partials {
	distance := g.width * g.near
	u := tau / g.width / g.width
	waves := newWaves(g)
	sum, sumU, sumNear := waves.sum(math.Exp(-math.Pi * math.Pi / 2 * u))
	slope := sumU/sum - math.Pi*math.Pi/2
	return partials{
		value: math.Log(math.Pi) - 2*math.Log(g.width) - g.drift*distance -
			g.drift*g.drift*tau/2 - math.Pi*math.Pi/2*u + math.Log(sum),
		time:  slope/g.width/g.width - g.drift*g.drift/2,
		drift: -distance - g.drift*tau,
		width: (-2-2*u*slope)/g.width - g.drift*g.near,
		near:  sumNear/sum - g.drift*g.width,
	}
}
