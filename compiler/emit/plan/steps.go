package plan

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Ref is how a statement refers to a number.
type Ref struct {
	Kind  RefKind
	Name  string
	Index int     // of a Cell
	Group int     // of a Statistic or Repeated
	Num   float64 // a Literal
	Of    *Ref    // what is Repeated
}

// RefKind is a kind of reference.
type RefKind uint8

// Kinds of reference.
const (
	Literal  RefKind = iota // the number Num
	Local                   // the variable Name
	Cell                    // element Index of the array Name
	OfData                  // the field Name of the dataset
	AtNode                  // the number of the node at hand in the array Name
	Array                   // the array Name, of one number a node
	OfGroup                 // the field Name of group Group
	Repeated                // the number of trials of group Group times Of
)

// Step is one statement of a printed function.
type Step interface{}

type (
	// Unpack declares Names as the elements Index of theta.
	Unpack struct {
		Names []string
		Index []int
	}
	// Clear sets the gradient to 0.
	Clear struct{}
	// Comment is a line for the reader.
	Comment struct{ Text string }
	// Let declares Name as an operator applied to Args.
	Let struct {
		Name string
		Op   expr.Op
		Args []Ref
	}
	// Call runs the loop of Kernel, which puts out Results in the kernel's order. Its scalars, and free names, are those of
	// the block In.
	Call struct {
		Kernel  ir.Kernel
		Results []Ref
		In      *Block
	}
	// Fill declares the arrays that Keep names, of one number a node, and computes them at every node of Table. Steps are those of one node.
	Fill struct {
		Table *expr.Table
		Steps []Step
		Keep  []Kept
	}
	// OverNodes runs the loop of Kernel over the nodes of a table, as Call does over trials.
	OverNodes struct {
		Call
		Table *expr.Table
	}
	// Refuse returns -Inf if not all conditions hold: if Group is not negative, only where that group has trials. A Late one
	// follows a loop, and sets the gradient back to 0 if there is one.
	Refuse struct {
		Group       int
		Conds       [][2]Ref
		Late, Clear bool
	}
	// Start declares the sum of the groups' shares.
	Start struct{}
	// Share is what a group adds to the result if it has trials.
	Share struct {
		Group int
		Steps []Step
	}
	// Choose is what the density of a trial with this choice is; 0 where the model has no choice.
	Choose struct {
		Choice float64
		Steps  []Step
	}
	// AddValue adds to the log-likelihood.
	AddValue struct{ X Ref }
	// AddGrad adds to element Index of the gradient.
	AddGrad struct {
		Index int
		X     Ref
	}
	// Settle sets the gradient back to 0 if the sum of the shares is -Inf: no step from there has a direction.
	Settle struct{}
	// Return ends the function with X, or with the sum of the shares if X is nil.
	Return struct{ X *Ref }
)

// Kept is a number of one node that is kept in an array.
type Kept struct {
	Name string
	X    Ref
}

// Block makes the steps of one function, as each value becomes known under a name.
type Block struct {
	*Plan
	Names *Names
	known map[ir.ID]Ref
	steps []Step
}

// NewBlock returns a block of a function at file level.
func (pl *Plan) NewBlock() *Block {
	return &Block{Plan: pl, Names: pl.Top.Inner(), known: map[ir.ID]Ref{}}
}

// inner returns a block within b, with everything known there.
func (b *Block) inner() *Block {
	c := &Block{Plan: b.Plan, Names: b.Names.Inner(), known: make(map[ir.ID]Ref, len(b.known))}
	maps.Copy(c.known, b.known)
	return c
}

func (b *Block) add(s Step) { b.steps = append(b.steps, s) }

// Ref refers to a value.
func (b *Block) Ref(id ir.ID) Ref {
	if b.Constant[id] {
		return Ref{Kind: Literal, Num: b.Number[id]}
	}
	r, ok := b.known[id]
	if !ok {
		panic("plan: a value is used before it is defined") // the program is verified
	}
	return r
}

func (b *Block) refs(ids []ir.ID) []Ref {
	var list []Ref
	for _, id := range ids {
		list = append(list, b.Ref(id))
	}
	return list
}

// open reports whether a value has to be defined before it can be used.
func (b *Block) open(id ir.ID) bool {
	_, known := b.known[id]
	return !known && !b.Constant[id]
}

