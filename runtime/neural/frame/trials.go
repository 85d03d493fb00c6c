package frame

import (
	"fmt"
	"slices"
)

// Sides parts trials by their choice: the response times at the lower boundary and at the upper one, ascending. It refuses
// columns of different lengths, an rt that is not positive and at most longest, and choices other than +1 and -1, naming the
// first such trial (counted from 1).
func Sides(rt, choice []float64, longest float64) (sides [2][]float64, err error) {
	if len(rt) != len(choice) {
		return sides, fmt.Errorf("bind trials: %d response times but %d choices", len(rt), len(choice))
	}
	for i, x := range rt {
		if !(x > 0) || x > longest {
			return sides, fmt.Errorf("trial %d: rt %v is not positive and finite", i+1, x)
		}
		if choice[i] != 1 && choice[i] != -1 {
			return sides, fmt.Errorf("trial %d: choice %v is neither 1 nor -1", i+1, choice[i])
		}
		side := int(choice[i]+1) / 2
		sides[side] = append(sides[side], x)
	}
	slices.Sort(sides[0])
	slices.Sort(sides[1])
	return sides, nil
}
