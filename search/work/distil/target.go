package distil

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/evidence"
	"likc/runtime/model/kernel"
	"likc/search/find/divergence"
	"likc/search/teach/gate"
)

// target is the density that formulas are to be near.
type target struct {
	divergence.Density
	kind    string         // exact, numerical or teacher
	header  *expr.Model    // declarations of formulas
	written *expr.Evidence // the process; nil where it is not written down
}

// What a target is.
const (
	exactTarget     = "exact"
	numericalTarget = "numerical"
	teacherTarget   = "teacher"
)

// targetOf finds the density of a model: the exact one, that of an expression which is a density itself, the numerical one of a process that is
// written down, or that of a teacher which has passed its gate.
func targetOf(m *catalog.Model) (*target, error) {
	t := &target{kind: exactTarget, header: headerOf(m)}
	if len(m.Trials) != 1 {
		return nil, fmt.Errorf("%s has %d trial columns: only models whose one column is the response time can be distilled", m.Name, len(m.Trials))
	}
	var err error
	if t.written, err = m.WrittenProcess(); err != nil {
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
	if t.written != nil {
		own := *t.header
		own.Evidence = t.written
		if d, err := evidence.New(&own); err == nil {
			t.kind, t.Density = numericalTarget, &numerical{Density: d, choices: own.Codes()}
			return t, nil
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
	if err := m.Usable(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s has no density to learn from", m.Name)
}

// density is that of a model with a kernel that is quick for trials with parameters of their own.
func density(m *catalog.Model) divergence.Density {
	k, _ := m.Density()
	d, _ := k.(kernel.Drawn)
	return d
}

// numerical is the density of a process that is written down. It is for one goroutine.
type numerical struct {
	*evidence.Density
	choices []float64

	theta      []float64 // parameters of the last solution, which goes from first to end
	first, end float64
	curve      *evidence.Curve
}

// LogDensity is as [divergence.Density] says. Neighbours with the same parameters share a solution.
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

// How far a process is followed: to firstHorizon seconds after the first time that is asked for, and on by steps of a factor until what is left
// is of no account.
const (
	firstHorizon  = 4
	horizonFactor = 4
	ofNoAccount   = -40 // log of the density of log time over the largest one
)

// solve sets dst to the log density at times, -Inf where it is of no account.
func (n *numerical) solve(dst []float64, theta, rt, choice []float64) {
	if len(n.theta) == 0 || &n.theta[0] != &theta[0] || slices.Min(rt) < n.first {
		n.follow(theta, slices.Min(rt), slices.Max(rt))
	}
	for i, x := range rt {
		dst[i] = math.Inf(-1)
		if x <= n.end {
			dst[i] = n.curve.Log(x, max(0, slices.Index(n.choices, choice[i])), nil)
		}
	}
}

// follow solves the process from the first time that is asked for.
func (n *numerical) follow(theta []float64, first, last float64) {
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
		if n.end == last || left < largest+ofNoAccount {
			return
		}
	}
}

// looks is the number of times at which a density is looked at to see how much of it is left.
const looks = 40

// headerOf is the model without its log density: what a formula in its place declares.
func headerOf(m *catalog.Model) *expr.Model {
	h := *m.Model
	h.LogLik, h.Lets, h.Normalise, h.Integrals, h.Looped, h.Lapse, h.Binding, h.Evidence = nil, nil, false, false, nil, nil, nil, nil
	return &h
}

// written is the density of an expression.
type written struct {
	choices []float64
	tapes   []*expr.Tape // by choice: the log density, then both sides of each condition
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

// LogDensity is as [divergence.Density] says.
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

// tape is that of a choice, or the one of a model without.
func (w *written) tape(choice float64) *expr.Tape {
	for k, c := range w.choices {
		if c == choice {
			return w.tapes[k]
		}
	}
	return w.tapes[0]
}