// define adds a Let for each operator among ids that is neither constant nor known, and whose arguments are known.
func (b *Block) define(ids ...ir.ID) {
	for _, id := range ids {
		if v := b.Values[id]; v.Kind == ir.Apply && b.open(id) && b.ready(id) {
			args := b.refs(v.Args)
			name := b.Names.Take(v.Name)
			b.known[id] = Ref{Kind: Local, Name: name}
			b.add(Let{name, v.Op, args})
		}
	}
}

// ready reports whether all that an operator needs is known: no sum over nodes that comes later.
func (b *Block) ready(id ir.ID) bool { return !slices.ContainsFunc(b.Values[id].Args, b.open) }

// unpack names the live parameters.
func (b *Block) unpack(live []bool) {
	var u Unpack
	for index, p := range b.Params {
		for i, v := range b.Values {
			if v.Kind == ir.Param && v.Index == index && live[i] {
				name := b.Names.Take(p.Name)
				b.known[ir.ID(i)] = Ref{Kind: Local, Name: name}
				u.Names, u.Index = append(u.Names, name), append(u.Index, index)
			}
		}
	}
	b.add(u)
}

// knowData refers to the numbers that were computed when data were bound, and to sums of what is the same for every trial.
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

// repeated is the sum or minimum over a group's trials of a number.
func repeated(v ir.Value, x Ref) Ref {
	if v.Kind == ir.Least {
		return x
	}
	return Ref{Kind: Repeated, Group: v.Group, Of: &x}
}

// Evaluate returns the steps of one evaluation of a bound dataset, in outline:
//
//	parameters, then the Prologue
//	return -Inf where a condition on parameters and statistics fails
//	what groups share of the Epilogue
//	for each group: its loop, its Epilogue, its late conditions, its share
//	gradient 0 where the result is -Inf
func (pl *Plan) Evaluate(e Evaluation) []Step {
	b := pl.NewBlock()
	b.unpack(e.Live)
	if e.gradient {
		b.add(Clear{})
	}
	b.knowData()
	b.prologue(e)
	for i, g := range pl.Groups {
		if early := b.conditions(g, func(c ir.Cond) bool { return !pl.late(c) }); len(early) > 0 {
			b.add(Refuse{i, early, false, false})
		}
	}
	b.epilogue(e, func(need uint) bool { return bits.OnesCount(need) > 1 })
	b.add(Start{})
	for i := range pl.Groups {
		b.share(e, i)
	}
	if e.gradient {
		b.add(Settle{})
	}
	b.add(Return{})
	return b.steps
}

func (b *Block) prologue(e Evaluation) {
	var ids []ir.ID
	for i, v := range b.Values {
		if e.Live[i] && v.Kind == ir.Apply && b.Facts.Stage[i] == ir.Prologue && !b.Constant[i] && !b.Facts.PerNode[i] {
			ids = append(ids, ir.ID(i))
		}
	}
	if len(ids) > 0 {
		b.add(Comment{"Prologue: parameters only."})
	}
	b.define(ids...)
	b.fill(e.Live)
	b.overNodes(e.Live, ir.Prologue)
	b.define(ids...)
}

// share adds what a group adds to the result.
func (b *Block) share(e Evaluation, group int) {
	w, g := b.inner(), b.Groups[group]
	w.epilogue(e, func(need uint) bool { return need == 1<<group })
	if late := w.conditions(g, b.late); len(late) > 0 {
		w.add(Refuse{noGroup, late, true, e.gradient})
	}
	w.add(AddValue{w.Ref(g.LogLik)})
	for j, id := range g.Grad {
		if e.gradient && !(b.Constant[id] && b.Number[id] == 0) {
			w.add(AddGrad{j, w.Ref(id)})
		}
	}
	b.add(Share{group, w.steps})
}

