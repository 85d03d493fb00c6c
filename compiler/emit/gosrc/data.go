package gosrc

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"likc/compiler/ir"
)

// dataTypes prints what a bound dataset holds:
//
//	type Data struct {
//		n            int
//		upper, lower trials
//	}
//
//	type trials struct {
//		n     int
//		rt    []float64
//		sumRt float64 // sum of rt
//		minRt float64 // minimum of rt
//	}
func (u *unit) dataTypes() []jen.Code {
	fields := []jen.Code{jen.Id("n").Int(), jen.List(identifiers(u.GroupNames)...).Id(u.types.trials)}
	if u.engines {
		fields = append(fields, jen.Id("engine").Id("Engine"))
	}
	for _, s := range u.Scalars {
		fields = append(fields, jen.Id(s.Name).Float64().Comment(u.Formula(s.ID)))
	}
	group := append([]jen.Code{jen.Id("n").Int()}, u.tableFields()...)
	for _, c := range u.Columns {
		f := jen.Id(c.Name).Index().Float64()
		if u.Values[c.ID].Kind != ir.Column {
			f.Comment(u.Formula(c.ID))
		}
		group = append(group, f)
	}
	for _, s := range u.Stats {
		group = append(group, jen.Id(s.Name).Float64().Comment(s.What()+" of "+u.Formula(s.Arg)))
	}
	return []jen.Code{
		u.doc(u.types.data + " is a set of trials, prepared for many evaluations. It is safe for concurrent use.").
			Type().Id(u.types.data).Struct(fields...),
		u.doc(u.types.trials + " holds a group of trials: the columns that the loops read, and statistics.").
			Type().Id(u.types.trials).Struct(group...),
	}
}

// newData prints the constructor:
//
//	func NewData(rt, choice []float64) (*Data, error) {
//		if err := checkColumns([]string{"rt", "choice"}, rt, choice); err != nil {
//			return nil, err
//		}
//		…
//		return &Data{n: len(rt), upper: newTrials(rt, choice, 1), lower: newTrials(rt, choice, -1)}, nil
//	}
func (u *unit) newData() jen.Code {
	b := u.newBlock()
	columns, choice := b.columnParams()
	all := append(append([]jen.Code{}, columns...), choice...)
	var labels []jen.Code
	for _, name := range u.Trials {
		labels = append(labels, jen.Lit(name))
	}
	if u.Choice != "" {
		labels = append(labels, jen.Lit(u.Choice))
	}
	b.add(try(jen.Id("checkColumns").Call(append([]jen.Code{jen.Index().String().Values(labels...)}, all...)...)))
	b.checks(columns, choice)
	b.construct(jen.Len(columns[0]), all, jen.Nil())
	doc := u.types.newData + " binds trials: one slice a trial column, all of one length"
	if u.Choice != "" {
		doc += ", then the choices, " + u.choices()
	}
	return jen.Comment(doc+". It copies them.").Line().Func().Id(u.types.newData).
		Params(jen.List(all...).Index().Float64()).Params(jen.Op("*").Id(u.types.data), jen.Error()).Block(b.code...)
}

// choices returns the words for the allowed choices, for comments and error messages.
func (u *unit) choices() string {
	if u.numbered() {
		return fmt.Sprintf("0 to %d", u.Choices-1)
	}
	return "+1 or -1"
}

// columnParams declares identifiers for the trial columns, and for the choice if there is one.
func (b *block) columnParams() (columns, choice []jen.Code) {
	names, side := b.ColumnNames(b.names)
	if side != "" {
		choice = identifiers([]string{side})
	}
	return identifiers(names), choice
}

// checks prints checks of the values in single columns: that they are positive, or known choices.
func (b *block) checks(columns, choice []jen.Code) {
	for i, name := range b.Trials {
		switch {
		case b.MayBeZero(name):
			b.add(try(jen.Id("checkNonNegative").Call(jen.Lit(name), columns[i])))
		case b.IsPositive(name):
			b.add(try(jen.Id("checkPositive").Call(jen.Lit(name), columns[i])))
		}
	}
	switch {
	case b.numbered():
		b.add(try(jen.Id("checkNumbered").Call(jen.Lit(b.Choice), jen.Lit(len(b.Groups)), choice[0])))
	case b.Choice != "":
		b.add(try(jen.Id("checkChoice").Call(jen.Lit(b.Choice), choice[0])))
	}
}

// numbered reports whether the choices are 0, 1, … rather than two boundaries.
func (u *unit) numbered() bool { return u.Choices > 0 }

// try prints a call that returns an error, and a return if there is one.
func try(call jen.Code) jen.Code {
	return jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
}

