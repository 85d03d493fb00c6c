package ir

import "likc/compiler/expr"

// NodeKernel returns the loop over the nodes of a table that computes sums. Its Columns are values of the Prologue with one
// number for each node, its Inputs are numbers of any stage, and its Group is the number of the table.
func NodeKernel(p *Program, f Facts, sums []ID) Kernel {
	k := Kernel{Group: p.Values[sums[0]].Group, Outs: sums}
	seen := map[ID]bool{}
	var collect func(id ID)
	collect = func(id ID) {
		if seen[id] {
			return
		}
		seen[id] = true
		switch {
		case f.PerNode[id] && f.Stage[id] == Prologue:
			k.Columns = append(k.Columns, id)
		case f.PerNode[id]:
			for _, a := range p.Values[id].Args {
				collect(a)
			}
			k.Body = append(k.Body, id)
		case p.Values[id].Kind != Const:
			k.Inputs = append(k.Inputs, id)
		}
	}
	for _, out := range sums {
		collect(p.Values[out].Args[0])
	}
	return k
}

// collectNodes adds all sums over a table's nodes to the kernel's Body, one after the other, after the values that they need.
func (k *Kernel) collectNodes(p *Program, f Facts, table int, seen map[ID]bool) {
	var roots, sums []ID
	for _, out := range k.Outs {
		roots = append(roots, p.Values[out].Args[0])
	}
	for i, live := range p.Live(roots) {
		if v := p.Values[i]; live && v.Kind == NodeSum && v.Group == table && f.Stage[i] == Body {
			sums = append(sums, ID(i))
			seen[ID(i)] = true
		}
	}
	inner := NodeKernel(p, f, sums)
	for _, id := range inner.Inputs {
		k.collect(p, f, id, seen)
	}
	for _, id := range inner.Columns {
		if !seen[id] && p.Values[id].Kind != Node {
			seen[id] = true
			k.Nodes = append(k.Nodes, id)
		}
	}
	k.Body = append(k.Body, sums...)
}

// HasNodes reports whether the Body of the loop has sums over nodes.
func (k *Kernel) HasNodes(p *Program) bool {
	for _, id := range k.Body {
		if p.Values[id].Kind == NodeSum {
			return true
		}
	}
	return false
}

// NodeOperators returns the operators of the Prologue with one number for each node on which columns depend, including columns
// themselves. Arguments come first.
func NodeOperators(p *Program, f Facts, columns []ID) (ids []ID) {
	for i, live := range p.Live(columns) {
		if live && f.PerNode[i] && p.Values[i].Kind == Apply {
			ids = append(ids, ID(i))
		}
	}
	return ids
}

// Unrolled returns the program with its sums over nodes written out. The interpreter runs this form.
func (p *Program) Unrolled() *Program {
	u := unroller{p: p, f: Analyse(p), b: NewBuilder()}
	newID := make([]ID, len(p.Values))
	for i, v := range p.Values {
		switch {
		case u.f.PerNode[i]:
		case v.Kind == NodeSum:
			newID[i] = u.sum(v, newID)
		default:
			args := make([]ID, len(v.Args))
			for j, a := range v.Args {
				args[j] = newID[a]
			}
			newID[i] = u.b.Add(v, args...)
		}
	}
	out := p.with(u.b.Values(), newID)
	out.Tables = nil
	return out
}

// unroller replaces sums over nodes by their terms.
type unroller struct {
	p *Program
	f Facts
	b *Builder
}

// sum returns the sum of the summand over all nodes.
func (u *unroller) sum(v Value, newID []ID) ID {
	total := u.b.Num(0)
	for k := range u.p.Tables[v.Group].Nodes() {
		total = u.b.Apply(expr.Add, total, u.at(v.Args[0], k, newID, map[ID]ID{}))
	}
	return total
}

// at returns the value at node k.
func (u *unroller) at(id ID, k int, newID []ID, done map[ID]ID) ID {
	if !u.f.PerNode[id] {
		return newID[id]
	}
	if known, ok := done[id]; ok {
		return known
	}
	v := u.p.Values[id]
	if v.Kind == Node {
		done[id] = u.b.Num(u.p.Tables[v.Group].Columns[v.Index][k])
		return done[id]
	}
	args := make([]ID, len(v.Args))
	for j, a := range v.Args {
		args[j] = u.at(a, k, newID, done)
	}
	done[id] = u.b.Add(v, args...)
	return done[id]
}
