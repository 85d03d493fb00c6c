package objective

import (
	"slices"

	"likc/search/find/columns"
)

// blockRows is the approximate number of rows in a block: enough to make the cost of calls small, few enough for the first cache.
const blockRows = 256

// chunks cuts the numbers 0 to n-1 into runs of nearly equal length, at most `most`.
func chunks(n, most int) (bounds []int) {
	parts := (n + most - 1) / most
	for i := range parts + 1 {
		bounds = append(bounds, i*n/parts)
	}
	return bounds
}

// newPanel makes a panel, which has a column of values for each symbol of expressions. Its rows form blocks of `width` rows. The function
// at writes the values of the symbols in a row of a block. A column that is the same in all blocks is stored once.
func newPanel[F columns.Float](symbols, width, blocks int, at func(dst []float64, block, row int)) *columns.Panel[F] {
	p := &columns.Panel[F]{Rows: width * blocks, Width: width, Columns: make([][]F, symbols)}
	for i := range p.Columns {
		p.Columns[i] = make([]F, p.Rows)
	}
	values := make([]float64, symbols)
	for b := range blocks {
		for row := range width {
			at(values, b, row)
			for i, v := range values {
				p.Columns[i][b*width+row] = F(v)
			}
		}
	}
	for i, c := range p.Columns {
		stays := true
		for b := range blocks {
			stays = stays && slices.Equal(c[b*width:(b+1)*width], c[:width])
		}
		if stays {
			p.Columns[i] = slices.Clone(c[:width])
		}
	}
	return p
}

// section holds whole groups of the data, arranged so that a subtree without trial columns is computed once for all blocks. A block
// has the first trial of every group, or the second, and so on, or several of these.
type section[F columns.Float] struct {
	panel  *columns.Panel[F] // the values of the symbols in all rows
	target []F               // the teacher's log density in each row
}

// firstGroups is the approximate number of rows of the first section. The score of a very bad tree ends after it.
const firstGroups = 1024

// newSections divides the rows into sections: first about 1,024 rows of whole groups, then sections of about blockRows groups.
func newSections[F columns.Float](p *valuer, r *Rows) []section[F] {
	groups, trials := len(r.RT), len(r.RT[0])
	first := min(max(firstGroups/trials, 1), groups)
	list := []section[F]{newSection[F](p, r, 0, first)}
	if first == groups {
		return list
	}
	bounds := chunks(groups-first, blockRows)
	for i := range len(bounds) - 1 {
		list = append(list, newSection[F](p, r, first+bounds[i], first+bounds[i+1]))
	}
	return list
}

// newSection returns the section of the groups from, …, to-1.
func newSection[F columns.Float](p *valuer, r *Rows, from, to int) section[F] {
	groups, trials := to-from, len(r.RT[0])
	together := 1 // trials of a group in one block
	for q := 2; q <= trials && q*groups <= blockRows; q++ {
		if trials%q == 0 {
			together = q
		}
	}
	s := section[F]{target: make([]F, groups*trials)}
	width := groups * together
	trial := make([]float64, 1+len(r.More))
	s.panel = newPanel[F](len(p.symbols), width, trials/together, func(dst []float64, block, row int) {
		g, k := from+row%groups, block*together+row/groups
		trial[0] = r.RT[g][k]
		for i, c := range r.More {
			trial[1+i] = c[g][k]
		}
		p.at(dst, r.Theta[g], trial, 1)
		s.target[block*width+row] = F(r.Target[g][k])
	})
	return s
}
