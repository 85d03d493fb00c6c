package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// Evidence declares a process (see [expr.Evidence]). With an Index, which is a new name, there is one accumulator for each
// choice. Its keywords may be names elsewhere.
type Evidence struct {
	Name  *Name           `parser:"@@"`
	Index *Name           `parser:"('[' @@ ']')? 'after'"`
	Onset *Expr           `parser:"@@ '{'"`
	Items []*EvidenceItem `parser:"(@@ ';'?)*"`
	End   *EvidenceEnd    `parser:"@@"`
}

// EvidenceEnd is the closing brace of a process.
type EvidenceEnd struct {
	Pos  lexer.Position
	Text string `parser:"@'}'"`
}

// EvidenceItem declares one property of all accumulators or, with an Index, which is a choice, of one accumulator.
type EvidenceItem struct {
	Pos   lexer.Position
	Word  string  `parser:"@('start' | 'drift' | 'noise' | 'upper' | 'lower' | 'reflect')"`
	Index *Number `parser:"('[' @@ ']')?"`
	Value *Expr   `parser:"@@"`
}

// laws maps the words for distributions of a start or an onset to the number of their arguments.
var laws = map[expr.LawKind]int{expr.UniformLaw: 2, expr.NormalLaw: 2, expr.BetaLaw: 4}

// declaresOnly reports whether a model may lack a loglik: it has evidence, or it declares nothing that only a loglik would use.
func (r *resolver) declaresOnly() bool {
	m := r.model
	return m.Evidence != nil || len(m.Trials) > 0 && len(m.Params) > 0 && len(m.Lets) == 0 && r.normalise == nil && r.lapses == nil && r.binding == nil
}

// process resolves the declaration of a process.
func (r *resolver) process(d *Decl) error {
	e, m := d.Evidence, r.model
	if r.evidence != nil {
		return errorf(d.Pos, "evidence after evidence at %d:%d, expected at most one", r.evidence.Line, r.evidence.Column)
	}
	r.evidence = &d.Pos
	out := &expr.Evidence{Name: e.Name.Text, Time: responseTime(m)}
	switch {
	case out.Time == "":
		return errorf(d.Pos, "evidence in a model without response times, expected trial rt positive above")
	case e.Index == nil && m.Choices > 0:
		return errorf(e.Name.Pos, "one accumulator in a model of %d choices, expected %s[k]", m.Choices, e.Name.Text)
	}
	p := &processScope{resolver: r, of: e, out: out}
	if err := p.onset(); err != nil {
		return err
	}
	if err := p.items(); err != nil {
		return err
	}
	m.Evidence = out
	return nil
}

// responseTime returns the trial column that has response times: rt, or else the first positive one.
func responseTime(m *expr.Model) string {
	i := slices.IndexFunc(m.Trials, impliesPositive)
	if i < 0 {
		i = slices.IndexFunc(m.Trials, m.IsPositive)
	}
	if i < 0 {
		return ""
	}
	return m.Trials[i]
}

// processScope resolves one process.
type processScope struct {
	*resolver
	of  *Evidence      // the declaration
	out *expr.Evidence // the resolved process
}

// onset resolves the law of the onset, and makes response times come after it.
func (p *processScope) onset() error {
	s := scope{symbols: p.symbols, caller: p.resolver}
	law := p.law(&s, "onset", p.of.Onset, expr.UniformLaw, expr.NormalLaw)
	if s.err != nil {
		return s.err
	}
	if p.out.Onset = law; law.Kind != expr.NormalLaw {
		early := expr.Support{Left: law.A, Right: p.symbols[p.out.Time]}
		if !p.declares(early) {
			p.model.Support = append(p.model.Support, early)
		}
	}
	return p.timeless("onset", exprPos(p.of.Onset), law.Values())
}

// law resolves a point, or a distribution among kinds. what names the declaration, for errors.
func (p *processScope) law(s *scope, what string, e *Expr, kinds ...expr.LawKind) expr.Law {
	call := distribution(e)
	if call == nil {
		return expr.Law{A: s.expr(e)}
	}
	kind := expr.LawKind(call.Name)
	if !slices.Contains(kinds, kind) {
		s.fail(errorf(call.Pos, "%s for the %s, expected a point, %s", call.Name, what, oneOf(kinds)))
		return expr.Law{}
	}
	if n := laws[kind]; len(call.Args) != n {
		s.fail(errorf(call.Pos, "number of arguments of %s is %d, expected %d", call.Name, len(call.Args), n))
		return expr.Law{}
	}
	var values [4]*expr.Expr
	for i, a := range call.Args {
		if a.Value != nil || a.Each != nil || a.Except != nil || a.Over != nil {
			s.fail(errorf(a.Pos, "argument of %s, expected an expression", call.Name))
			return expr.Law{}
		}
		values[i] = s.cond(a.Cond)
	}
	return expr.Law{Kind: kind, A: values[0], B: values[1], C: values[2], D: values[3]}
}

