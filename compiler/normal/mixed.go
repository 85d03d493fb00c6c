package normal

import (
	"math"

	"likc/compiler/binding"
	"likc/compiler/expr"
)

// mixed is the density of a model mixed with its lapses,
//
//	log((1 - p) exp(f - log Z) + p u),
//
// where u is the uniform density of a lapse, 0 after its end. Before the onset the density is that of a lapse alone, so the model has no
// support. Log Z is its last parameter.
func mixed(m *expr.Model) *expr.Model {
	p, until, rt := m.Lapse.Probability, m.Lapse.Until, expr.Var(m.Trials[0])
	choices := float64(max(1, len(m.Codes())))
	logZ := fresh(m, "logz")
	out := *m
	out.Name, out.Normalise, out.Lapse, out.Binding, out.Support = m.Name+"_mixed", false, nil, nil, nil
	out.Lets, out.Simulator = nil, nil
	out.Params = append(append([]expr.Param{}, m.Params...), expr.Param{Name: logZ, Lower: -700, Upper: 700})
	own := expr.New(expr.Add, expr.New(expr.Sub, m.LogLik, expr.Var(logZ)), expr.Num(math.Log1p(-p)))
	lapse := expr.Num(math.Log(p / (until * choices)))
	inside := expr.New(expr.If, expr.New(expr.LessEqual, rt, expr.Num(until)), expr.New(expr.LogAddExp, own, lapse), own)
	for _, s := range m.Support {
		inside = expr.New(expr.If, expr.New(expr.Less, s.Left, s.Right), inside, lapse)
	}
	out.LogLik = inside
	return &out
}

// imagePoints is how many points of the ranges have their images looked at beside those where a grid of the ranges themselves is.
const imagePoints = 400

// bound are the images of points, and of points spread over the ranges, under the model's binding function, which may leave the ranges.
func bound(m *expr.Model, points [][]float64) (images [][]float64) {
	f := binding.Of(m)
	trace := f.NewTrace()
	for _, theta := range append(points, spread(m, imagePoints)...) {
		image := make([]float64, len(theta))
		f.At(trace, theta, image)
		images = append(images, image)
	}
	return images
}
