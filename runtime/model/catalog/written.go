package catalog

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
)

// WrittenProcess returns the definition, in the language, of the process that makes the model's data: that of the model itself, or of the
// built-in process that simulates its data at the same parameters. It returns nil if there is no definition. sd is the standard deviation
// of the drift between trials; nil if the drift does not vary.
func (m *Model) WrittenProcess() (e *expr.Evidence, sd *expr.Expr, err error) {
	if m.Model.Evidence != nil {
		return m.Model.Evidence, nil, nil
	}
	s, ok := m.Simulator()
	if !ok || s.values != nil || s.Process.Evidence == "" {
		return nil, nil, nil
	}
	models, err := syntax.Read(s.Process.Name, strings.NewReader(writtenText(s.Process)))
	if err != nil {
		return nil, nil, err
	}
	if s.Process.DriftSD != "" {
		sd = expr.Var(s.Process.DriftSD)
	}
	return models[0].Evidence, sd, nil
}

// numericalSuffix ends the names of models that define a built-in process in the language, so that its density is computed numerically.
// They exist for processes that have a teacher and no exact density.
const numericalSuffix = "_numerical"

// numericalText returns the text of such a model, such as ornstein_numerical for the process ornstein, which must have two boundaries. It
// returns false for other names.
func numericalText(name string) (text string, ok bool) {
	base, ok := strings.CutSuffix(name, numericalSuffix)
	if !ok {
		return "", false
	}
	p := processNamed(base)
	if p == nil || p.Evidence == "" || p.Density != nil || p.Numbered() {
		return "", false
	}
	own := *p
	own.Name = name
	return "// The process of " + base + ", whose density is computed by integral equations.\n" + writtenText(&own), true
}

// numericalNames lists the names for which numericalText has a text, in the order of the processes.
func numericalNames() []string {
	var names []string
	for _, p := range ssm.Models() {
		if _, ok := numericalText(p.Name + numericalSuffix); ok {
			names = append(names, p.Name+numericalSuffix)
		}
	}
	return names
}

// writtenText returns the text of a model that defines a process in the language.
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
			if name != base+"0" { // the parameters of all accumulators are written as one, with an index
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
	fmt.Fprintf(&b, "  evidence %s after %s { %s }\n}\n", evidence, onset, p.Evidence)
	return b.String()
}