// distribution returns the call if an expression is the call of a distribution, else nil.
func distribution(e *Expr) *Ref {
	if len(e.Right) > 0 {
		return nil
	}
	if one := e.Left.single(); one != nil && one.Ref != nil && one.Ref.Index == nil && len(one.Ref.Args) > 0 && laws[expr.LawKind(one.Ref.Name)] > 0 {
		return one.Ref
	}
	return nil
}

// oneOf returns the kinds as alternatives, for error messages: "uniform(…) or normal(…)".
func oneOf(kinds []expr.LawKind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, string(k)+"(…)")
	}
	return strings.Join(words, " or ")
}

// items sorts the declared properties by accumulator, and resolves these. It returns an error if a property is declared twice.
func (p *processScope) items() error {
	race := p.of.Index != nil
	all := make([]map[string]*EvidenceItem, 1)
	if race {
		if err := p.numberedOnly(p.of.Index.Pos, "an index"); err != nil {
			return err
		}
		all = make([]map[string]*EvidenceItem, p.model.Choices)
	}
	for k := range all {
		all[k] = map[string]*EvidenceItem{}
	}
	for _, it := range p.of.Items {
		accumulators, err := p.accumulatorsOf(it, all)
		if err != nil {
			return err
		}
		for _, items := range accumulators {
			if before := items[it.Word]; before != nil {
				return errorf(it.Pos, "%s after %s at %d:%d, expected at most one", it.Word, it.Word, before.Pos.Line, before.Pos.Column)
			}
			items[it.Word] = it
		}
	}
	twoSided := !race && p.model.Choice != ""
	for _, items := range all {
		for _, word := range []string{"start", "drift", "upper"} {
			if items[word] == nil {
				return errorf(p.of.End.Pos, "unexpected \"}\", expected %s in the evidence of model %s", word, quote(p.model.Name))
			}
		}
		switch {
		case items["lower"] != nil && !twoSided:
			return errorf(items["lower"].Pos, "lower of an accumulator with one response, expected it only in a model of the choices +1 and -1")
		case items["reflect"] != nil && twoSided:
			return errorf(items["reflect"].Pos, "reflect of evidence between two boundaries, expected it only where an accumulator has one response")
		}
	}
	return p.accumulators(all, twoSided)
}

// accumulatorsOf returns the accumulators to which an item applies.
func (p *processScope) accumulatorsOf(it *EvidenceItem, all []map[string]*EvidenceItem) ([]map[string]*EvidenceItem, error) {
	if it.Index == nil {
		return all, nil
	}
	k, err := strconv.Atoi(it.Index.Text)
	if err != nil || p.of.Index == nil || k >= len(all) {
		return nil, errorf(it.Index.Pos, "%s[%s], expected the number of a choice, and only in a race of numbered choices", it.Word, it.Index.Text)
	}
	return all[k : k+1], nil
}

// accumulators resolves each accumulator. The names of evidence, and tau, are declared only for these expressions.
func (p *processScope) accumulators(items []map[string]*EvidenceItem, twoSided bool) error {
	names, err := p.declareEvidence()
	if err != nil {
		return err
	}
	s := scope{symbols: p.symbols, caller: p.resolver}
	resolve := func(k int) {
		if a := p.accumulator(&s, names[k], items[k], twoSided); s.err == nil {
			p.out.Accumulators = append(p.out.Accumulators, a)
		}
	}
	if p.of.Index == nil {
		resolve(0)
	} else {
		s.forEach(p.of.Index, resolve)
	}
	for _, name := range append(names, p.of.Name.Text, expr.Tau) {
		delete(p.symbols, name)
	}
	delete(p.several, p.of.Name.Text)
	return s.err
}

// declareEvidence declares tau and the names of evidence, and returns the latter.
func (p *processScope) declareEvidence() (names []string, err error) {
	e := p.of
	if first, ok := p.declared[expr.Tau]; ok {
		return nil, errorf(first, "%s is declared in a model with evidence, where it is the time since the onset; expected another name", quote(expr.Tau))
	}
	if err := p.declare(&Name{e.Name.Pos, expr.Tau}, expr.Var(expr.Tau)); err != nil {
		return nil, err
	}
	if e.Index == nil {
		return []string{e.Name.Text}, p.declare(e.Name, expr.Var(e.Name.Text))
	}
	for k := range p.model.Choices {
		n := nameOf(e.Name, k)
		if err := p.declare(n, expr.Var(n.Text)); err != nil {
			return nil, err
		}
		names = append(names, n.Text)
	}
	return names, p.declareSeveral(e.Name)
}

