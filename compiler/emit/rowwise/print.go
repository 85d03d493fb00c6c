package rowwise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// dialect holds the functions that write code in one language.
type dialect struct {
	target expr.Target
	names  func(calls int) *plan.Names                                      // a scope in which the names of the fixed code are taken
	define func(name, value string) string                                  // the definition of a constant variable
	number func(x float64) string                                           // a literal
	field  func(column string) string                                       // the value of a column at the current trial
	param  func(j int) string                                               // the value of a parameter
	slope  func(call, arg int) string                                       // the derivative of a call's log density in an argument
	invoke func(call int, result string, d density, args []string) []string // statements that evaluate the density of a call
	math   string                                                           // the prefix of a mathematical function's name, such as "math."
}

// stage says when an expression is evaluated.
type stage int

const (
	always  stage = iota // constants
	bound                // expressions of columns only: evaluated once, when trials are bound
	once                 // expressions of parameters only: evaluated once in each evaluation of the likelihood
	byTrial              // all other expressions: evaluated once for each trial in each evaluation
)

// printer prints expressions as statements, one operation each; equal expressions are printed once.
type printer struct {
	dialect
	*sheet
	local     *plan.Names // names taken in the code of an evaluation
	fields    *plan.Names // names of the dataset's fields
	stages    map[*expr.Expr]stage
	known     map[string]string // the name of each printed number, by the operation that makes it
	data      []string          // the names of columns that are computed when trials are bound
	dataCode  []string          // the statements that compute these columns for a trial
	bindNames *plan.Names       // names taken in dataCode
	bindKnown map[string]string // as known, for dataCode
	prologue  []string          // the statements before the loop over trials
	locals    map[string]string // functions that operators need, by name
	columns   map[string]string // the identifier of a column, by its name in the model
	used      map[string]bool   // columns that the evaluation of a trial reads
}

// stageOf returns the stage at which e is evaluated.
func (p *printer) stageOf(e *expr.Expr) stage {
	if s, ok := p.stages[e]; ok {
		return s
	}
	s := always
	if e.Op == expr.Sym {
		switch {
		case p.IsParam(e.Name):
			s = once
		case p.columns[e.Name] != "":
			s = bound
		default:
			s = byTrial
		}
	}
	for _, a := range e.Args {
		switch t := p.stageOf(a); {
		case s == always || s == t:
			s = t
		case t != always:
			s = byTrial
		}
	}
	p.stages[e] = s
	return s
}

// value returns the identifier or literal of e. It adds the statements that compute e to body, or to the prologue if they
// depend only on parameters.
func (p *printer) value(e *expr.Expr, body *[]string) string {
	switch {
	case e.Op == expr.Const:
		return p.number(e.Value)
	case e.Op == expr.Sym:
		return p.symbol(e.Name, body)
	}
	to := body
	switch p.stageOf(e) {
	case bound:
		return p.hoisted(e, body)
	case once, always:
		to = &p.prologue
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.value(a, to)
	}
	return p.let(p.spell(e.Op, args), to)
}

// let returns the name of a value. It adds a definition unless the value has a name already.
func (p *printer) let(value string, to *[]string) string {
	if name, ok := p.known[value]; ok {
		return name
	}
	name := p.local.Number("t")
	p.known[value] = name
	*to = append(*to, p.define(name, value))
	return name
}

// symbol returns the text of a parameter, a column, a state, a call's value or a derivative.
func (p *printer) symbol(name string, body *[]string) string {
	if known, ok := p.known["symbol "+name]; ok {
		return known
	}
	value, to := "", body
	if j := p.ParamIndex(name); p.IsParam(name) {
		value, to = p.param(j), &p.prologue
	} else {
		p.used[name] = true
		value = p.field(p.columns[name])
	}
	id := p.local.Declare(name)
	p.known["symbol "+name] = id
	*to = append(*to, p.define(id, value))
	return id
}

// hoisted returns the name of a column that is computed when trials are bound.
func (p *printer) hoisted(e *expr.Expr, body *[]string) string {
	key := "data " + e.String()
	if known, ok := p.known[key]; ok {
		return known
	}
	column := p.fields.Number("data")
	p.data = append(p.data, column)
	inner := &printer{dialect: p.dialect, sheet: p.sheet, local: p.bindNames, known: p.bindKnown, used: p.used, locals: p.locals}
	var code []string
	value := inner.plain(e, p.columns, &code)
	p.dataCode = append(p.dataCode, code...)
	p.dataCode = append(p.dataCode, p.assignData(column, value))
	id := p.local.Declare("")
	p.known[key] = id
	*body = append(*body, p.define(id, p.field(column)))
	return id
}

// assignData stores a number of the trial in a column.
func (p *printer) assignData(column, value string) string {
	end := ""
	if p.target == expr.C {
		end = ";"
	}
	return p.field(column) + " = " + value + end
}

// plain prints an expression that contains only columns.
func (p *printer) plain(e *expr.Expr, columns map[string]string, code *[]string) string {
	switch e.Op {
	case expr.Const:
		return p.number(e.Value)
	case expr.Sym:
		key := "symbol " + e.Name
		if p.known[key] == "" {
			p.used[e.Name] = true
			p.known[key] = p.local.Declare(e.Name)
			*code = append(*code, p.define(p.known[key], p.field(columns[e.Name])))
		}
		return p.known[key]
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.plain(a, columns, code)
	}
	return p.let(p.spell(e.Op, args), code)
}

