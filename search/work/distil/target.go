package distil

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/evidence"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/search/find/divergence"
	"likc/search/teach/gate"
)

// target is the density that formulas approximate.
type target struct {
	divergence.Density
	kind    string         // one of the constants below
	slow    *catalog.Model // the process with its numerical density; nil if kind is not numericalTarget
	header  *expr.Model    // the declarations that every formula has
	written *expr.Evidence // the process; nil if the model does not define it
	sd      *expr.Expr     // standard deviation of the process's drift between trials; nil for a drift that does not vary
}

// These are the kinds of targets: the density from which they take their values.
const (
	exactTarget     = "exact"
	numericalTarget = "numerical"
	teacherTarget   = "teacher"
	trialsTarget    = "trials"
)

// targetOf returns the target for a model. It is the first of these that the model has: the exact density, which may be a normalised
// expression; the numerical density of a process that the model defines; the density of a teacher that has passed its gate; trials alone.
func targetOf(m *catalog.Model) (*target, error) {
	t := &target{kind: exactTarget, header: headerOf(m)}
	if len(m.Trials) != 1 {
		return nil, fmt.Errorf("%s has %d trial columns: only models whose one column is the response time can be distilled", m.Name, len(m.Trials))
	}
	var err error
	if t.written, t.sd, err = m.WrittenProcess(); err != nil {
		return nil, err
	}
	if e, ok := m.Expression(); ok {
		if m.Origin.Kind != catalog.Closed {
			return nil, fmt.Errorf("%s is a formula already: name the process that it stands for", m.Name)
		}
		t.Density = newWritten(e)
		return t, nil
	}
	if d := density(m); m.Origin.Kind == catalog.Exact && d != nil {
		t.Density = d
		return t, nil
	}
	if t.written != nil && t.sd == nil {
		own := *t.header
		own.Evidence = t.written
		if d, err := evidence.New(&own); err == nil {
			t.kind, t.Density = numericalTarget, &numerical{Density: d, choices: own.Codes()}
			t.slow, err = parsed(&own)
			return t, err
		}
	}
	if teacher, ok := m.Teacher(); ok {
		if _, err := gate.Admitted(m.Name, teacher); err != nil {
			return nil, err
		}
		t.kind = teacherTarget
		t.Density = density(m)
		return t, nil
	}
	if simulator, ok := m.Simulator(); ok {
		how, _, err := simulator.Process.Scheme("")
		if err != nil {
			return nil, err
		}
		t.kind, t.Density = trialsTarget, &simulated{simulator: simulator, how: how}
		return t, nil
	}
	if err := m.Usable(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s has no density to learn from", m.Name)
}

// parsed returns a model as if it were read from its text.
func parsed(m *expr.Model) (*catalog.Model, error) {
	var text strings.Builder
	if err := catalog.WriteModel(&text, m); err != nil {
		return nil, err
	}
	return catalog.Parse(text.String())
}

// simulated is a process that can only draw trials: it has no known density.
type simulated struct {
	divergence.Density // nil
	simulator          *catalog.Simulator
	how                ssm.Scheme
}

// Draw is as [dictionary.Process] says.
func (s *simulated) Draw(ctx context.Context, random *rand.Rand, theta, rt, choice []float64) error {
	return s.simulator.From(ctx).Simulate(random, theta, s.how, rt, choice)
}

// density returns the density of a model whose kernel is fast even if each trial has its own parameters.
func density(m *catalog.Model) divergence.Density {
	k, _ := m.Density()
	d, _ := k.(kernel.PerTrial)
	return d
}

// numerical is the numerical density of a process that a model defines. It is for one goroutine.
type numerical struct {
	*evidence.Density
	choices []float64

	theta      []float64       // parameters of the last solution
	first, end float64         // that solution covers the times from first to end, in seconds
	curve      *evidence.Curve // that solution
}

// LogDensity implements [divergence.Density]. Neighbouring trials with the same parameters share a solution.
func (n *numerical) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for from := 0; from < len(dst); {
		to := from + 1
		for to < len(dst) && &theta[to][0] == &theta[from][0] {
			to++
		}
		n.solve(dst[from:to], theta[from], rt[from:to], choice[from:to])
		from = to
	}
}

// A process is solved up to firstHorizon seconds after the first wanted time. Then the horizon is multiplied by a factor until the
// remaining mass is negligible.
const (
	firstHorizon  = 4 // seconds
	horizonFactor = 4
	negligible    = -40 // log of a negligible density of log time, divided by the largest one
)

// solve sets dst to the log density at some times, -Inf where it is negligible.
func (n *numerical) solve(dst []float64, theta, rt, choice []float64) {
	if len(n.theta) == 0 || &n.theta[0] != &theta[0] || slices.Min(rt) < n.first {
		n.solveFrom(theta, slices.Min(rt), slices.Max(rt))
	}
	for i, x := range rt {
		dst[i] = math.Inf(-1)
		if x <= n.end {
			dst[i] = n.curve.Log(x, max(0, slices.Index(n.choices, choice[i])), nil)
		}
	}
}

// solveFrom solves the process from the first wanted time on, at most until the last one.
func (n *numerical) solveFrom(theta []float64, first, last float64) {
	n.theta, n.first = theta, first
	largest := math.Inf(-1)
	for horizon := float64(firstHorizon); ; horizon *= horizonFactor {
		n.end = min(first+horizon, last)
		n.curve = n.At(theta, nil, n.end)
		left := math.Inf(-1)
		for i := range looks {
			after := math.Exp(math.Log(1e-4) + math.Log(1e4*(n.end-first))*float64(i)/(looks-1))
			left = math.Inf(-1)
			for k := range max(1, len(n.choices)) {
				left = max(left, n.curve.Log(first+after, k, nil)+math.Log(after))
			}
			largest = max(largest, left)
		}
		if n.end == last || left < largest+negligible {
			return
		}
	}
}

// looks is the number of times at which the density is evaluated to see how much of it remains.
const looks = 40

// headerOf returns the model without its log density: the declarations of a formula that replaces it.
func headerOf(m *catalog.Model) *expr.Model {
	h := *m.Model
	h.LogLik, h.Lets, h.Normalise, h.Integrals, h.Looped, h.Lapse, h.Binding, h.Evidence = nil, nil, false, false, nil, nil, nil, nil
	return &h
}

// written computes the density of a normalised expression.
type written struct {
	choices []float64
	tapes   []*expr.Tape // for each choice: computes the log density, then both sides of each condition
}

func newWritten(m *expr.Model) *written {
	w := &written{}
	symbols := append(m.ParamNames(), m.Trials...)
	for _, g := range m.Groups() {
		roots := []*expr.Expr{g.LogLik}
		for _, c := range g.Support {
			roots = append(roots, c.Left, c.Right)
		}
		w.choices, w.tapes = append(w.choices, g.Choice), append(w.tapes, expr.NewTape(symbols, roots...))
	}
	return w
}

// LogDensity implements [divergence.Density].
func (w *written) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	var values, out []float64
	for i := range dst {
		values = append(append(values[:0], theta[i]...), rt[i])
		out, _ = w.tape(choice[i]).Eval(out[:0], values)
		dst[i] = out[0]
		for c := 1; c < len(out); c += 2 {
			if !(out[c] < out[c+1]) {
				dst[i] = math.Inf(-1)
			}
		}
	}
}

// tape returns the tape of a choice, or the only tape of a model without choice.
func (w *written) tape(choice float64) *expr.Tape {
	for k, c := range w.choices {
		if c == choice {
			return w.tapes[k]
		}
	}
	return w.tapes[0]
}
