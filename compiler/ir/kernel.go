package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Kernel is a group's loop over its trials. It computes the Body from columns and scalars, and adds into accumulators. A loop
// over the nodes of a table is a Kernel too: see [NodeKernel].
type Kernel struct {
	Group   int  // the number of the group of trials, or of the table
	Columns []ID // values of the Data stage with one number for each trial, in order of first use
	Inputs  []ID // scalars of the Prologue, without constants, in order of first use
	Body    []ID // values of the Body stage, arguments first
	Outs    []ID // the Total and Least values that accumulate, or the NodeSum values
	Nodes   []ID // values of the Prologue with one number for each node, which sums over nodes in the Body need
}

// Kernels returns the loop of each group for the live values, those that [Program.Live] reports as needed. A group without accumulators
// gets a kernel without Outs. Accumulators of the same shape come one after the other, so that equal loops of two groups have them in the same order.
func Kernels(p *Program, f Facts, live []bool) []Kernel {
	kernels := make([]Kernel, len(p.Groups))
	for i := range kernels {
		kernels[i].Group = i
	}
	for i, v := range p.Values {
		if live[i] && (v.Kind == Total || v.Kind == Least) && f.Stage[v.Args[0]] == Body {
			kernels[v.Group].Outs = append(kernels[v.Group].Outs, ID(i))
		}
	}
	shapes := p.shapes()
	for i := range kernels {
		k := &kernels[i]
		slices.SortStableFunc(k.Outs, func(a, b ID) int { return cmp.Compare(shapes[a], shapes[b]) })
		seen := map[ID]bool{}
		for _, out := range k.Outs {
			k.collect(p, f, p.Values[out].Args[0], seen)
		}
	}
	return kernels
}

// collect adds value id, and all values that it needs, to the kernel's lists.
func (k *Kernel) collect(p *Program, f Facts, id ID, seen map[ID]bool) {
	if seen[id] {
		return
	}
	seen[id] = true
	switch v := p.Values[id]; {
	case v.Kind == NodeSum && f.Stage[id] == Body:
		k.collectNodes(p, f, v.Group, seen)
	case f.Stage[id] == Body:
		for _, a := range v.Args {
			k.collect(p, f, a, seen)
		}
		k.Body = append(k.Body, id)
	case f.PerTrial[id]:
		k.Columns = append(k.Columns, id)
	case v.Kind != Const:
		k.Inputs = append(k.Inputs, id)
	}
}

// Signature returns a text that describes the loop without the names of columns, inputs and outputs. Kernels with the same
// signature can share one function, as those of both boundaries often do.
func (k *Kernel) Signature(p *Program) string {
	var b strings.Builder
	name := map[ID]string{}
	for i, id := range k.Columns {
		name[id] = fmt.Sprintf("c%d", i)
	}
	for i, id := range k.Inputs {
		name[id] = fmt.Sprintf("p%d", i)
	}
	ref := func(id ID) string {
		if n, ok := name[id]; ok {
			return n
		}
		return p.describe(p.Values[id]) // a constant, since all other values have names
	}
	for i, id := range k.Body {
		v := p.Values[id]
		if v.Kind == NodeSum { // the table is part of the signature
			fmt.Fprintf(&b, "b%d=nodes %d %d;", i, v.Group, v.Args[0])
			name[id] = fmt.Sprintf("b%d", i)
			continue
		}
		fmt.Fprintf(&b, "b%d=%s", i, v.Op)
		for _, a := range v.Args {
			b.WriteString(" " + ref(a))
		}
		b.WriteByte(';')
		name[id] = fmt.Sprintf("b%d", i)
	}
	for _, out := range k.Outs {
		fmt.Fprintf(&b, "%d %s;", p.Values[out].Kind, ref(p.Values[out].Args[0]))
	}
	return b.String()
}