// spell returns the code of an operator with its arguments, and records the functions that the file must define for it.
func (p *printer) spell(op expr.Op, x []string) string {
	s := op.In(p.target)
	switch s.Kind {
	case expr.Function:
		s.Text = p.math + s.Text
	case expr.Local:
		p.locals[s.Text] = s.Body
	}
	return s.Write(p.number(1), x)
}

// floating returns a finite number as a literal that is no integer, in parentheses if it has a sign.
func floating(x float64) string {
	text := expr.Literal(x)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	if math.Signbit(x) {
		return "(" + text + ")"
	}
	return text
}

// program holds the printed parts of an evaluation: statements, expressions and names.
type program struct {
	Prologue []string // statements before the loop over trials
	Starts   []start
	Declare  []string // names of the states and of their derivatives, which are variables
	Row      []string // statements that compute Value at one trial
	Value    string   // the trial's log density
	Support  []condition
	Slopes   []string // statements that only the derivatives need
	Adds     []string // for each parameter, the expression that is added to its derivative; "" for none
	Carried  []carry  // the states' values after the trial
	Moved    []carry  // the values of the states' derivatives after the trial
	Data     []string // columns that are computed when trials are bound
	DataCode []string
	Locals   []string  // sources of the functions that operators need
	Kinds    []density // the densities that are called
	Columns  []string  // columns that the evaluation of a trial reads
}

// start holds the states that the same columns restart, with their first values. Mask has the bit of this list of columns in
// [sheet.sets].
type start struct {
	Mask uint64
	Set  []carry
}

// carry is a variable and the value that is assigned to it.
type carry struct{ Name, Value string }

// condition is a support condition Left < Right.
type condition struct{ Left, Right string }

// maxStatements is the largest number of operations of a trial that are printed, because compilers take minutes for more.
const maxStatements = 20_000

// check returns an error if the printed code would be too long for compilers.
func (p *program) check(name string) error {
	if n := len(p.Row) + len(p.Slopes); n > maxStatements {
		return fmt.Errorf("%s: a trial takes %d operations with its derivatives, at most %d can be compiled", name, n, maxStatements)
	}
	return nil
}

// print prints an evaluation in a dialect. columns holds the identifiers of trial columns and the choice, by their names in the
// model.
func (s *sheet) print(d dialect, columns map[string]string, fields *plan.Names) *program {
	names := d.names(len(s.calls))
	p := &printer{dialect: d, sheet: s, local: names, fields: fields, bindNames: names.Inner(), stages: map[*expr.Expr]stage{}, known: map[string]string{}, bindKnown: map[string]string{},
		locals: map[string]string{}, columns: columns, used: map[string]bool{}}
	out := &program{Kinds: s.kinds}
	for i := range s.sets {
		out.Starts = append(out.Starts, start{Mask: 1 << i})
	}
	for k, st := range s.states {
		id := names.Declare(st.Name)
		p.known["symbol "+st.Name] = id
		out.Declare = append(out.Declare, id)
		set := &out.Starts[s.setOf[k]].Set
		*set = append(*set, carry{id, p.value(st.Start, &p.prologue)})
	}
	for _, t := range s.tangents {
		id := names.Declare(s.states[t.state].Name + "_by_" + s.Params[t.param].Name)
		p.known["symbol "+tangentName(t.state, t.param)] = id
		out.Declare = append(out.Declare, id)
		set := &out.Starts[s.setOf[t.state]].Set
		*set = append(*set, carry{id, p.value(t.start, &p.prologue)})
	}
	for m, c := range s.calls {
		args := []string{p.symbol(s.timeOf(c), &out.Row), p.symbol(s.Choice, &out.Row)}
		for a, arg := range c.Args {
			args = append(args, p.value(arg, &out.Row))
			p.known["symbol "+slopeName(m, a)] = d.slope(m, a)
		}
		id := names.Number("density")
		p.known["symbol "+c.Symbol] = id
		out.Row = append(out.Row, d.invoke(m, id, s.kinds[m], args)...)
	}
	out.Value = p.value(s.logLik, &out.Row)
	for _, c := range s.support {
		out.Support = append(out.Support, condition{p.value(c.Left, &out.Row), p.value(c.Right, &out.Row)})
	}
	for _, st := range s.states {
		out.Carried = append(out.Carried, carry{p.known["symbol "+st.Name], p.value(st.Next, &out.Row)})
	}
	for _, g := range s.grad {
		text := ""
		if !g.IsNum(0) {
			text = p.value(g, &out.Slopes)
		}
		out.Adds = append(out.Adds, text)
	}
	for _, t := range s.tangents {
		out.Moved = append(out.Moved, carry{p.known["symbol "+tangentName(t.state, t.param)], p.value(t.next, &out.Slopes)})
	}
	out.Prologue, out.Data, out.DataCode = p.prologue, p.data, p.dataCode
	for _, name := range sorted(p.locals) {
		out.Locals = append(out.Locals, p.locals[name])
	}
	for _, name := range append(slices.Clone(s.Trials), s.Choice) {
		if p.used[name] {
			out.Columns = append(out.Columns, name)
		}
	}
	return out
}

// sorted returns the keys of m in order.
func sorted(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// timeOf returns the column of response times in a call: the only trial column of the called model.
func (s *sheet) timeOf(c *expr.Density) string { return c.Of.Trials[0] }
