// Package calibrate corrects the bias of an expression with the help of a teacher. The expression is normalised and mixed with a few
// lapses. Its estimates from the teacher's trials then converge to the binding function of the true parameters θ [gourieroux1993],
//
//	b(θ) = argmax_θ' E_θ log f(x; θ'),
//
// where the mean E_θ is over the teacher's trials x at θ. So the estimates of the calibrated model f(x; b(θ)) converge to θ itself.
// Run computes b at many points of the parameters' ranges, by quadrature and Newton's method, and fits polynomials to the shifts
// b(θ) - θ. The error of the polynomials is measured in standard deviations of an estimate; it is also the error that they cause in
// an estimate.
//
// The tail of most expressions is too light or too heavy, and then b has several maxima, on either side of the truth. So the log
// density also falls by a tilt η(θ) per second, before it is normalised. The tilt is one more value of b, and is treated like the
// parameters.
//
// Reference: [gourieroux1993] C. Gouriéroux, A. Monfort, E. Renault, Indirect inference, Journal of Applied Econometrics 8, 1993.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
	"likc/runtime/num/statistic"
	"likc/runtime/sys/workers"
)

// Settings determine a calibration.
type Settings struct {
	Points  int        `flag:"points" in:"[200,1000000]" help:"points of the ranges at which b is computed"`
	Degree  int        `flag:"degree" in:"[1,12]" help:"degree of the polynomials"`
	Trials  float64    `flag:"trials" in:"[1,1e+09]" help:"trials a subject has, for which errors are measured"`
	Lapse   expr.Lapse // lapses for a model that has none; with probability 0, the model stays without
	Tilt    bool       `flag:"tilt" help:"tilt the density by an exponential function of time"`
	Pull    float64    `flag:"pull" in:"[1e-08,1]" help:"strength of a pull of b towards the truth, which makes b smooth where trials say little"` // in nats a trial
	Threads int        `flag:"threads" in:"[0,4096]" help:"threads (0: one a processor); results do not depend on it"`

	Progress func(stage string, done, of int) // nil: progress is not reported; it may be called from several goroutines
}

// Default returns the default settings of the command likc calibrate.
func Default() Settings {
	return Settings{Points: 5000, Degree: 7, Trials: 1000, Lapse: expr.Lapse{Probability: 0.02, Until: 60}, Tilt: true, Pull: 1e-3}
}

// stage returns a function that reports the progress of the named stage.
func (s *Settings) stage(name string) func(done, of int) {
	return func(done, of int) {
		if s.Progress != nil {
			s.Progress(name, done, of)
		}
	}
}

// MostFolded is the largest share of the ranges in which the binding function may lack an inverse.
const MostFolded = 0.05

// ErrFolded means that the binding function has no inverse in too large a share of the ranges.
var ErrFolded = errors.New("the binding function has no inverse")

const (
	held        = 10  // one point in `held` is used only to test the polynomials, not to fit them
	probes      = 40  // number of points at which dependence moves each parameter
	independent = 0.1 // a shift that changes by less than this, in standard deviations, counts as unchanged
)

// Run calibrates a model with a teacher of the same parameters. The name of the calibrated model is the model's name with
// _calibrated.
func Run(ctx context.Context, from *expr.Model, teacher *catalog.Model, s Settings) (*expr.Model, *Report, error) {
	m, mixed := prepared(from, s)
	if err := m.Normalisable(); err != nil {
		return nil, nil, fmt.Errorf("calibrate %s: %w", from.Name, err)
	}
	if !slices.Equal(m.ParamNames(), teacher.ParamNames()) {
		return nil, nil, fmt.Errorf("calibrate %s: its parameters are %v, and those of the teacher %v", from.Name, m.ParamNames(), teacher.ParamNames())
	}
	if err := withinLimits(from, teacher); err != nil {
		return nil, nil, err
	}
	solver, err := newSolver(m, teacher, &s, workers.Threads(s.Points, s.Threads))
	if err != nil {
		return nil, nil, err
	}
	points, err := solver.solve(ctx, spreadOver(m, 0, s.Points), s.stage("binding function"))
	if err != nil {
		return nil, nil, err
	}
	report := newReport(m, teacher, points, s)
	report.Mixed = mixed
	if report.Folded > MostFolded {
		return nil, report, fmt.Errorf("calibrate %s: %w in %.2g %% of the ranges, and %.2g %% are allowed", from.Name, ErrFolded, 100*report.Folded, 100*MostFolded)
	}
	depends, err := solver.dependence(ctx, s.Trials)
	if err != nil {
		return nil, nil, err
	}
	l, tested, err := fit(ctx, m, depends, points, &s)
	if err != nil {
		return nil, report, err
	}
	out := finished(m, l.binding(m), mixed)
	report.fitted(out.Binding, l.errors(tested))
	if _, err = normal.Of(out); err != nil { // its integration grid must be accurate for every value of the binding function
		return nil, report, err
	}
	return out, report, nil
}

