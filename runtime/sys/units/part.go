package units

import (
	"bytes"
	"encoding/json"
	"fmt"

	"likc/runtime/sys/store"
)

// Part is the K-th of N parts of a run; K counts from 1. The zero value is the whole run.
type Part struct{ K, N int }

// MostParts is the largest number of parts of a run.
const MostParts = 1_000_000

// ParsePart reads K/N.
func ParsePart(text string) (p Part, err error) {
	if n, err := fmt.Sscanf(text, "%d/%d", &p.K, &p.N); err != nil || n != 2 || p.String() != text || p.K < 1 || p.K > p.N || p.N > MostParts {
		return Part{}, fmt.Errorf("%q: want K/N, the K-th of N parts, as 1/3", text)
	}
	return p, nil
}

// String writes K/N.
func (p Part) String() string { return fmt.Sprintf("%d/%d", p.K, p.N) }

// Share returns the units of the part: from ≤ unit < to, out of units 0 to n-1. The parts of a run have every unit once, in order, and
// differ in size by at most one.
func (p Part) Share(n int) (from, to int) {
	if p.N == 0 {
		return 0, n
	}
	return (p.K - 1) * n / p.N, p.K * n / p.N
}

// Elsewhere lets other machines do all parts of a run, or finds that they are done, and returns the paths of the parts' files, in the
// order of the parts.
type Elsewhere func() ([]string, error)

// Done returns an Elsewhere for parts that are already done. files are the paths of their results, in the order of the parts.
func Done(files ...string) Elsewhere { return func() ([]string, error) { return files, nil } }

// Join appends the units that a file of fewer than n units lacks, from the files of all parts of the run. Together there must be n units.
func Join[T any](f *File[T], header any, n int, elsewhere Elsewhere) error {
	if len(f.done) >= n {
		return nil
	}
	first, err := json.Marshal(header)
	if err != nil {
		return err
	}
	parts, err := elsewhere()
	if err != nil {
		return err
	}
	at := 0
	for _, path := range parts {
		text, err := store.ReadChecked(path)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(text, append(first, '\n')) {
			return fmt.Errorf("%s: is a part of another run: it has other settings", path)
		}
		part := &File[T]{path: path}
		if err := part.read(text[len(first)+1:]); err != nil {
			return err
		}
		for _, unit := range part.done {
			if at++; at <= len(f.done) {
				continue
			}
			if err := f.append(unit); err != nil {
				return err
			}
			f.done = append(f.done, unit)
		}
	}
	if at != n {
		return fmt.Errorf("the parts have %d units, and the run has %d", at, n)
	}
	return nil
}
