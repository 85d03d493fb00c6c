package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"

	"gonum.org/v1/gonum/mat"
)

// Report describes how good a calibration is.
type Report struct {
	Model, Teacher string
	Points         int
	Trials         float64 // number of trials of a subject
	Mixed          bool    // whether the calibrated model has lapses
	Divergence     float64 // median Kullback-Leibler divergence of the model at the binding function from the teacher, in nats per trial

	TwoMaxima          float64 // share of the ranges where two maxima were found
	NoMaximum          float64 // share of the ranges where no maximum was found
	Folded             float64 // share of the ranges where the binding function has no inverse or no maximum was found
	Pulled, MostPulled float64 // how far the pull moves estimates, in standard deviations of a posterior: median and 95 % quantile over the points

	FoldedBy []float64 // for each parameter, the share of points at which the binding function has no inverse mainly along that parameter

	Params []Limits

	Inputs, Coefficients int     // numbers of inputs and coefficients of the polynomials
	Error, WorstFit      float64 // errors of the polynomials in standard deviations of an estimate: median, and 95 % quantile
}

// Limits are the errors of one parameter that would remain with an exact binding function.
type Limits struct {
	Name              string
	Ratio, RatioMost  float64 // standard deviation of an estimate divided by that of the teacher's estimate: median, and 90 % quantile over the points
	Width, Low, Great float64 // standard deviation of the posterior divided by that of an estimate: median, 5 % and 95 % quantile
}

func newReport(m *expr.Model, teacher *catalog.Model, points []*point, s Settings) *Report {
	r := &Report{Model: m.Name, Teacher: teacher.Name, Points: len(points), Trials: s.Trials, FoldedBy: make([]float64, len(m.Params))}
	n := len(m.Params)
	var divergences, biases []float64
	ratios, widths := make([][]float64, n), make([][]float64, n)
	for _, p := range points {
		divergences = append(divergences, p.divergence)
		if p.second {
			r.TwoMaxima += 1 / float64(len(points))
		}
		if !p.found {
			r.NoMaximum += 1 / float64(len(points))
		}
		if param, folded := foldedAt(m, p); folded {
			r.Folded += 1 / float64(len(points))
			if param >= 0 {
				r.FoldedBy[param] += 1 / float64(len(points))
			}
			continue
		}
		p.limits(ratios, widths)
		if b := p.bias(s.Trials); b == b {
			biases = append(biases, b)
		}
	}
	r.Pulled, r.MostPulled = quantile(biases, 0.5), quantile(biases, 0.95)
	r.Divergence = quantile(divergences, 0.5)
	for j := range n {
		r.Params = append(r.Params, Limits{Name: m.Params[j].Name, Ratio: quantile(ratios[j], 0.5), RatioMost: quantile(ratios[j], 0.9),
			Width: quantile(widths[j], 0.5), Low: quantile(widths[j], 0.05), Great: quantile(widths[j], 0.95)})
	}
	return r
}

// foldedAt reports whether the binding function has no inverse near a point. Then it also returns the parameter that changes most
// along the direction without an inverse, or -1 if there is no maximum.
func foldedAt(m *expr.Model, p *point) (param int, folded bool) {
	if !p.found {
		return -1, true
	}
	n := len(p.theta)
	if len(p.bound) > n || mat.Det(p.slopes) > 0 { // with a tilt the function maps into one more dimension, where this test does not apply
		return 0, false
	}
	scaled := mat.NewDense(n, n, nil)
	scaled.Apply(func(i, j int, x float64) float64 {
		return x * (m.Params[j].Upper - m.Params[j].Lower) / (m.Params[i].Upper - m.Params[i].Lower)
	}, p.slopes)
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDThin) {
		return -1, true
	}
	var v mat.Dense
	svd.VTo(&v)
	for j := range n {
		if math.Abs(v.At(j, n-1)) > math.Abs(v.At(param, n-1)) {
			param = j
		}
	}
	return param, true
}

