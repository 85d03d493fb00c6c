//go:build !purego

package polynomial

import "likc/runtime/num/isa"

// sum does what portableSum does, by the fastest kernel that level allows. outputs is the number of polynomials in use.
func (b *block) sum(part results, tables *[nested][][2]float64, outputs int, level isa.Level) {
	first, second, third := &tables[0][0], &tables[1][0], &tables[2][0]
	switch level {
	case isa.AVX512:
		sumAVX512(&part[0][0], &b.rows[0][0], &b.counts[0], first, second, third)
	case isa.AVX2:
		for lane := 0; lane < outputs; lane += 4 {
			sumAVX2(&part[0][lane], &b.rows[0][lane], &b.counts[0], first, second, third)
		}
	default:
		b.portableSum(part, tables[0], tables[1], tables[2])
	}
}
