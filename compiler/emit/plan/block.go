package plan

import (
	"maps"
	"slices"

	"likc/compiler/ir"
)

// Block makes the steps of one function. It remembers which values have a name at the current step.
type Block struct {
	*Plan
	Names *Names
	known map[ir.ID]Ref // the references to values that have a name
	steps []Step        // the steps so far
}

// NewBlock returns a block of a function at file level.
func (pl *Plan) NewBlock() *Block {
	return &Block{Plan: pl, Names: pl.Top.Inner(), known: map[ir.ID]Ref{}}
}

// inner returns a block within b, in which the values that b has named are known.
func (b *Block) inner() *Block {
	c := &Block{Plan: b.Plan, Names: b.Names.Inner(), known: make(map[ir.ID]Ref, len(b.known))}
	maps.Copy(c.known, b.known)
	return c
}

// add appends a step.
func (b *Block) add(s Step) { b.steps = append(b.steps, s) }

// Ref returns the reference to a value.
func (b *Block) Ref(id ir.ID) Ref {
	if b.Constant[id] {
		return Ref{Kind: Literal, Num: b.Number[id]}
	}
	r, ok := b.known[id]
	if !ok {
		panic("plan: a value is used before it is defined") // cannot happen: the program was verified
	}
	return r
}

// refs returns the references to values.
func (b *Block) refs(ids []ir.ID) []Ref {
	var list []Ref
	for _, id := range ids {
		list = append(list, b.Ref(id))
	}
	return list
}

// open reports whether a value must still be defined before it can be used.
func (b *Block) open(id ir.ID) bool {
	_, known := b.known[id]
	return !known && !b.Constant[id]
}

// define adds a Let for each operator among ids that is neither constant nor known, and whose arguments are known.
func (b *Block) define(ids ...ir.ID) {
	for _, id := range ids {
		if v := b.Values[id]; v.Kind == ir.Apply && b.open(id) && b.ready(id) {
			args := b.refs(v.Args)
			name := b.Names.Declare(v.Name)
			b.known[id] = Ref{Kind: Local, Name: name}
			b.add(Let{name, v.Op, args})
		}
	}
}

// ready reports whether all arguments of an operator are known. An argument may depend on a sum over nodes that is computed
// later.
func (b *Block) ready(id ir.ID) bool { return !slices.ContainsFunc(b.Values[id].Args, b.open) }

// unpack adds the step that names the live parameters, which are those that the function uses.
func (b *Block) unpack(live []bool) {
	var u Unpack
	for index, p := range b.Params {
		for i, v := range b.Values {
			if v.Kind == ir.Param && v.Index == index && live[i] {
				name := b.Names.Declare(p.Name)
				b.known[ir.ID(i)] = Ref{Kind: Local, Name: name}
				u.Names, u.Index = append(u.Names, name), append(u.Index, index)
			}
		}
	}
	b.add(u)
}

// knowData makes known the numbers that were computed when data were bound, and the sums of values that are the same for every
// trial.
func (b *Block) knowData() {
	for _, s := range b.Scalars {
		b.known[s.ID] = Ref{Kind: OfData, Name: s.Name}
	}
	for i, v := range b.Values {
		id := ir.ID(i)
		switch {
		case v.Kind != ir.Total && v.Kind != ir.Least:
		case b.Constant[v.Args[0]]:
			b.known[id] = repeated(v, b.Ref(v.Args[0]))
		case b.Facts.Stage[i] == ir.Data:
			if s := b.statistic(v); s != nil {
				b.known[id] = Ref{Kind: OfGroup, Name: s.Name, Group: v.Group}
			}
		}
	}
}

// repeated returns the sum or minimum of a number that is the same for all trials of a group.
func repeated(v ir.Value, x Ref) Ref {
	if v.Kind == ir.Least {
		return x
	}
	return Ref{Kind: Repeated, Group: v.Group, Of: &x}
}

// call adds a step that runs a loop.
func (b *Block) call(k ir.Kernel) { b.add(b.run(k)) }

// run returns a step that runs a loop, and makes the loop's results known.
func (b *Block) run(k ir.Kernel) Call {
	results := b.style.Results(b.Names, len(k.Outs))
	for i, out := range k.Outs {
		b.known[out] = results[i]
	}
	return Call{k, results, b}
}

// conditions returns the support conditions of a group for which want is true.
func (b *Block) conditions(g ir.Group, want func(ir.Cond) bool) [][2]Ref {
	var list [][2]Ref
	for _, c := range g.Support {
		if want(c) {
			list = append(list, [2]Ref{b.Ref(c.Left), b.Ref(c.Right)})
		}
	}
	return list
}

// late reports whether a condition can be tested only after a loop has run.
func (pl *Plan) late(c ir.Cond) bool {
	return pl.Facts.Stage[c.Left] == ir.Epilogue || pl.Facts.Stage[c.Right] == ir.Epilogue
}

// Finish returns the steps that compute the scalars of a dataset from its statistics.
func (pl *Plan) Finish() []Let {
	b := pl.NewBlock()
	b.knowData()
	var list []Let
	for _, s := range pl.Scalars {
		v := pl.Values[s.ID]
		list = append(list, Let{s.Name, v.Op, b.refs(v.Args)})
	}
	return list
}

// At returns the reference to a value of the Data stage that is one number for a whole dataset.
func (pl *Plan) At(id ir.ID) Ref {
	b := pl.NewBlock()
	b.knowData()
	return b.Ref(id)
}