// limits appends two ratios for each parameter: the standard deviation of the calibrated model's estimate divided by that of the
// teacher's estimate, and that of the posterior divided by that of the model's estimate. Let the binding function have slopes S,
// curvature H and variance of the gradient J. The variance of an estimate from n trials is A⁻¹ B A⁻¹/n with A = SᵀHS and B =
// SᵀJS, and that of a posterior is A⁻¹/n.
func (p *point) limits(ratios, widths [][]float64) {
	pulled := func(inner *mat.Dense) *mat.Dense {
		var half, out mat.Dense
		half.Mul(p.slopes.T(), inner)
		out.Mul(&half, p.slopes)
		return &out
	}
	var posterior, teacher, half, estimate mat.Dense
	if posterior.Inverse(pulled(p.curvature)) != nil || teacher.Inverse(p.information) != nil {
		return
	}
	half.Mul(&posterior, pulled(p.spread))
	estimate.Mul(&half, &posterior)
	for j := range p.theta {
		own := estimate.At(j, j)
		if x := math.Sqrt(own / teacher.At(j, j)); !math.IsNaN(x) {
			ratios[j] = append(ratios[j], x)
		}
		if x := math.Sqrt(posterior.At(j, j) / own); !math.IsNaN(x) {
			widths[j] = append(widths[j], x)
		}
	}
}

// fitted records the size and the error of the polynomials.
func (r *Report) fitted(b *expr.Binding, errors []float64) {
	r.Inputs, r.Coefficients = len(b.Inputs), b.Coefficients()
	r.Error, r.WorstFit = quantile(errors, 0.5), quantile(errors, 0.95)
}

// Write writes the report as lines that begin with prefix.
func (r *Report) Write(w io.Writer, prefix string) error {
	lines := []string{
		fmt.Sprintf("binding function of %s under the teacher %s, at %d points of the ranges", r.Model, r.Teacher, r.Points),
		fmt.Sprintf("divergence from the teacher there: median %.2g nats a trial", r.Divergence),
		fmt.Sprintf("no inverse in %.2g %% of the ranges%s", 100*r.Folded, r.directions()),
		fmt.Sprintf("two maxima in %.2g %% of the ranges; where they change places, posteriors of the calibrated model can have two modes", 100*r.TwoMaxima),
		fmt.Sprintf("the pull towards the truth moves estimates by %.2f standard deviations (95 %% of the ranges: less than %.2f)", r.Pulled, r.MostPulled),
		fmt.Sprintf("standard deviations for %.6g trials, were the binding function exact (medians):", r.Trials),
	}
	if !r.Mixed {
		lines = slices.Insert(lines, 1, fmt.Sprintf("no lapses; the binding function is that of the model with lapses of probability %.0e", leastLapse))
	}
	for _, p := range r.Params {
		lines = append(lines, fmt.Sprintf("  %s: an estimate's %.2f times the teacher's (90 %% of the ranges: %.2f); a posterior's %.2f times an estimate's (%.2f to %.2f)",
			p.Name, p.Ratio, p.RatioMost, p.Width, p.Low, p.Great))
	}
	if r.Coefficients > 0 {
		lines = append(lines, fmt.Sprintf("polynomials of %d inputs with %d coefficients; their error in standard deviations of an estimate: median %.2f, 95 %% below %.2f",
			r.Inputs, r.Coefficients, r.Error, r.WorstFit))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, prefix+line); err != nil {
			return err
		}
	}
	return nil
}

// directions returns text that lists the parameters along which the binding function has no inverse.
func (r *Report) directions() string {
	var words []string
	if r.NoMaximum > 0 {
		words = append(words, fmt.Sprintf("%.2g %% have no maximum", 100*r.NoMaximum))
	}
	for j, share := range r.FoldedBy {
		if share > 0 {
			words = append(words, fmt.Sprintf("%.2g %% mostly along %s", 100*share, r.Params[j].Name))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}
