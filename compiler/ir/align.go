package ir

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
)

// Aligned returns the program with arguments of commutative operators in the order of their shapes, in loops over trials. Then the loops of
// different choices, which often differ in parameters alone, have the same steps and can share one function. See [Kernel.Signature].
func (p *Program) Aligned() *Program {
	q := *p
	q.Values = slices.Clone(p.Values)
	f, shapes := Analyse(p), p.shapes()
	for i, v := range q.Values {
		if f.Stage[i] == Body && v.commutes() && shapes[v.Args[0]] > shapes[v.Args[1]] {
			q.Values[i].Args = []ID{v.Args[1], v.Args[0]}
		}
	}
	return &q
}

// commutes reports whether the order of the value's arguments does not matter.
func (v *Value) commutes() bool { return v.Kind == Apply && v.Op.Info().Commutative }

// shapes returns a number for each value that depends on the operators and constants that compute it, and not on the parameters and columns.
func (p *Program) shapes() []uint64 {
	shapes := make([]uint64, len(p.Values))
	for i := range p.Values {
		v := &p.Values[i]
		args := make([]uint64, 0, 3)
		for _, a := range v.Args {
			args = append(args, shapes[a])
		}
		if v.commutes() {
			slices.Sort(args)
		}
		text := binary.LittleEndian.AppendUint64([]byte{byte(v.Kind), byte(v.Op)}, math.Float64bits(v.Num))
		for _, a := range args {
			text = binary.LittleEndian.AppendUint64(text, a)
		}
		h := fnv.New64a()
		h.Write(text)
		shapes[i] = h.Sum64()
	}
	return shapes
}
