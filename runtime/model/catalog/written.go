package catalog

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
)

// WrittenProcess returns the process of the model's data as it is written down: by the model itself, or in the definition of the process that
// simulates it at the same parameters; nil where nobody wrote it down. sd is the standard deviation of its constant drift between trials, nil for one
// that does not vary.
func (m *Model) WrittenProcess() (e *expr.Evidence, sd *expr.Expr, err error) {
	if m.Model.Evidence != nil {
		return m.Model.Evidence, nil, nil
	}
	s, ok := m.Simulator()
	if !ok || s.values != nil || s.Process.Written == "" {
		return nil, nil, nil
	}
	models, err := syntax.Read(s.Process.Name, strings.NewReader(writtenText(s.Process)))
	if err != nil {
		return nil, nil, err
	}
	if s.Process.Varying != "" {
		sd = expr.Var(s.Process.Varying)
	}
	return models[0].Evidence, sd, nil
}

// numericalSuffix ends the names of processes as they are written down, where likc has a teacher of them and no exact density.
const numericalSuffix = "_numerical"

// numericalText returns the text of a model that is a process of two boundaries written down: ornstein_numerical for ornstein. It is false for
// other names.
func numericalText(name string) (text string, ok bool) {
	base, ok := strings.CutSuffix(name, numericalSuffix)
	if !ok {
		return "", false
	}
	p := processNamed(base)
	if p == nil || p.Written == "" || p.Density != nil || p.Numbered() {
		return "", false
	}
	own := *p
	own.Name = name
	return "// The process of " + base + ", whose density is computed by integral equations.\n" + writtenText(&own), true
}

// numericalNames lists the models of numericalText, in the order of the processes.
func numericalNames() []string {
	var names []string
	for _, p := range ssm.Models() {
		if _, ok := numericalText(p.Name + numericalSuffix); ok {
			names = append(names, p.Name+numericalSuffix)
		}
	}
	return names
}

// writtenText returns a process as a model in the language.
func writtenText(p *ssm.Model) string {
	var b strings.Builder
	evidence, choice := "x", "choice response"
	if len(p.Each) > 0 {
		var codes []string
		for _, c := range p.Choices {
			codes = append(codes, expr.Literal(c))
		}
		evidence, choice = "x[k]", "choice response in {"+strings.Join(codes, ", ")+"}"
	}
	fmt.Fprintf(&b, "model %s {\n  trial %s positive\n  %s\n", p.Name, ResponseTime, choice)
	for _, param := range p.Params {
		name := param.Name
		if base := strings.TrimRight(name, "0123456789"); slices.Contains(p.Each, base) {
			if name != base+"0" { // the first stands for all
				continue
			}
			name = base + "[response]"
		}
		fmt.Fprintf(&b, "  param %s in [%s, %s]\n", name, expr.Literal(param.Lower), expr.Literal(param.Upper))
	}
	onset := p.Onset
	if on := p.Onsets; on.Middle != "" {
		onset = fmt.Sprintf("uniform(%s - %s/2, %s + %s/2)", on.Middle, on.Width, on.Middle, on.Width)
	}
	fmt.Fprintf(&b, "  evidence %s after %s { %s }\n}\n", evidence, onset, p.Written)
	return b.String()
}