// fit fits polynomials to the shifts. It returns them and the examples on which to test them.
func fit(ctx context.Context, m *expr.Model, depends []bool, points []*point, s *Settings) (l *learner, tested []example, err error) {
	n := s.Points / held
	learned, tested := examplesOf(points[n:], s.Trials), examplesOf(points[:n], s.Trials)
	if len(learned) < shards || len(tested) == 0 || !slices.Contains(depends, true) {
		return nil, nil, fmt.Errorf("calibrate %s: too few points have a maximum to fit polynomials", m.Name)
	}
	report := s.stage("polynomials")
	report(0, 3)
	inputs, err := inputsFor(ctx, m, depends, learned, tested, s.Threads)
	if err != nil {
		return nil, nil, err
	}
	report(1, 3)
	l = newLearner(inputs, s.Degree, len(learned[0].shift))
	if err := l.learn(ctx, learned, s.Threads); err != nil {
		return nil, nil, err
	}
	l.prune()
	report(2, 3)
	if err := l.learn(ctx, learned, s.Threads); err != nil {
		return nil, nil, err
	}
	l.round()
	report(3, 3)
	return l, tested, nil
}

// withinLimits returns an error if a range of the model exceeds the range in which the teacher's density is right.
func withinLimits(from *expr.Model, teacher *catalog.Model) error {
	for i, p := range from.Params {
		if r, why := teacher.Limits(i); p.Lower < r.Low || p.Upper > r.High {
			return fmt.Errorf("calibrate %s: the range of %s is [%.6g, %.6g], but %s: declare a range within that in the model's file",
				from.Name, p.Name, p.Lower, p.Upper, why)
		}
	}
	return nil
}

// leastLapse is the lapse probability with which the binding function of a model without lapses is computed. With probability 0,
// a single trial before the onset has log density -Inf. Then the mean over the teacher's trials is -Inf for every onset later
// than the teacher's earliest trial, however rare that trial is. With leastLapse, such a trial lowers the sum by about 19 nats at
// most.
const leastLapse = 1e-6

// prepared returns the model whose binding function is computed: the given one, renamed, normalised and mixed with lapses. mixed
// says whether the calibrated model keeps these lapses.
func prepared(from *expr.Model, s Settings) (m *expr.Model, mixed bool) {
	own := *from
	own.Name, own.Normalise, own.Binding = from.Name+"_calibrated", true, nil
	if own.Lapse != nil {
		return &own, true
	}
	lapse := s.Lapse
	lapse.Probability = max(lapse.Probability, leastLapse)
	own.Lapse = &lapse
	return &own, s.Lapse.Probability > 0
}

// finished returns the calibrated model: the prepared one with its binding function. If mixed is false, the lapses that prepared
// added are removed.
func finished(m *expr.Model, b *expr.Binding, mixed bool) *expr.Model {
	out := *m
	if out.Binding = b; !mixed {
		out.Lapse = nil
	}
	return &out
}

// dependence reports, for each parameter, whether the shifts depend on it. It moves each parameter by half of its range, at some
// points, and compares the shifts.
func (s *solver) dependence(ctx context.Context, trials float64) ([]bool, error) {
	n := len(s.model.Params)
	thetas := spreadOver(s.model, 0, probes)
	for j := range n {
		p := s.model.Params[j]
		for i := range probes {
			moved := slices.Clone(thetas[i])
			if moved[j] += (p.Upper - p.Lower) / 2; moved[j] > p.Upper {
				moved[j] -= p.Upper - p.Lower
			}
			thetas = append(thetas, moved)
		}
	}
	points, err := s.solve(ctx, thetas, func(int, int) {})
	if err != nil {
		return nil, err
	}
	depends := make([]bool, n)
	for j := range n {
		var changes []float64
		for i, here := range points[:probes] {
			there := points[probes*(1+j)+i]
			root, ok := here.precision(trials)
			if !ok || !here.found || !there.found {
				continue
			}
			e := example{root: root, shift: shiftOf(here)}
			changes = append(changes, e.distance(shiftOf(there)))
		}
		slices.Sort(changes)
		depends[j] = len(changes) == 0 || changes[len(changes)/2] > independent
	}
	return depends, nil
}

// shiftOf returns the binding function minus the parameters at a point; the shift of the tilt is the tilt.
func shiftOf(p *point) []float64 {
	shift := slices.Clone(p.bound)
	for j, x := range p.theta {
		shift[j] -= x
	}
	return shift
}

// quantile sorts values and returns their q-quantile; NaN if there are none.
func quantile(x []float64, q float64) float64 {
	slices.Sort(x)
	return statistic.Quantile(x, q)
}
