//go:build ignore

package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// passage describes a kernel of first passage: see the exported function of its name.
type passage struct {
	name    string
	columns []string // the names of its columns: results first, then sources
	results int      // how many columns are results
}

var passages = []passage{
	{"passage", strings.Split("k distance at inverse scale flux", " "), 2},
	{"passageByClock", strings.Split("k distance clock at inverse scale flux", " "), 3},
}

// signature returns the Go type of the kernel.
func (p passage) signature() string {
	return "(" + strings.Join(p.columns, ", ") + " []float64, b, slope, rate float64, total *[4][8]float64)"
}

// arguments returns the names of all arguments.
func (p passage) arguments() string { return strings.Join(p.columns, ", ") + ", b, slope, rate, total" }

// passage emits a kernel of first passage.
func (w writer) passage(p passage) {
	w.begin(p.name+w.ISA().String(), "func"+p.signature())
	c := loop{offset: w.ctx.GP64()}
	w.ctx.XORQ(c.offset, c.offset)
	for _, name := range p.columns {
		c.source = append(c.source, w.column(c, name))
	}
	c.left = w.ctx.Load(w.ctx.Param("k").Len(), w.ctx.GP64())
	for _, name := range []string{"b", "slope", "rate"} {
		parameter, err := w.ctx.Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		x := w.Vec()
		w.ctx.VBROADCASTSD(parameter.Addr, x)
		c.fixed = append(c.fixed, x)
	}
	sums := make([]reg.VecVirtual, p.results+1)
	for i := range sums {
		sums[i] = w.Vec()
		w.ctx.VXORPD(sums[i], sums[i], sums[i])
	}
	results, sources := c.source[:p.results], c.source[p.results:]
	w.ctx.Label("vectors")
	w.ctx.CMPQ(c.left, operand.U32(w.Width()))
	w.ctx.JL(operand.LabelRef("tail"))
	var in []reg.VecVirtual
	for _, s := range sources {
		in = append(in, w.Copy(s))
	}
	for i, v := range w.passageOf(in, c.fixed, sums) {
		w.store(v, results[i])
	}
	w.ctx.ADDQ(operand.U32(w.Bytes()), c.offset)
	w.ctx.SUBQ(operand.U32(w.Width()), c.left)
	w.ctx.JMP(operand.LabelRef("vectors"))
	w.ctx.Label("tail")
	w.ctx.TESTQ(c.left, c.left)
	w.ctx.JE(operand.LabelRef("done"))
	mask := w.tailMask(c.left)
	in = in[:0]
	for _, s := range sources {
		in = append(in, w.loadMasked(s, mask))
	}
	for i, v := range w.passageOf(in, c.fixed, sums) {
		w.storeMasked(v, mask, results[i])
	}
	w.ctx.Label("done")
	w.storeTotals(sums)
	w.ctx.VZEROUPPER()
	w.ctx.RET()
}

// passageOf emits the computation for one register of each column. It returns the results, and adds their products with the flux to sums.
func (w writer) passageOf(in, fixed, sums []reg.VecVirtual) (results []reg.VecVirtual) {
	at, inverse, scale, flux := in[0], in[1], in[2], in[3]
	b, slope, rate := fixed[0], fixed[1], fixed[2]
	d := w.Sub(b, at)
	speed := w.Mul(d, inverse)
	e := w.Mul(w.Exp(w.Mul(w.Mul(d, speed), w.Const(-0.5))), w.Mul(scale, rate))
	q := w.Sub(slope, speed)
	k := w.Mul(e, q)
	w.ctx.VFMADD231PD(k, flux, sums[0])
	eg := w.Mul(e, flux)
	w.ctx.VADDPD(eg, sums[1], sums[1])
	distance := w.Neg(w.Mul(eg, w.FMA(q, speed, inverse)))
	w.ctx.VADDPD(distance, sums[2], sums[2])
	results = []reg.VecVirtual{k, distance}
	if len(sums) == 4 {
		bend := w.Mul(w.Mul(q, w.Const(0.5)), w.Sub(w.Mul(speed, speed), inverse))
		clock := w.Mul(eg, w.FMA(speed, inverse, bend))
		w.ctx.VADDPD(clock, sums[3], sums[3])
		results = append(results, clock)
	}
	return results
}

// storeTotals emits stores of the sums where the last parameter points, one row of eight numbers a sum.
func (w writer) storeTotals(sums []reg.VecVirtual) {
	total := w.ctx.Load(w.ctx.Param("total"), w.ctx.GP64())
	for i, sum := range sums {
		w.store(sum, operand.Mem{Base: total, Disp: 64 * i})
	}
}
