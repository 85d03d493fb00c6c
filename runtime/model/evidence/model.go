package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
)

// Process returns the process that a model declares as an [ssm.Model], so that it is simulated like likc's built-in processes.
// It fails for a model whose process depends on trial columns, because trials of an ssm.Model have only a response time and a
// choice.
func Process(m *expr.Model) (*ssm.Model, error) {
	e := m.Evidence
	names := expr.Symbols(e.Roots()...)
	for _, name := range m.Trials {
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("model %s: the process depends on the trial column %s", m.Name, name)
		}
	}
	s, err := NewSimulator(m)
	if err != nil {
		return nil, err
	}
	p := &ssm.Model{Name: m.Name, Process: Words(m), Notes: "The process is written down in the model's text.", Choices: m.Codes(),
		Each: each(m),
		Steps: func(theta []float64, scheme ssm.Scheme) (ssm.Sampler, error) {
			return s.Sampler(theta, scheme.Step, scheme.MaxTime)
		}}
	if p.Choices == nil {
		p.Choices = []float64{1}
	}
	if on := e.Onset; on.Kind == expr.PointLaw && on.A.Op == expr.Sym && m.IsParam(on.A.Name) {
		p.Onset = on.A.Name
	}
	mirrors, ok := mirror(m)
	p.Lopsided = !ok
	for j, q := range m.Params {
		p.Params = append(p.Params, ssm.Param{Name: q.Name, Lower: q.Lower, Upper: q.Upper, Mirror: mirrors[j]})
		p.Example = append(p.Example, (q.Lower+q.Upper)/2)
	}
	return p, nil
}

// Words returns the process as a line of text.
func Words(m *expr.Model) string {
	e := m.Evidence
	a := e.Accumulators[0]
	var b strings.Builder
	if len(e.Accumulators) > 1 {
		fmt.Fprintf(&b, "race of %d; the first: ", len(e.Accumulators))
	}
	fmt.Fprintf(&b, "d%s = (%s) dτ", a.Evidence, a.Drift)
	if a.Noise.IsNum(1) {
		b.WriteString(" + dW")
	} else {
		fmt.Fprintf(&b, " + (%s) dW", a.Noise)
	}
	fmt.Fprintf(&b, " from %s to %s", lawText(a.Start), a.Upper)
	if a.Lower != nil {
		fmt.Fprintf(&b, " or %s", a.Lower)
	}
	if a.Reflect != nil {
		fmt.Fprintf(&b, ", reflected at %s", a.Reflect)
	}
	return b.String()
}

// lawText returns the distribution of a start or an onset in words.
func lawText(l expr.Law) string {
	var values []string
	for _, v := range l.Values() {
		values = append(values, v.String())
	}
	if l.Kind == expr.PointLaw {
		return values[0]
	}
	return string(l.Kind) + "(" + strings.Join(values, ", ") + ")"
}

// each returns the parameters that each accumulator of a race has for itself, without their numbers. It returns nil if
// accumulators differ in more than the values of these parameters.
func each(m *expr.Model) []string {
	if m.Choices == 0 {
		return nil
	}
	var names []string
	for _, p := range m.Params {
		base, ok := strings.CutSuffix(p.Name, "0")
		if ok && base != "" && hasAll(m, base) {
			names = append(names, base)
		}
	}
	first := m.Evidence.Accumulators[0]
	for k, a := range m.Evidence.Accumulators {
		swap := map[string]*expr.Expr{first.Evidence: expr.Var(a.Evidence), a.Evidence: expr.Var(first.Evidence)}
		for _, base := range names {
			one, other := base+"0", fmt.Sprint(base, k)
			swap[one], swap[other] = expr.Var(other), expr.Var(one)
		}
		s := expr.Substitution(swap)
		for i, v := range (&expr.Evidence{Accumulators: []expr.Accumulator{first}}).Roots() {
			own := (&expr.Evidence{Accumulators: []expr.Accumulator{a}}).Roots()
			if m.Evidence.Interacts() || i >= len(own) || !s.Map(v).Equal(own[i]) {
				return nil
			}
		}
	}
	return names
}

// hasAll reports whether the model has a parameter of that name for every choice.
func hasAll(m *expr.Model, base string) bool {
	for k := range m.Choices {
		if !m.IsParam(fmt.Sprint(base, k)) {
			return false
		}
	}
	return true
}

