package ssm

import (
	"math"

	"likc/runtime/num/vec"
)

// blockSize is the number of trials whose columns are filled at a time: a few
// columns of this length stay in the first-level cache.
const blockSize = 256

// column holds one intermediate quantity, a value for each trial of a block.
type column [blockSize]float64

// block holds intermediate quantities of up to blockSize trials. See run.go for the notation.
type block struct {
	inverse column // 1/τ, where τ is the decision time; in the large-time loops the scaled time u = τ/width²
	g, h    column // the exponentials by which the terms of the small-time series differ; in the large-time loops g is exp(-π²u/2)
	sum     column // the sum S of the small-time series
}

// addImages adds the trials' moments by the small-time series, with 2 or 4 of its terms, which are called images. Moments are the sums
// over trials from which the log-likelihood and its gradient follow.
func (r *run) addImages(b *block, m *moments, rt []float64, images int, derivatives bool) {
	for len(rt) > 0 {
		n := min(len(rt), blockSize)
		r.fillInverse(b, m, rt[:n])
		r.fillExponentials(b, n, images)
		r.sumImages(b, m, n)
		if derivatives {
			r.slopeImages(b, m, n)
		}
		rt = rt[n:]
	}
}

// fillInverse computes 1/τ and adds the square that completes the exponent.
func (r *run) fillInverse(b *block, m *moments, rt []float64) {
	half := 0.0
	for i, x := range rt {
		tau := x - r.t
		inverse := 1 / tau
		root := r.distance + r.drift*tau
		half += root * root * inverse
		b.inverse[i] = inverse
	}
	m.half += half
	m.n += float64(len(rt))
}

// fillExponentials fills g = exp(-2(1-w)q) and h = exp(-2(1+w)q), in powers of
// which the images at w-2, w+2, w-4 are g, h and g³h times the leading one.
// h is computed only for 4 images.
func (r *run) fillExponentials(b *block, n, images int) {
	near, far := -2*(1+r.near)*r.square, -2*r.far*r.square
	for i, inverse := range b.inverse[:n] {
		b.g[i] = far * inverse
	}
	vec.Exp(b.g[:n], b.g[:n])
	if images == 2 {
		clear(b.h[:n])
		return
	}
	for i, inverse := range b.inverse[:n] {
		b.h[i] = near * inverse
	}
	vec.Exp(b.h[:n], b.h[:n])
}

// sumImages computes the sum S of the small-time series for each trial, and multiplies q³S² into the product, with q = width²/τ.
func (r *run) sumImages(b *block, m *moments, n int) {
	w := r.near
	c0, c1, c2 := 2-w, 2+w, 4-w
	inverse, g, h, sum := b.inverse[:n], b.g[:n], b.h[:n], b.sum[:n]
	m.product.reserve(n)
	product := m.product
	for i, e := range g {
		f := h[i]
		s := w - c0*e + f*(c1-c2*e*e*e)
		q := r.square * inverse[i]
		product.times(q * (q * s) * (q * s))
		sum[i] = s
	}
	m.product = product
}

// slopeImages adds the moments that the derivatives need.
func (r *run) slopeImages(b *block, m *moments, n int) {
	w := r.near
	c0, c1, c2 := 2-w, 2+w, 4-w
	k0, k1, k2 := 2*c0*r.far, -2*c1*(1+w), 4*c2*c0
	inverse, g, h, sum := b.inverse[:n], b.g[:n], b.h[:n], b.sum[:n]
	var first, second, slope, rate, near float64
	for i, e := range g {
		f := h[i]
		x := inverse[i]
		q := r.square * x
		third := e * e * e * f
		over := 1 / sum[i]
		bend := q * over * (k0*e + k1*f + k2*third)
		first += x
		second += x * x
		slope += bend
		rate += bend * x
		near += over * (1 + e + f + third - 2*q*(c0*e+c1*f+2*c2*third))
	}
	m.inverse += first
	m.square += second
	m.slope += slope
	m.rate += rate
	m.near += near
}

// addWaves adds the trials' moments by the large-time series, with the given number of its terms, which are called waves.
func (r *run) addWaves(b *block, m *moments, rt []float64, terms int, derivatives bool) {
	decay := -math.Pi * math.Pi / 2
	for len(rt) > 0 {
		n := min(len(rt), blockSize)
		u, e := b.inverse[:n], b.g[:n]
		over := 1 / r.square
		for i, x := range rt[:n] {
			u[i] = (x - r.t) * over
			e[i] = u[i] * decay
		}
		vec.Exp(e, e)
		m.n += float64(n)
		if derivatives {
			r.slopeWaves(m, u, e, terms)
		} else {
			r.sumWaves(m, e, terms)
		}
		rt = rt[n:]
	}
}

// sumWaves multiplies the sum L of the large-time series of each trial into the product. e holds exp(-π²u/2) for each trial.
func (r *run) sumWaves(m *moments, e []float64, terms int) {
	value := r.waves.value[:terms]
	m.product.reserve(len(e))
	product := m.product
	for _, x := range e {
		square := x * x
		odd, power := x, 1.0
		sum := 0.0
		for _, c := range value {
			sum += c * power
			odd *= square
			power *= odd
		}
		product.times(sum)
	}
	m.product = product
}

// slopeWaves does the same as sumWaves, and adds the moments that the derivatives need.
func (r *run) slopeWaves(m *moments, u, e []float64, terms int) {
	value, time, near := r.waves.value[:terms], r.waves.time[:terms], r.waves.near[:terms]
	m.product.reserve(len(e))
	product := m.product
	var slopes, rates, nears float64
	for i, x := range e {
		square := x * x
		odd, power := x, 1.0
		var sum, sumU, sumW float64
		for k, c := range value {
			sum += c * power
			sumU += time[k] * power
			sumW += near[k] * power
			odd *= square
			power *= odd
		}
		product.times(sum)
		over := 1 / sum
		rate := sumU * over
		rates += rate
		slopes += rate * u[i]
		nears += sumW * over
	}
	m.product = product
	m.rate += rates
	m.slope += slopes
	m.near += nears
}

// addLeadingWave adds the moments of n trials for which the first term of the large-time series is enough.
func (r *run) addLeadingWave(m *moments, n int) {
	m.n += float64(n)
	m.leading += float64(n) * math.Log(r.waves.value[0])
	m.near += float64(n) * r.waves.near[0] / r.waves.value[0]
}
