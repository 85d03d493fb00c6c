package catalog

import (
	"fmt"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
)

// WrittenProcess returns the process of the model's data as it is written down: by the model itself, or in the definition of the process that
// simulates it at the same parameters; nil where nobody wrote it down.
func (m *Model) WrittenProcess() (*expr.Evidence, error) {
	if m.Model.Evidence != nil {
		return m.Model.Evidence, nil
	}
	s, ok := m.Simulator()
	if !ok || s.values != nil || s.Process.Written == "" {
		return nil, nil
	}
	models, err := syntax.Read(s.Process.Name, strings.NewReader(writtenText(s.Process)))
	if err != nil {
		return nil, err
	}
	return models[0].Evidence, nil
}

// writtenText is a process as a model in the language.
func writtenText(p *ssm.Model) string {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s {\n  trial %s positive\n  choice c\n", p.Name, ResponseTime)
	for _, param := range p.Params {
		fmt.Fprintf(&b, "  param %s in [%s, %s]\n", param.Name, expr.Literal(param.Lower), expr.Literal(param.Upper))
	}
	fmt.Fprintf(&b, "  evidence x after %s { %s }\n}\n", p.Onset, p.Written)
	return b.String()
}
