package syntax

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"likc/compiler/expr"
)

// Print writes a model in the canonical layout, with the fewest parentheses. Reading the text gives an equal model. If shared
// nodes would make the text long, or nesting would exceed the reader's limit, the printer adds lets t0, t1, … with names that
// the model does not use. Reading then gives the same expressions and these lets. Print returns an error and writes nothing if
// the language cannot write the model: one with states or calls of densities, with a constant that is not finite, with a name
// that is no identifier, or with a sum over trials.
func Print(w io.Writer, m *expr.Model) error {
	if err := printable(m); err != nil {
		return fmt.Errorf("print model %s: %w", quote(m.Name), err)
	}
	p := &printer{m: m, names: newNodeNames(m)}
	if p.model(); p.full {
		p = &printer{m: m, names: newNodeNames(m)}
		p.names.countUses(allRoots(m))
		p.model()
		if _, err := scan(quote(m.Name), string(p.layout())); err != nil {
			return fmt.Errorf("print model: %w", err) // the text exceeds the reader's limits: the model has very many nodes
		}
	}
	_, err := w.Write(p.layout())
	return err
}

// Format returns the text that Print writes, or "" for a model that the language cannot write.
func Format(m *expr.Model) string {
	var b strings.Builder
	if err := Print(&b, m); err != nil {
		return ""
	}
	return b.String()
}

// maxTree is the number of nodes, counted at each use, above which the printer gives names to shared nodes.
const maxTree = 2_000

// printer collects the lines of one model.
type printer struct {
	m     *expr.Model
	names *nodeNames
	lines []line
	total int  // the number of nodes written so far
	full  bool // whether total exceeds the limit; nothing more is written then
}

// line is one declaration: its keyword, the name if it is a let, and the text after these.
type line struct{ keyword, name, text string }

// add appends a line.
func (p *printer) add(keyword, name, text string) {
	p.lines = append(p.lines, line{keyword, name, text})
}

// missing returns the text that declares the value of an empty cell of a column, or "" if an empty cell has none.
func (p *printer) missing(name string) string {
	if x, ok := p.m.Missing[name]; ok {
		return " missing " + expr.Literal(x)
	}
	return ""
}

// model appends the lines of the model, in the canonical order of declarations.
func (p *printer) model() {
	for _, t := range p.m.Trials {
		text := t
		switch {
		case p.m.MayBeZero(t):
			text += " nonnegative"
		case p.m.IsPositive(t) && !impliesPositive(t):
			text += " positive"
		}
		text += p.missing(t)
		if i := slices.IndexFunc(p.m.Computed, func(a expr.Assign) bool { return a.Param == t }); i >= 0 {
			text += " = " + p.m.Computed[i].Value.String()
		}
		p.add("trial", "", text)
	}
	if p.m.Choice != "" {
		text := p.m.Choice
		if p.m.Choices > 0 {
			text += " in " + codes(p.m) + p.missing(p.m.Choice)
		}
		p.add("choice", "", text)
	}
	for _, a := range p.m.Params {
		text := fmt.Sprintf("%s in [%s, %s]", a.Name, expr.Literal(a.Lower), expr.Literal(a.Upper))
		if slices.Contains(p.m.Weak, a.Name) {
			text += " weak"
		}
		p.add("param", "", text)
	}
	early := beforeLets(p.m)
	p.support(p.m.Support[:early])
	if p.m.Choice != "" && p.m.Choices == 0 && (p.m.LogLik != nil || p.m.Lower != nil) {
		p.add("lower", "", block(p.m.Lower))
	}
	if s := p.m.Simulator; s != nil {
		p.add("simulator", "", s.Name+simulatorBlock(p.m))
	}
	p.lets()
	p.support(p.m.Support[early:])
	if p.m.LogLik != nil {
		p.add("loglik", "", "= "+p.named(p.m.LogLik))
	}
	if p.m.Evidence != nil {
		p.evidence(p.m.Evidence)
	}
	if p.m.Normalise {
		p.add("normalise", "", "")
	}
	if l := p.m.Lapse; l != nil {
		p.add("lapse", "", fmt.Sprintf("%s until %s", expr.Literal(l.Probability), expr.Literal(l.Until)))
	}
	if p.m.Binding != nil {
		p.add("bind", "", bindBlock(p.m.Binding))
	}
}

// beforeLets returns the number of the model's first support conditions that use no let, which are printed before the lets.
func beforeLets(m *expr.Model) int {
	let := map[*expr.Expr]bool{}
	for _, l := range m.Lets {
		let[l.Value] = len(l.Value.Args) > 0
	}
	for i, s := range m.Support {
		for _, e := range expr.Order(s.Left, s.Right) {
			if let[e] {
				return i
			}
		}
	}
	return len(m.Support)
}

// support appends a line for each support condition.
func (p *printer) support(list []expr.Support) {
	for _, s := range list {
		left, right := p.named(s.Left), p.named(s.Right)
		p.add("support", "", left+" < "+right)
	}
}

// block returns the text of a block of assignments, such as { v = -v   z = 1 - z }.
func block(assigns []expr.Assign) string {
	text := "{ "
	for _, a := range assigns {
		text += a.Param + " = " + a.Value.String() + "   "
	}
	return strings.TrimRight(text, " ") + " }"
}

// simulatorBlock returns the text of the simulator's parameters, or "" if they are the model's parameters of the same names.
func simulatorBlock(m *expr.Model) string {
	unchanged := func(a expr.Assign, p expr.Param) bool {
		return a.Param == p.Name && a.Value.Op == expr.Sym && a.Value.Name == p.Name
	}
	if slices.EqualFunc(m.Simulator.Params, m.Params, unchanged) {
		return ""
	}
	return " " + block(m.Simulator.Params)
}

// lets appends a line for each let. Expressions printed later use its name.
func (p *printer) lets() {
	for _, l := range p.m.Lets {
		for _, a := range l.Value.Args {
			p.names.visit(a, p.name)
		}
		p.names.visit(l.Value, func(*expr.Expr) {}) // the let itself is the name
		p.add("let", l.Name, p.text(l.Value))
		p.names.set(l.Value, l.Name)
	}
}

// named returns the text of e, and adds the lets that it needs to the lines before it.
func (p *printer) named(e *expr.Expr) string {
	p.names.visit(e, p.name)
	return p.text(e)
}

// name adds a let for e.
func (p *printer) name(e *expr.Expr) {
	name := p.names.fresh()
	p.add("let", name, p.text(e))
	p.names.set(e, name)
}

// text returns the text of e, or "" if the printed text is too long already.
func (p *printer) text(e *expr.Expr) string {
	p.total += p.names.tree(e)
	p.full = p.full || p.names.uses == nil && p.total > maxTree
	if p.full {
		return ""
	}
	return e.Format(p.names.byNode)
}

// maxAlign is the longest name of a let with which other lets are aligned, so that one long name does not move all to the
// right.
const maxAlign = 16

// layout returns the lines as text, in which the words after the keywords, and the equals signs of lets, are aligned.
func (p *printer) layout() []byte {
	width := 0
	for _, l := range p.lines {
		width = min(max(width, len(l.name)), maxAlign)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "model %s {\n", p.m.Name)
	for _, l := range p.lines {
		switch l.keyword {
		case "let":
			fmt.Fprintf(&b, "  let %-*s = %s\n", width, l.name, l.text)
		case "normalise":
			b.WriteString("  normalise\n")
		case "loglik", "bind", "evidence":
			fmt.Fprintf(&b, "  %s %s\n", l.keyword, l.text)
		default:
			fmt.Fprintf(&b, "  %-6s %s\n", l.keyword, l.text)
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}