// epilogue adds the loops and the values after them whose users are the groups that want picks.
func (b *Block) epilogue(e Evaluation, want func(need uint) bool) {
	called := map[int]bool{}
	for i, v := range b.Values {
		id := ir.ID(i)
		if !b.open(id) || !e.Live[id] || b.Facts.Stage[id] != ir.Epilogue {
			continue
		}
		switch {
		case v.Kind == ir.Apply:
			if want(e.need[id]) {
				b.define(id)
			}
		case b.Facts.Stage[v.Args[0]] == ir.Prologue:
			b.known[id] = repeated(v, b.Ref(v.Args[0]))
		default:
			if k := e.Kernels[v.Group]; want(kernelNeed(e, k)) && !called[v.Group] {
				called[v.Group] = true
				b.call(k)
			}
		}
	}
}

// kernelNeed is the set of groups that need a result of the kernel.
func kernelNeed(e Evaluation, k ir.Kernel) uint {
	need := uint(0)
	for _, out := range k.Outs {
		need |= e.need[out]
	}
	return need
}

// call adds the run of a loop.
func (b *Block) call(k ir.Kernel) {
	results := b.style.Results(b.Names, len(k.Outs))
	for i, out := range k.Outs {
		b.known[out] = results[i]
	}
	b.add(Call{k, results, b})
}

// conditions lists the support conditions of a group that want picks.
func (b *Block) conditions(g ir.Group, want func(ir.Cond) bool) [][2]Ref {
	var list [][2]Ref
	for _, c := range g.Support {
		if want(c) {
			list = append(list, [2]Ref{b.Ref(c.Left), b.Ref(c.Right)})
		}
	}
	return list
}

// late reports whether a condition can be tested only after a loop.
func (pl *Plan) late(c ir.Cond) bool {
	return pl.Facts.Stage[c.Left] == ir.Epilogue || pl.Facts.Stage[c.Right] == ir.Epilogue
}

// Finish returns, for each scalar of a dataset, how it is computed from statistics.
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

// At refers to a number of the Data stage that is one a dataset.
func (pl *Plan) At(id ir.ID) Ref {
	b := pl.NewBlock()
	b.knowData()
	return b.Ref(id)
}

// noGroup stands for what the groups share.
const noGroup = -1

// Density returns the steps of the log density of one trial: the program with the trial's own value for every sum over
// trials. The trial columns are variables named columns.
func (b *Block) Density(columns []string) []Step {
	for i, v := range b.Values {
		if v.Kind == ir.Column {
			b.known[ir.ID(i)] = Ref{Kind: Local, Name: columns[v.Index]}
		}
	}
	b.unpack(b.Value.Live)
	b.oneTrial(noGroup, func(id ir.ID) bool { return bits.OnesCount(b.Value.need[id]) > 1 && !b.afterSum(id) })
	for i, g := range b.Groups {
		w, needed := b.inner(), b.Value.neededBy(i)
		w.oneTrial(i, func(id ir.ID) bool { return needed[id] })
		w.fill(needed)
		w.overNodes(needed, ir.Prologue)
		w.overNodes(needed, ir.Body)
		w.oneTrial(i, func(id ir.ID) bool { return needed[id] })
		if all := w.conditions(g, func(ir.Cond) bool { return true }); len(all) > 0 {
			w.add(Refuse{noGroup, all, false, false})
		}
		x := w.Ref(g.LogLik)
		w.add(Return{&x})
		b.add(Choose{g.Choice, w.steps})
	}
	return b.steps
}

// oneTrial defines the values that want picks, as they are for a dataset of one trial of the group, but for those after a sum over nodes that
// is not known.
func (b *Block) oneTrial(group int, want func(ir.ID) bool) {
	for i, v := range b.Values {
		id := ir.ID(i)
		switch {
		case !b.Value.Live[id] || !b.open(id) || !want(id) || b.Facts.PerNode[id] || !b.ready(id):
		case v.Kind == ir.Apply:
			b.define(id)
		case v.Kind != ir.Total && v.Kind != ir.Least:
		case v.Group == group:
			b.known[id] = b.Ref(v.Args[0])
		default: // of a group without trials
			b.known[id] = Ref{Kind: Literal, Num: map[ir.Kind]float64{ir.Least: math.Inf(1)}[v.Kind]}
		}
	}
}

// afterSum reports whether a value comes after a sum over trials.
func (pl *Plan) afterSum(id ir.ID) bool {
	return pl.Facts.Stage[id] == ir.Epilogue || pl.Facts.Stage[id] == ir.Data && !pl.Facts.PerTrial[id]
}
