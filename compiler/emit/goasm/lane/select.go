package lane

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicate is a comparison that raises no exception on NaN. Its value is the immediate operand of Intel's VCMPPD.
type Predicate uint8

// The comparisons: NaN compares unequal to everything, so it makes Equal,
// Less, LessEqual and Greater false, and NotLess and Unordered true.
const (
	Equal     Predicate = 0x00
	Less      Predicate = 0x11
	LessEqual Predicate = 0x12
	Greater   Predicate = 0x1e
	NotLess   Predicate = 0x15
	Unordered Predicate = 0x03
)

// Select returns `yes` in the lanes where the comparison p of x with y is true, and `no` elsewhere. y and `yes` may be memory.
func (l Lanes) Select(x operand.Op, p Predicate, y, yes, no operand.Op) reg.VecVirtual {
	compare := l.forElement(l.ctx.VCMPPD, l.ctx.VCMPPS)
	dst := l.Vec()
	if l.isa == AVX512 {
		mask := l.ctx.K()
		compare(operand.Imm(uint64(p)), y, x, mask)
		l.forElement(l.ctx.VBLENDMPD, l.ctx.VBLENDMPS)(yes, no, mask, dst)
		return dst
	}
	mask := l.into(compare, x, y, operand.Imm(uint64(p)))
	if l.element == Float32 {
		l.ctx.VBLENDVPS(mask, yes, no, dst)
	} else {
		l.ctx.VBLENDVPD(mask, yes, no, dst)
	}
	return dst
}

// Max returns max(x, y) as math.Max has it: +Inf wins over NaN, NaN over the rest, +0 over -0.
func (l Lanes) Max(x, y reg.VecVirtual) reg.VecVirtual {
	return l.extreme(l.into(l.forElement(l.ctx.VMAXPD, l.ctx.VMAXPS), x, y), l.And(x, y), x, y, l.infinity(+1))
}

// Min returns min(x, y) as math.Min has it: -Inf wins over NaN, NaN over the rest, -0 over +0.
func (l Lanes) Min(x, y reg.VecVirtual) reg.VecVirtual {
	return l.extreme(l.into(l.forElement(l.ctx.VMINPD, l.ctx.VMINPS), x, y), l.Or(x, y), x, y, l.infinity(-1))
}

// extreme corrects m, the result of an instruction for minimum or maximum, which is y if x and y are equal or one is NaN. It
// returns winner where x or y is winner; else NaN where x or y is NaN; else same where x = y.
func (l Lanes) extreme(m, same, x, y reg.VecVirtual, winner operand.Mem) reg.VecVirtual {
	m = l.Select(x, Equal, y, same, m)
	m = l.Select(x, Unordered, y, l.Add(x, y), m)
	m = l.Select(x, Equal, winner, x, m)
	return l.Select(y, Equal, winner, y, m)
}
