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

// Process returns a process written down as one that is simulated like those that come with likc. Its trials have a response time and a choice alone, so it
// fails for a model whose process depends on other trial columns.
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

// Words writes the process in a line.
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

// each returns the parameters of which each accumulator of a race has its own, without their numbers; nil where accumulators are not alike.
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

// mostMirrored is how many parameters a process may have whose reflection is looked for.
const mostMirrored = 9

// mirror finds what the reflection between two boundaries does to each parameter: nothing, a change of sign, or 1 - x. It compares the process at random
// parameters; false where no such reflection is one.
func mirror(m *expr.Model) ([]ssm.Mirror, bool) {
	found := make([]ssm.Mirror, len(m.Params))
	a := m.Evidence.Accumulators[0]
	if a.Lower == nil {
		return found, true
	}
	if len(m.Params) > mostMirrored {
		return found, false
	}
	symbols := append(m.ParamNames(), expr.Tau, a.Evidence)
	start := a.Start.Values()
	roots := append(append([]*expr.Expr{a.Drift, a.Noise, a.Upper, a.Lower}, m.Evidence.Onset.Values()...), start...)
	tape := expr.NewTape(symbols, roots...)
	r := rand.New(rand.NewPCG(1, 1))
	const points = 4
	var at, image [points][]float64
	var values [points][]float64
	for i := range points {
		for _, p := range m.Params {
			at[i] = append(at[i], p.Lower+(p.Upper-p.Lower)*(0.2+0.6*r.Float64()))
		}
		at[i] = append(at[i], 0.1+0.5*r.Float64(), 0.3*r.Float64())
		values[i], _ = tape.Eval(nil, at[i])
		image[i] = slices.Clone(at[i])
	}
	first := 4 + len(m.Evidence.Onset.Values())
	same := func() bool {
		for i := range points {
			for j, p := range found {
				switch x := at[i][j]; p {
				case ssm.Negate:
					image[i][j] = -x
				case ssm.Complement:
					image[i][j] = 1 - x
				default:
					image[i][j] = x
				}
			}
			image[i][len(found)+1] = -at[i][len(found)+1]
			v, w := values[i], []float64(nil)
			w, _ = tape.Eval(w, image[i])
			want := []float64{-v[0], v[1], -v[3], -v[2]}
			want = append(want, v[4:first]...)
			switch s := v[first:]; a.Start.Kind {
			case expr.PointLaw:
				want = append(want, -s[0])
			case expr.UniformLaw:
				want = append(want, -s[1], -s[0])
			case expr.BetaLaw:
				want = append(want, s[1], s[0], -s[3], -s[2])
			}
			for j := range want {
				if !(math.Abs(w[j]-want[j]) <= 1e-9*(1+math.Abs(want[j]))) {
					return false
				}
			}
		}
		return true
	}
	var search func(j int) bool
	search = func(j int) bool {
		if j == len(found) {
			return same()
		}
		for _, mirror := range []ssm.Mirror{ssm.Same, ssm.Negate, ssm.Complement} {
			p := m.Params[j]
			if mirror == ssm.Negate && p.Lower != -p.Upper || mirror == ssm.Complement && math.Abs(p.Lower+p.Upper-1) > 1e-12 {
				continue // it would leave the range
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
