package hierarchy

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// blocks divides the offsets of a study into independent blocks. An offset says by how much a coefficient of one level, such as a
// participant, differs from the mean of the levels. Two offsets are in the same block if their levels share a trial, or if each shares one
// with levels that are in the same block. If all groups are by one column, each level is a block.
//
// The column with the most levels is the main one. Its levels share no trial with each other, so two of them are in the same block
// only because of other columns.
type blocks struct {
	coords [][]int // coordinates of each block, those of the main column first
	// Sets of coordinates whose curvatures are computed by moving them together. A set holds the same effect of all main levels, or one
	// other offset of each block.
	moves  [][]int
	move   []int // for each coordinate, its index in moves
	level  []int // for each coordinate, its level of the main column; -1 for another column
	spread []int // for each offset, the coordinate of its spread parameter
}

// mostCoupled is the largest number of offsets in a block. The time to find a mode grows with the cube of this number.
const mostCoupled = 400

// newBlocks returns the blocks of a study with dim coordinates. It returns an error if too many offsets depend on one another.
func newBlocks(groups []*group, dim int) (*blocks, error) {
	main := slices.MaxFunc(groups, func(a, b *group) int { return len(a.levels) - len(b.levels) }).by
	c := newCoupling(groups)
	b := &blocks{move: make([]int, dim), level: make([]int, dim), spread: make([]int, dim)}
	numbers := map[int]int{} // index of each block, by the root of its levels
	addToBlock := func(g *group, level, k int) (block int) {
		root := c.root(c.vertex(g, level))
		block, known := numbers[root]
		if !known {
			block = len(b.coords)
			numbers[root], b.coords = block, append(b.coords, nil)
		}
		i := g.offset(level, k)
		b.coords[block] = append(b.coords[block], i)
		b.level[i], b.spread[i] = -1, g.effects[k].spread
		return block
	}
	addToMove := func(i, move int) {
		for len(b.moves) <= move {
			b.moves = append(b.moves, nil)
		}
		b.move[i], b.moves[move] = move, append(b.moves[move], i)
	}
	effects := 0 // number of effects of the main column
	for _, g := range groups {
		if g.by != main {
			continue
		}
		for level := range g.levels {
			for k := range g.effects {
				addToBlock(g, level, k)
				b.level[g.offset(level, k)] = level
				addToMove(g.offset(level, k), effects+k)
			}
		}
		effects += len(g.effects)
	}
	others := make([]int, len(b.coords)) // for each block, the number of offsets of other columns
	for _, g := range groups {
		if g.by == main {
			continue
		}
		for level := range g.levels {
			for k := range g.effects {
				block := addToBlock(g, level, k)
				addToMove(g.offset(level, k), effects+others[block])
				others[block]++
			}
		}
	}
	for _, of := range b.coords {
		if len(of) > mostCoupled {
			return nil, fmt.Errorf("mode: %d offsets of groups depend on one another: --map integrates out at most %d together", len(of), mostCoupled)
		}
	}
	return b, nil
}

// curvature writes the negative second derivatives of a block to h. up and down hold the gradients after each move's coordinates
// were moved up and down; width is the distance between the two.
func (b *blocks) curvature(block int, up, down [][]float64, width float64, h *mat.SymDense) {
	of := b.coords[block]
	along := func(moved, i int) float64 { return (up[b.move[moved]][i] - down[b.move[moved]][i]) / width }
	for p, i := range of {
		for q, j := range of[:p+1] {
			switch {
			case b.level[j] >= 0 && b.level[i] < 0: // only the move of the other offset moves one coordinate at a time
				h.SetSym(p, q, -along(i, j))
			case b.level[j] != b.level[i]: // two levels of the main column are independent
				h.SetSym(p, q, 0)
			default:
				h.SetSym(p, q, -(along(i, j)+along(j, i))/2)
			}
		}
	}
}

// coupling joins levels that share trials. Its vertices are the levels of all grouping columns.
type coupling struct {
	first  map[string]int // number of a column's first vertex
	parent []int          // for each vertex, another one of the same component; its own number if it represents the component
}

// newCoupling joins the levels that occur in the same row.
func newCoupling(groups []*group) *coupling {
	c := &coupling{first: map[string]int{}}
	for _, g := range groups {
		if _, known := c.first[g.by]; !known {
			c.first[g.by] = len(c.parent)
			for range g.levels {
				c.parent = append(c.parent, len(c.parent))
			}
		}
	}
	for _, g := range groups[1:] {
		for row, level := range g.index {
			c.parent[c.root(c.vertex(g, level))] = c.root(c.vertex(groups[0], groups[0].index[row]))
		}
	}
	return c
}

// vertex returns the number of a level's vertex.
func (c *coupling) vertex(g *group, level int) int { return c.first[g.by] + level }

// root returns the vertex that represents the component of v.
func (c *coupling) root(v int) int {
	for c.parent[v] != v {
		c.parent[v] = c.parent[c.parent[v]]
		v = c.parent[v]
	}
	return v
}
