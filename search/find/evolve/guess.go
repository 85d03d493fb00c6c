package evolve

import (
	"errors"
	"fmt"

	"likc/search/find/tree"
)

// guess is a tree that becomes one of the first members of an island.
type guess struct {
	Tree   tree.Tree
	Island int // everyone: all islands
}

const everyone = -1

// Guess makes a tree one of the first members of every island that accepts its size. It must be called before the search runs.
// Guesses fill at most half of an island.
func (s *Search) Guess(t tree.Tree) error {
	if n := s.countGuesses(everyone); n >= s.settings.PopulationSize/2 {
		return fmt.Errorf("guess: %d fill half of a population of %d", n, s.settings.PopulationSize)
	}
	return s.addGuess(t, everyone)
}

// Deal distributes expressions that earlier searches found. Each tree becomes one of the first members of the next island that
// accepts its size. It must be called before the search runs. Dealt trees fill at most half of an island.
func (s *Search) Deal(trees []tree.Tree) error {
	room := make([]int, len(s.islands))
	for i := range room {
		room[i] = s.settings.PopulationSize/2 - s.countGuesses(i)
	}
	next, fit := 0, 0
	for _, t := range trees {
		i, err := s.islandFor(t, next, room)
		if err != nil {
			return err
		}
		if i < 0 {
			continue
		}
		if err := s.addGuess(t, i); err != nil {
			return err
		}
		room[i]--
		next, fit = i+1, fit+1
	}
	if fit < len(trees) {
		return fmt.Errorf("guess: of %d expressions, %d fit in half of the populations that take their sizes", len(trees), fit)
	}
	return nil
}

// islandFor returns the first island that accepts trees of t's size and has room, searching in a circle from next. It returns -1 if
// all islands that accept the size are full, and an error if none accepts it. room[i] is how many more trees island i may get.
func (s *Search) islandFor(t tree.Tree, next int, room []int) (int, error) {
	largest := 0
	for k := range room {
		i := (next + k) % len(room)
		if largest = max(largest, s.settings.largest(i)); t.Size() <= s.settings.largest(i) && room[i] > 0 {
			return i, nil
		}
	}
	if t.Size() > largest {
		return -1, fmt.Errorf("guess: %v has %d nodes: no population takes more than %d", t.Expr(s.rules.symbols), t.Size(), largest)
	}
	return -1, nil
}

// countGuesses returns the number of guesses for one island, or of those for all islands if island is everyone.
func (s *Search) countGuesses(island int) (n int) {
	for _, g := range s.guesses {
		if g.Island == island {
			n++
		}
	}
	return n
}

// addGuess checks a tree and adds it to the guesses for an island, or for all.
func (s *Search) addGuess(t tree.Tree, island int) error {
	if s.epoch > 0 {
		return errors.New("guess: the search has begun")
	}
	if err := s.rules.admits(t); err != nil {
		return fmt.Errorf("guess: %w", err)
	}
	s.guesses = append(s.guesses, guess{t.Clone(), island})
	return nil
}

// guessed returns the k-th guess for an island; it returns false if there are fewer.
func (s *Search) guessed(island, k int) (t tree.Tree, ok bool) {
	for _, g := range s.guesses {
		if g.Island != island && g.Island != everyone {
			continue
		}
		if k == 0 {
			return g.Tree, true
		}
		k--
	}
	return t, false
}