// mostMirrored is the largest number of parameters of a process for which Mirrors looks for a reflection.
const mostMirrored = 9

// mirror finds changes of the parameters that exchange the two boundaries of the process: for each parameter none, a change of
// sign, or 1 - x. It compares the process at random parameters. It returns false if no such changes exist.
func mirror(m *expr.Model) ([]ssm.Mirror, bool) {
	if m.Evidence.Accumulators[0].Lower == nil {
		return make([]ssm.Mirror, len(m.Params)), true
	}
	return Mirrors(m.Params, newMirrorProbe(m).reflects)
}

// Mirrors finds the change that a reflection makes to each parameter: none, a change of sign, or 1 - x. reflects says whether such
// changes are the reflection. It returns false if no such changes exist, or if there are too many parameters to try all changes.
func Mirrors(params []expr.Param, reflects func([]ssm.Mirror) bool) ([]ssm.Mirror, bool) {
	found := make([]ssm.Mirror, len(params))
	if len(params) > mostMirrored {
		return found, false
	}
	var search func(j int) bool
	search = func(j int) bool {
		if j == len(found) {
			return reflects(found)
		}
		for _, mirror := range []ssm.Mirror{ssm.Same, ssm.Negate, ssm.Complement} {
			p := params[j]
			if mirror == ssm.Negate && p.Lower != -p.Upper || mirror == ssm.Complement && math.Abs(p.Lower+p.Upper-1) > 1e-12 {
				continue // the changed parameter would leave its range
			}
			if found[j] = mirror; search(j + 1) {
				return true
			}
		}
		found[j] = ssm.Same
		return false
	}
	ok := search(0)
	return found, ok
}

// mirrorProbe evaluates a process of two boundaries at random points. Each point is a parameter vector, a time and a value of
// the evidence.
type mirrorProbe struct {
	tape   *expr.Tape   // computes the drift, the noise, the boundaries, the onset and the start
	start  expr.LawKind // the kind of the start's distribution
	first  int          // index of the first value of the start, after drift, noise, boundaries and onset
	at     [mirrorPoints][]float64
	values [mirrorPoints][]float64
}

// mirrorPoints is the number of random points at which the process is compared.
const mirrorPoints = 4

func newMirrorProbe(m *expr.Model) *mirrorProbe {
	a, onset := m.Evidence.Accumulators[0], m.Evidence.Onset.Values()
	roots := append(append([]*expr.Expr{a.Drift, a.Noise, a.Upper, a.Lower}, onset...), a.Start.Values()...)
	p := &mirrorProbe{tape: expr.NewTape(append(m.ParamNames(), expr.Tau, a.Evidence), roots...), start: a.Start.Kind, first: 4 + len(onset)}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range p.at {
		for _, q := range m.Params {
			p.at[i] = append(p.at[i], q.Lower+(q.Upper-q.Lower)*(0.2+0.6*r.Float64()))
		}
		p.at[i] = append(p.at[i], 0.1+0.5*r.Float64(), 0.3*r.Float64())
		p.values[i], _ = p.tape.Eval(nil, p.at[i])
	}
	return p
}

// reflects reports whether the process at the changed parameters, with evidence of opposite sign, is the reflected process.
func (p *mirrorProbe) reflects(by []ssm.Mirror) bool {
	for i, at := range p.at {
		image := slices.Clone(at)
		for j, mirror := range by {
			switch mirror {
			case ssm.Negate:
				image[j] = -at[j]
			case ssm.Complement:
				image[j] = 1 - at[j]
			}
		}
		x := len(by) + 1
		image[x] = -at[x]
		got, _ := p.tape.Eval(nil, image)
		for j, want := range p.reflected(p.values[i]) {
			if !(math.Abs(got[j]-want) <= 1e-9*(1+math.Abs(want))) {
				return false
			}
		}
	}
	return true
}

// reflected returns the values of the process with its boundaries exchanged.
func (p *mirrorProbe) reflected(v []float64) []float64 {
	want := append([]float64{-v[0], v[1], -v[3], -v[2]}, v[4:p.first]...)
	switch s := v[p.first:]; p.start {
	case expr.UniformLaw:
		return append(want, -s[1], -s[0])
	case expr.BetaLaw:
		return append(want, s[1], s[0], -s[3], -s[2])
	default:
		return append(want, -s[0])
	}
}
