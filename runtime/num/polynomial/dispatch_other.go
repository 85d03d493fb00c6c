//go:build !amd64 || purego

package polynomial

import "likc/runtime/num/isa"

func (b *block) sum(part results, tables *[nested][][2]float64, _ int, _ isa.Level) {
	b.portableSum(part, tables[0], tables[1], tables[2])
}
