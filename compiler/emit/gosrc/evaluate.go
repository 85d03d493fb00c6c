package gosrc

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// print prints the statements of a function or of a block in it. An evaluation with gradient is:
//
//	v, a, z, t := theta[0], theta[1], theta[2], theta[3]
//	clear(grad)
//	t0 := a * a // the Prologue
//	…
//	if d.upper.n > 0 && !(t < d.upper.minRt) {
//		return math.Inf(-1)
//	}
//	…
//	logLik := 0.0
//	if d.upper.n > 0 {
//		s0, s1 := gradSums(d.upper.rt, t)
//		… // the Epilogue
//		logLik += t12
//		grad[0] += t13
//	}
//	…
//	if math.IsInf(logLik, -1) {
//		clear(grad)
//	}
//	return logLik
func (u *unit) print(steps []plan.Step) []jen.Code {
	var code []jen.Code
	for _, s := range steps {
		code = append(code, u.step(s)...)
	}
	return code
}

// step returns the statements of one step of the plan, which lists the statements of a function without regard to the language.
func (u *unit) step(s plan.Step) []jen.Code {
	grad := jen.Id("grad")
	switch s := s.(type) {
	case plan.Unpack:
		return unpack(s)
	case plan.Clear:
		return []jen.Code{jen.Clear(grad)}
	case plan.Comment:
		return []jen.Code{jen.Comment(s.Text)}
	case plan.Let:
		return []jen.Code{jen.Id(s.Name).Op(":=").Add(u.let(s))}
	case plan.Call:
		return u.call(s)
	case plan.Fill:
		return u.fill(s)
	case plan.OverNodes:
		return []jen.Code{u.callOverNodes(s.Kernel, u.engineAt(), u.refs(s.Results), func(id ir.ID) jen.Code { return u.ref(s.In.Ref(id)) })}
	case plan.Refuse:
		return []jen.Code{u.refuse(s)}
	case plan.Start:
		return []jen.Code{jen.Id("logLik").Op(":=").Lit(0.0)}
	case plan.Share:
		return []jen.Code{jen.If(u.size(s.Group).Op(">").Lit(0)).Block(u.print(s.Steps)...)}
	case plan.AddValue:
		return []jen.Code{jen.Id("logLik").Op("+=").Add(u.ref(s.X))}
	case plan.AddGrad:
		return []jen.Code{jen.Add(grad).Index(jen.Lit(s.Index)).Op("+=").Add(u.ref(s.X))}
	case plan.Settle:
		return []jen.Code{jen.If(jen.Qual("math", "IsInf").Call(jen.Id("logLik"), jen.Lit(-1))).Block(jen.Clear(grad))}
	case plan.Return:
		if s.X == nil {
			return []jen.Code{jen.Return(jen.Id("logLik"))}
		}
		return []jen.Code{jen.Return(u.ref(*s.X))}
	}
	panic(fmt.Sprintf("no Go for step %T", s))
}

// unpack prints the statement that assigns elements of theta to variables.
func unpack(s plan.Unpack) []jen.Code {
	var values []jen.Code
	for _, i := range s.Index {
		values = append(values, jen.Id("theta").Index(jen.Lit(i)))
	}
	if len(values) == 0 {
		return nil
	}
	return []jen.Code{jen.List(identifiers(s.Names)...).Op(":=").List(values...)}
}

// let prints the definition of a value. If its operands are all literals, such as 2*1, it has the type float64, since Go would
// make it an int.
func (u *unit) let(s plan.Let) jen.Code {
	value := spell(s.Op, u.refs(s.Args))
	for _, a := range s.Args {
		if a.Kind != plan.Literal {
			return value
		}
	}
	return jen.Float64().Parens(value)
}