// construct prints statements that make the dataset: its groups, then the numbers computed from their statistics. They end with
// a return of the dataset and of results.
func (b *block) construct(n jen.Code, all []jen.Code, results ...jen.Code) {
	values := []jen.Code{jen.Id("n").Op(":").Add(n)}
	for i, g := range b.Groups {
		args := append([]jen.Code{}, all...)
		if b.Choice != "" {
			args = append(args, jen.Lit(int(g.Choice)))
		}
		values = append(values, jen.Id(b.GroupNames[i]).Op(":").Id(b.types.newTrials).Call(args...))
	}
	if b.engines {
		values = append(values, jen.Id("engine").Op(":").Id("fastest"))
	}
	literal := jen.Op("&").Id(b.types.data).Values(values...)
	if len(b.Scalars) == 0 && !b.tabulated() {
		b.add(jen.Return(append([]jen.Code{literal}, results...)...))
		return
	}
	b.add(jen.Id("d").Op(":=").Add(literal))
	for _, s := range b.Finish() {
		b.add(jen.Id("d").Dot(s.Name).Op("=").Add(spell(s.Op, b.refs(s.Args))))
	}
	if b.tabulated() {
		b.add(jen.Id("d").Dot("tabulate").Call())
	}
	b.add(jen.Return(append([]jen.Code{jen.Id("d")}, results...)...))
}

// newTrials prints the constructor of a group, the trials with one choice:
//
//	func newTrials(rt, choice []float64, side float64) trials {
//		g := trials{minRt: math.Inf(1)}
//		var sumRt compensated
//		for i := range rt {
//			if choice[i] != side {
//				continue
//			}
//			g.n++
//			g.rt = append(g.rt, rt[i])
//			sumRt.add(rt[i])
//			g.minRt = min(g.minRt, rt[i])
//		}
//		g.sumRt = sumRt.sum()
//		return g
//	}
func (u *unit) newTrials() jen.Code {
	b := u.newBlock()
	columns, choice := b.columnParams()
	params := []jen.Code{jen.List(append(append([]jen.Code{}, columns...), choice...)...).Index().Float64()}
	w := b.inner()
	for i, v := range u.Values {
		if v.Kind == ir.Column {
			w.know(ir.ID(i), jen.Add(columns[v.Index]).Index(jen.Id("i")))
		}
	}
	if len(choice) > 0 {
		params = append(params, jen.Id("side").Float64())
		w.add(jen.If(jen.Add(choice[0]).Index(jen.Id("i")).Op("!=").Id("side")).Block(jen.Continue()))
	}
	w.add(jen.Id("g").Dot("n").Op("++"))
	sums := b.group(w)
	over := jen.Id("i").Op(":=").Range().Add(columns[0])
	if len(w.code) == 1 { // the loop only counts trials
		over = jen.Range().Add(columns[0])
	}
	b.add(jen.For(over).Block(w.code...))
	b.add(sums...)
	b.add(jen.Return(jen.Id("g")))
	return u.doc(u.types.newTrials + " takes a group's trials and sums up what needs no parameter.").
		Func().Id(u.types.newTrials).Params(params...).Id(u.types.trials).Block(b.code...)
}

// group prints the declarations of newTrials into b and the code for one trial into w. It returns the statements after the loop over
// trials.
func (b *block) group(w *block) (after []jen.Code) {
	g := jen.Id("g")
	var start []jen.Code
	sums := map[string]jen.Code{}
	for _, s := range b.Stats {
		if s.Kind == ir.Least {
			start = append(start, jen.Id(s.Name).Op(":").Qual("math", "Inf").Call(jen.Lit(1)))
			continue
		}
		sums[s.Name] = jen.Id(w.names.Declare(s.Name))
		after = append(after, jen.Add(g).Dot(s.Name).Op("=").Add(sums[s.Name]).Dot("sum").Call())
	}
	b.add(jen.Add(g).Op(":=").Id(b.types.trials).Values(start...))
	for _, s := range b.Stats {
		if sums[s.Name] != nil {
			b.add(jen.Var().Add(sums[s.Name]).Id("compensated"))
		}
	}
	w.define(b.Derived(), single)
	for _, c := range b.Columns {
		f := jen.Add(g).Dot(c.Name)
		w.add(jen.Add(f).Op("=").Append(f, w.at(c.ID, 0)))
	}
	for _, s := range b.Stats {
		f := jen.Add(g).Dot(s.Name)
		if s.Kind == ir.Least {
			w.add(jen.Add(f).Op("=").Min(f, w.at(s.Arg, 0)))
		} else {
			w.add(jen.Add(sums[s.Name]).Dot("add").Call(w.at(s.Arg, 0)))
		}
	}
	return after
}
