package plan

import (
	"slices"

	"likc/compiler/ir"
)

// nameNodes names the columns of the tables of nodes that evaluations need.
func (pl *Plan) nameNodes() {
	pl.NodeNames = map[ir.ID]string{}
	for i, v := range pl.Values {
		if v.Kind == ir.Node && pl.Both.Live[i] {
			pl.NodeNames[ir.ID(i)] = pl.Top.Number("nodes")
		}
	}
}

// CollectNodes names the loops over nodes that the printed functions call, after stem.
func (pl *Plan) CollectNodes(stem string) {
	if len(pl.Tables) == 0 {
		return
	}
	for _, e := range []Evaluation{pl.Value, pl.Both} {
		pl.collectNodes(stem, pl.Evaluate(e))
		for _, k := range e.Kernels {
			pl.Collect(stem, pl.OfBody(k))
		}
	}
	b := pl.NewBlock()
	columns, _ := pl.ColumnNames(b.Names)
	pl.collectNodes(stem, b.Density(columns))
}

// collectNodes names the loops over nodes that steps call, after stem.
func (pl *Plan) collectNodes(stem string, steps []Step) {
	for _, s := range steps {
		switch s := s.(type) {
		case OverNodes:
			pl.Collect(stem, []ir.Kernel{s.Kernel})
		case Choose:
			pl.collectNodes(stem, s.Steps)
		}
	}
}

// OfBody returns the loops over nodes inside the loop over trials, one for each table.
func (pl *Plan) OfBody(k ir.Kernel) []ir.Kernel { return pl.OverNodesOf(k.Body) }

// OverNodesOf returns the loops over nodes that compute the sums among ids, one for each table.
func (pl *Plan) OverNodesOf(ids []ir.ID) (list []ir.Kernel) {
	for table := range pl.Tables {
		sums := slices.DeleteFunc(slices.Clone(ids), func(id ir.ID) bool {
			return pl.Values[id].Kind != ir.NodeSum || pl.Values[id].Group != table
		})
		if len(sums) > 0 {
			list = append(list, ir.NodeKernel(pl.Program, pl.Facts, sums))
		}
	}
	return list
}

// sumsOverNodes returns the sums over nodes that belong to a stage and are live, which means needed.
func (pl *Plan) sumsOverNodes(live []bool, stage ir.Stage) (ids []ir.ID) {
	for i, v := range pl.Values {
		if live[i] && v.Kind == ir.NodeSum && pl.Facts.Stage[i] == stage {
			ids = append(ids, ir.ID(i))
		}
	}
	return ids
}

// fill adds the steps that compute values for each node that depend only on nodes and parameters, for all live sums over nodes.
func (b *Block) fill(live []bool) {
	for id, name := range b.NodeNames {
		b.known[id] = Ref{Kind: Array, Name: name}
	}
	for _, k := range b.OverNodesOf(append(b.sumsOverNodes(live, ir.Prologue), b.sumsOverNodes(live, ir.Body)...)) {
		operators := ir.NodeOperators(b.Program, b.Facts, k.Columns)
		if len(operators) == 0 {
			continue
		}
		f := Fill{Table: &b.Tables[k.Group]}
		for _, id := range k.Columns {
			if b.Values[id].Kind == ir.Apply {
				f.Keep = append(f.Keep, Kept{Name: b.Names.Number("at")})
			}
		}
		w, kept := b.inner(), 0
		for id, name := range b.NodeNames {
			w.known[id] = Ref{Kind: AtNode, Name: name}
		}
		w.define(operators...)
		for _, id := range k.Columns {
			if b.Values[id].Kind == ir.Apply {
				f.Keep[kept].X = w.Ref(id)
				b.known[id] = Ref{Kind: Array, Name: f.Keep[kept].Name}
				kept++
			}
		}
		f.Steps = w.steps
		b.add(f)
	}
}

// overNodes adds the steps that run the loops over nodes for the live sums of a stage.
func (b *Block) overNodes(live []bool, stage ir.Stage) {
	for _, k := range b.OverNodesOf(b.sumsOverNodes(live, stage)) {
		b.add(OverNodes{b.run(k), &b.Tables[k.Group]})
	}
}

// neededBy marks the values that a group needs.
func (e Evaluation) neededBy(group int) []bool {
	needed := make([]bool, len(e.need))
	for i, n := range e.need {
		needed[i] = n&(1<<group) != 0
	}
	return needed
}
