package ssm

import (
	"math"
	"sort"
)

// run holds everything that one evaluation at one theta needs for one side, and that does not change from trial to trial.
type run struct {
	passage
	t        float64 // non-decision time
	distance float64 // width · near
	square   float64 // width²
	waves    waves
}

func newRun(g *passage, t float64) run {
	return run{
		passage: *g, t: t, distance: g.width * g.near, square: g.width * g.width,
		waves: newWaves(g),
	}
}

// spans divides trials, which are in ascending order of decision time, by the number of terms that they need. A term of the
// small-time series is an image, and one of the large-time series a wave. An element is the index after the last trial that
// needs, in this order, two images, four images, all waves, fewWaves waves, or only the leading wave.
type spans [5]int

// fewWaves is the number of waves that suffice from scaled time fewTime on;
// the leading wave suffices from oneTime on, to the accuracy of switchTime.
const (
	fewWaves = 3
	fewTime  = 0.6
	oneTime  = 3.0
)

// An image whose exponent is below -imageLoss is omitted. Such an image and its derivatives are below exp(-48)·50 relative to the leading
// image.
const imageLoss = 48

// spans returns the ends at this theta.
func (r *run) spans(s *side) spans {
	ends := spans{4: len(s.rt)}
	for i, time := range r.spanTimes() {
		ends[i] = s.until(r.t + time)
	}
	return ends
}

// spanTimes returns the decision times, in seconds, at which all spans except the last end.
func (r *run) spanTimes() [4]float64 {
	twoImages := 2 * (1 + r.near) / (imageLoss - math.Log(r.near))
	return [4]float64{r.square * twoImages, r.square * switchTime, r.square * fewTime, r.square * oneTime}
}

// until returns the number of trials with rt ≤ end.
func (s *side) until(end float64) int {
	return sort.Search(len(s.rt), func(i int) bool { return s.rt[i] > end })
}

// evaluate returns the value summed over the side's trials and, if asked, the
// partial derivatives.
func (r *run) evaluate(s *side, derivatives bool) partials {
	ends := r.spans(s)
	var b block
	small, large := newMoments(), newMoments()
	r.addImages(&b, &small, s.rt[:ends[0]], 2, derivatives)
	r.addImages(&b, &small, s.rt[ends[0]:ends[1]], 4, derivatives)
	r.addWaves(&b, &large, s.rt[ends[1]:ends[2]], largeTerms, derivatives)
	r.addWaves(&b, &large, s.rt[ends[2]:ends[3]], fewWaves, derivatives)
	r.addLeadingWave(&large, ends[4]-ends[3])

	total := r.smallPartials(&small)
	rest := r.largePartials(&large, s.sum[ends[4]]-s.sum[ends[1]]-large.n*r.t)
	n := float64(len(s.rt))
	return partials{
		value: total.value + rest.value,
		time:  total.time + rest.time,
		drift: -n*r.distance - r.drift*(s.sum[len(s.rt)]-n*r.t),
		width: total.width + rest.width,
		near:  total.near + rest.near,
	}
}

// moments are sums over trials from which value and derivatives follow. Below,
// τ is the decision time, i = 1/τ, q = width²/τ, u = 1/q; S and L are the sums
// of the small-time and large-time series, as in passage.
type moments struct {
	n       float64    // number of trials
	product logProduct // q³S², or L
	leading float64    // Σ log L of the trials that need only one wave
	half    float64    // Σ (d+vτ)² i
	inverse float64    // Σ i
	square  float64    // Σ i²
	slope   float64    // Σ q·dlog S/dq, or Σ u·dlog L/du
	rate    float64    // Σ i·q·dlog S/dq, or Σ dlog L/du
	near    float64    // Σ dlog S/dw, or Σ dlog L/dw
}

func newMoments() moments { return moments{product: logProduct{mantissa: 1}} }

// smallPartials returns the sum of passage.smallTime over trials, computed from the moments.
func (r *run) smallPartials(m *moments) partials {
	if m.n == 0 {
		return partials{}
	}
	v, d := r.drift, r.distance
	return partials{
		value: m.product.log()/2 - m.half/2 - m.n*(2*math.Log(r.width)+halfLog2Pi),
		time:  d*d/2*m.square - m.n*v*v/2 - 1.5*m.inverse - m.rate,
		width: (m.n+2*m.slope)/r.width - r.near*(d*m.inverse+m.n*v),
		near:  m.near - r.width*(d*m.inverse+m.n*v),
	}
}

// largePartials returns the sum of passage.largeTime over trials, computed from the moments; tau is Σ τ.
func (r *run) largePartials(m *moments, tau float64) partials {
	if m.n == 0 {
		return partials{}
	}
	v, decay := r.drift, math.Pi*math.Pi/2/r.square
	return partials{
		value: m.n*(math.Log(math.Pi)-2*math.Log(r.width)-v*r.distance) -
			(v*v/2+decay)*tau + m.product.log() + m.leading,
		time:  m.rate/r.square - m.n*(decay+v*v/2),
		width: 2*(decay*tau-m.n-m.slope)/r.width - m.n*v*r.near,
		near:  m.near - m.n*v*r.width,
	}
}