// accumulator resolves the properties of one accumulator.
func (p *processScope) accumulator(s *scope, name string, items map[string]*EvidenceItem, twoSided bool) expr.Accumulator {
	value := func(word string) *expr.Expr {
		if items[word] == nil {
			return nil
		}
		if call := distribution(items[word].Value); call != nil {
			return s.fail(errorf(call.Pos, "%s for the %s, expected an expression", call.Name, word))
		}
		return s.expr(items[word].Value)
	}
	a := expr.Accumulator{Evidence: name, Start: p.law(s, "start", items["start"].Value, expr.UniformLaw, expr.BetaLaw),
		Drift: value("drift"), Noise: value("noise"), Upper: value("upper"), Lower: value("lower"), Reflect: value("reflect")}
	if s.err != nil {
		return a
	}
	if a.Noise == nil {
		a.Noise = expr.Num(1)
	}
	if twoSided && a.Lower == nil {
		a.Lower = expr.New(expr.Neg, a.Upper)
	}
	pos := func(word string) lexer.Position { return exprPos(items[word].Value) }
	check := func(err error) {
		if s.err == nil {
			s.err = err
		}
	}
	check(p.timeless("start", pos("start"), a.Start.Values()))
	check(p.responseless("drift", pos("drift"), a.Drift))
	for _, b := range []struct {
		word  string
		value *expr.Expr
	}{{"noise", a.Noise}, {"upper", a.Upper}, {"lower", a.Lower}, {"reflect", a.Reflect}} {
		if items[b.word] != nil {
			check(p.evidenceless(b.word, pos(b.word), b.value))
		}
	}
	if a.Reflect != nil {
		check(p.timeless("reflect", pos("reflect"), []*expr.Expr{a.Reflect}))
	}
	return a
}

// timeless returns an error if an expression uses tau, the evidence or the response. The expression is needed before the
// process begins.
func (p *processScope) timeless(word string, pos lexer.Position, values []*expr.Expr) error {
	for _, name := range expr.Symbols(values...) {
		if name == expr.Tau {
			return errorf(pos, "%s uses %s, expected parameters, trial columns and numbers", word, quote(name))
		}
	}
	for _, v := range values {
		if err := p.evidenceless(word, pos, v); err != nil {
			return err
		}
	}
	return nil
}

// evidenceless returns an error if an expression uses the evidence or the response.
func (p *processScope) evidenceless(word string, pos lexer.Position, value *expr.Expr) error {
	for _, name := range expr.Symbols(value) {
		if !p.model.IsParam(name) && !p.model.IsTrial(name) && name != expr.Tau && name != p.model.Choice {
			return errorf(pos, "%s uses the evidence %s, expected it only in the drift", word, quote(name))
		}
	}
	return p.responseless(word, pos, value)
}

// responseless returns an error if an expression uses the response, because the process itself determines the response.
func (p *processScope) responseless(word string, pos lexer.Position, value *expr.Expr) error {
	for _, name := range expr.Symbols(value) {
		if name == p.out.Time || name == p.model.Choice {
			return errorf(pos, "%s uses %s, expected nothing of the response", word, quote(name))
		}
	}
	return nil
}

// exprPos returns where an expression begins.
func exprPos(e *Expr) lexer.Position {
	u := e.Left.Left
	for u.Negative != nil {
		u = u.Negative
	}
	return u.Power.Base.Pos
}

// evidence prints a process. Its expressions get no lets, because lets cannot contain tau or the evidence.
func (p *printer) evidence(e *expr.Evidence) {
	text := e.Name
	race := p.m.Choices > 0
	if race {
		text += "[" + p.indexName() + "]"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s after %s {\n", text, p.lawText(e.Onset))
	words := []string{"start", "drift", "noise", "upper", "lower", "reflect"}
	for i, word := range words {
		values := make([]string, len(e.Accumulators))
		for k, a := range e.Accumulators {
			values[k] = p.itemText(a, i)
		}
		switch {
		case values[0] == "":
		case len(slices.Compact(slices.Clone(values))) == 1:
			fmt.Fprintf(&b, "    %-5s %s\n", word, values[0])
		default:
			for k, v := range values {
				fmt.Fprintf(&b, "    %s[%d] %s\n", word, k, v)
			}
		}
	}
	p.add("evidence", "", b.String()+"  }")
}

// indexName returns a name for the accumulators' index that the model does not use.
func (p *printer) indexName() string {
	for _, name := range []string{"k", "j", "i"} {
		if !p.names.taken[name] {
			return name
		}
	}
	return p.names.fresh()
}

// itemText returns the text of property i of an accumulator, in the order of the keywords, or "" if it need not be written.
func (p *printer) itemText(a expr.Accumulator, i int) string {
	value := []*expr.Expr{nil, a.Drift, a.Noise, a.Upper, a.Lower, a.Reflect}[i]
	switch {
	case i == 0:
		return p.lawText(a.Start)
	case value == nil:
		return ""
	}
	return value.Format(p.names.byNode)
}

// lawText returns the text of a distribution: its kind and parameters, or the value of a constant.
func (p *printer) lawText(l expr.Law) string {
	var values []string
	for _, v := range l.Values() {
		values = append(values, v.Format(p.names.byNode))
	}
	if l.Kind == expr.PointLaw {
		return values[0]
	}
	return string(l.Kind) + "(" + strings.Join(values, ", ") + ")"
}