// refuse prints the test of conditions. It is written so that a NaN violates them:
//
//	if d.upper.n > 0 && !(t < d.upper.minRt) {
//		return math.Inf(-1)
//	}
func (u *unit) refuse(s plan.Refuse) jen.Code {
	all := &jen.Statement{}
	for i, c := range s.Conds {
		if i > 0 {
			all.Op("&&")
		}
		all.Add(u.ref(c[0])).Op("<").Add(u.ref(c[1]))
	}
	failed := jen.Op("!").Parens(all)
	if s.Group >= 0 {
		failed = u.size(s.Group).Op(">").Lit(0).Op("&&").Add(failed)
	}
	var then []jen.Code
	if s.Clear {
		then = append(then, jen.Clear(jen.Id("grad")))
	}
	return jen.If(failed).Block(append(then, jen.Return(jen.Qual("math", "Inf").Call(jen.Lit(-1))))...)
}

// call prints the call of a loop and names its results:
//
//	s0, s1 := gradSums(d.upper.rt, t)
func (u *unit) call(s plan.Call) []jen.Code {
	if tables := u.tablesOf(s.Kernel); len(tables) > 0 {
		return u.fromTables(s, tables)
	}
	return []jen.Code{jen.List(u.refs(s.Results)...).Op(":=").Add(u.runAll(s, s.Kernel))}
}

// runAll returns the call of a loop over all trials of its group.
func (u *unit) runAll(s plan.Call, k ir.Kernel) jen.Code {
	var columns []jen.Code
	for _, id := range k.Columns {
		columns = append(columns, jen.Id("d").Dot(u.GroupNames[k.Group]).Dot(u.Column(id)))
	}
	return u.run(k, columns, func(id ir.ID) jen.Code { return u.ref(s.In.Ref(id)) })
}

// run returns the call of a loop.
func (u *unit) run(k ir.Kernel, columns []jen.Code, ref func(ir.ID) jen.Code) jen.Code {
	args := append([]jen.Code{}, columns...)
	for _, id := range append(k.Nodes[:len(k.Nodes):len(k.Nodes)], k.Inputs...) {
		args = append(args, ref(id))
	}
	l := u.LoopOf(k)
	if u.takesEngine(l) {
		args = append([]jen.Code{jen.Id("d").Dot("engine")}, args...)
	}
	return jen.Id(l.Name).Call(args...)
}

// density prints the log density of one trial:
//
//	func LogDensity(theta []float64, rt, choice float64) float64 {
//		v, a, z, t := theta[0], theta[1], theta[2], theta[3]
//		t0 := a * a
//		…
//		switch choice {
//		case 1:
//			if !(t < rt) {
//				return math.Inf(-1)
//			}
//			…
//			return t12
//		case -1:
//			…
//		}
//		return math.NaN()
//	}
func (u *unit) density() []jen.Code {
	u.single = true
	defer func() { u.single = false }()
	b := u.NewBlock()
	columns, choice := u.ColumnNames(b.Names)
	params := columns
	var code, cases []jen.Code
	if u.Binding == nil {
		code = u.lengths("theta")
	}
	for _, s := range b.Density(columns) {
		c, ok := s.(plan.Choose)
		switch {
		case !ok:
			code = append(code, u.step(s)...)
		case choice == "":
			code = append(code, u.print(c.Steps)...)
		default:
			cases = append(cases, jen.Case(jen.Lit(int(c.Choice))).Block(u.print(c.Steps)...))
		}
	}
	doc := "// LogDensity is the log density of one trial at theta (length Dim); -Inf outside the support"
	if choice != "" {
		code = append(code, jen.Switch(jen.Id(choice)).Block(cases...), jen.Return(jen.Qual("math", "NaN").Call()))
		if doc += ",\n// NaN for a choice that is neither +1 nor -1"; u.numbered() {
			doc = strings.TrimSuffix(doc, "neither +1 nor -1") + "none of " + u.choices()
		}
		params = append(params, choice)
	}
	function := func(doc, name string, code []jen.Code) jen.Code {
		return jen.Comment(doc+".").Line().Func().Id(name).
			Params(jen.Id("theta").Index().Float64(), jen.List(identifiers(params)...).Float64()).Float64().Block(code...)
	}
	if u.Binding == nil {
		return []jen.Code{function(doc, "LogDensity", code)}
	}
	return []jen.Code{function(doc, "LogDensity", u.boundDensity(params)),
		function("// logDensityAt is LogDensity at values of the binding function, then log Z", "logDensityAt", code)}
}
