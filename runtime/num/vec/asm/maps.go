//go:build ignore

package main

import (
	"strings"

	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// mapping describes a kernel that computes each element of dst from the same element of its columns and, if scalar is set, from a scalar c.
type mapping struct {
	name    string
	columns string // the names of its columns, one letter each
	scalar  bool
	single  bool                                                   // whether there is a kernel for float32 too
	unroll  int                                                    // number of registers that one turn of its loop handles
	lanes   func(l lane.Lanes, in []reg.VecVirtual) reg.VecVirtual // emits the computation for one register of each column
}

type (
	lanes  = lane.Lanes
	column = reg.VecVirtual
)

// maps are the kernels of this kind. Loops of short kernels are unrolled. Those of exp and log are long enough to keep the processor busy.
var maps = []mapping{
	{"add", "xy", false, true, 4, func(l lanes, in []column) column { return l.Add(in[0], in[1]) }},
	{"sub", "xy", false, true, 4, func(l lanes, in []column) column { return l.Sub(in[0], in[1]) }},
	{"mul", "xy", false, true, 4, func(l lanes, in []column) column { return l.Mul(in[0], in[1]) }},
	{"div", "xy", false, true, 2, func(l lanes, in []column) column { return l.Div(in[0], in[1]) }},
	{"minimum", "xy", false, false, 1, func(l lanes, in []column) column { return l.Min(in[0], in[1]) }},
	{"maximum", "xy", false, false, 1, func(l lanes, in []column) column { return l.Max(in[0], in[1]) }},
	{"fma", "xyz", false, false, 4, func(l lanes, in []column) column { return l.FMA(in[0], in[1], in[2]) }},
	{"addScalar", "x", true, true, 4, func(l lanes, in []column) column { return l.Add(in[0], in[1]) }},
	{"mulScalar", "x", true, true, 4, func(l lanes, in []column) column { return l.Mul(in[0], in[1]) }},
	{"scalarDiv", "x", true, true, 2, func(l lanes, in []column) column { return l.Div(in[1], in[0]) }},
	{"square", "x", false, true, 4, func(l lanes, in []column) column { return l.Mul(in[0], in[0]) }},
	{"abs", "x", false, false, 4, func(l lanes, in []column) column { return l.Abs(in[0]) }},
	{"neg", "x", false, false, 4, func(l lanes, in []column) column { return l.Neg(in[0]) }},
	{"sqrt", "x", false, true, 2, func(l lanes, in []column) column { return l.Sqrt(in[0]) }},
	{"exp", "x", false, true, 1, func(l lanes, in []column) column { return l.Exp(in[0]) }},
	{"log", "x", false, true, 1, func(l lanes, in []column) column { return l.Log(in[0]) }},
	{"pow", "xy", false, false, 1, func(l lanes, in []column) column { return l.Pow(in[0], in[1]) }},
	{"expm1", "x", false, false, 1, func(l lanes, in []column) column { return l.Expm1(in[0]) }},
	{"log1p", "x", false, false, 1, func(l lanes, in []column) column { return l.Log1p(in[0]) }},
	{"sin", "x", false, false, 1, func(l lanes, in []column) column { return l.Sin(in[0]) }},
	{"cos", "x", false, false, 1, func(l lanes, in []column) column { return l.Cos(in[0]) }},
	{"erf", "x", false, false, 1, func(l lanes, in []column) column { return l.Erf(in[0]) }},
	{"normCDF", "x", false, false, 1, func(l lanes, in []column) column { return l.NormCDF(in[0]) }},
	{"logNormCDF", "x", false, false, 1, func(l lanes, in []column) column { return l.LogNormCDF(in[0]) }},
	{"inverseMills", "x", false, false, 1, func(l lanes, in []column) column { return l.InverseMills(in[0]) }},
	{"log1mExp", "x", false, false, 1, func(l lanes, in []column) column { return l.Log1mExp(in[0]) }},
	{"logAddExp", "xy", false, false, 1, func(l lanes, in []column) column { return l.LogAddExp(in[0], in[1]) }},
	{"less", "xy", false, false, 4, func(l lanes, in []column) column {
		return l.Select(in[0], lane.Less, in[1], l.Const(1), l.Set(0))
	}},
	{"lessEqual", "xy", false, false, 4, func(l lanes, in []column) column {
		return l.Select(in[0], lane.LessEqual, in[1], l.Const(1), l.Set(0))
	}},
	{"choose", "xyz", false, false, 4, func(l lanes, in []column) column {
		return l.Select(in[0], lane.Equal, l.Const(0), in[2], in[1])
	}},
}

func (m mapping) elements() []lane.Element {
	if m.single {
		return []lane.Element{lane.Float64, lane.Float32}
	}
	return []lane.Element{lane.Float64}
}

// base returns the name of the unexported function, without its instruction set.
func (m mapping) base(e lane.Element) string {
	if e == lane.Float32 {
		return m.name + "32"
	}
	return m.name
}

// arguments returns the names of the columns.
func (m mapping) arguments() []string { return strings.Split(m.columns, "") }

// signature returns the Go type of the kernel.
func (m mapping) signature(e lane.Element) string {
	s := "(" + strings.Join(append([]string{"dst"}, m.arguments()...), ", ") + " []" + goType(e)
	if m.scalar {
		s += ", c " + goType(e)
	}
	return s + ")"
}

func goType(e lane.Element) string {
	if e == lane.Float32 {
		return "float32"
	}
	return "float64"
}
